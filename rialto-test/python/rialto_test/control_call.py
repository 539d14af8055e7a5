"""Calls of a control socket: JSON over HTTP on a Unix socket. Test beds and venues speak it alike."""

import http.client
import json
import socket

WAIT_S_MAX = 600


class RialtoTestError(Exception):
    """What a test asked for cannot be done; the message says what to do."""


class NotAnswered(RialtoTestError):
    """Nobody listens at the socket."""


class _SocketConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=WAIT_S_MAX)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def control_call(path, name, parameters=None):
    """Makes the call `name` at the socket `path` and returns its result.

    Raises NotAnswered if nobody listens, and RialtoTestError if the call is refused or takes more than ten minutes.
    """
    connection = _SocketConnection(path)
    try:
        connection.request("POST", f"/{name}", json.dumps(parameters or {}))
        answer = json.loads(connection.getresponse().read())
    except socket.timeout:
        raise RialtoTestError(f"{name}: no answer") from None
    except (FileNotFoundError, ConnectionError, http.client.RemoteDisconnected):
        raise NotAnswered(f"nothing answers at {path}: the venue or test bed has ended") from None
    finally:
        connection.close()
    if not answer["isOk"]:
        raise RialtoTestError(f"{name}: {answer['error']}")
    return answer["result"]
