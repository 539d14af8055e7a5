# A proxy between the engine and the venue that can lose reports and cut the connection.

import os
import socket
import threading

END = b"\x0110="
"""Begin of a message's last field, which is eight bytes with the byte that ends it."""


class Proxy:
    def __init__(self):
        self.lock = threading.Lock()
        self.to_lose = 0
        self.is_away = False
        self.ends = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def port(self):
        return self.listener.getsockname()[1]

    def lose_reports(self, count):
        with self.lock:
            self.to_lose = count

    def cut(self):
        with self.lock:
            for end in self.ends:
                # A thread that reads from the socket is woken by a shutdown, and not by a close.
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def leave(self):
        """Cuts the connection, and every new one until `come_back`."""
        self.is_away = True
        self.cut()

    def come_back(self):
        self.is_away = False

    def _serve(self):
        while True:
            client, _ = self.listener.accept()
            if self.is_away:
                client.close()
                continue
            venue = socket.create_connection(("127.0.0.1", int(os.environ["FIX_PORT"])))
            with self.lock:
                self.ends = [client, venue]
            for source, sink, is_venue in ((client, venue, False), (venue, client, True)):
                threading.Thread(target=self._pump, args=(source, sink, is_venue), daemon=True).start()

    def _pump(self, source, sink, is_venue):
        rest = b""
        try:
            while chunk := source.recv(65536):
                if not is_venue:
                    sink.sendall(chunk)
                    continue
                rest += chunk
                while (at := rest.find(END)) >= 0 and len(rest) >= at + 8:
                    message, rest = rest[: at + 8], rest[at + 8 :]
                    if not self._loses(message):
                        sink.sendall(message)
        except OSError:
            pass
        finally:
            source.close()
            sink.close()

    def _loses(self, message):
        with self.lock:
            if self.to_lose == 0 or b"\x0135=8\x01" not in message:
                return False
            self.to_lose -= 1
            return True
