// The socket the SQL client (postgres 3.4.9) is handed. It mends two more of its defects; both are of what
// a connection leaves behind when it is lost in the very moment something is written to it.
//
// 1. What was about to be written stays, and until 1,024 bytes have come together nothing is written there
//    again: each new connection says nothing and runs into its timeout, and a server that is to stop
//    waits for it. Here the server is called only once the client has greeted it, and a socket nobody
//    speaks on closes: the client tries again by itself, so the bytes come together within
//    milliseconds. They are a greeting with something before it, and thrown away.
// 2. A statement that comes between the error of a loss and its close is forgotten: it never ends, or ends
//    with the empty answer of another. Only a close without an error ends all of them, so each is one.
//
// A connection under TLS has the first only: the client lays a socket of its own over this one.

import { Socket } from "node:net";

/** Where the server listens: a Unix socket, or a host and its port. */
type ServerPlace = { readonly path: string } | { readonly host: string; readonly port: number };

/** What a connection begins with: a session of protocol 3.0, a cancellation, a wish for TLS. */
const greetingCodes: ReadonlySet<number> = new Set([196_608, 80_877_102, 80_877_103]);

export class ClientSocket extends Socket {
  readonly #place: ServerPlace;
  #hasGreeted = false;

  constructor(place: ServerPlace) {
    super();
    this.#place = place;
    // Nagle's algorithm holds back the second half of a group until the first is acknowledged: 90 ms.
    // The client has no option for it.
    if ("host" in place) this.setNoDelay(true);
    // The client writes at the end of the turn in which it was handed the socket: in the next one it is late.
    setImmediate(() => {
      setImmediate(() => {
        if (!this.#hasGreeted) this.destroy();
      });
    });
  }

  /** The client asks for the name under which a certificate is checked. */
  get host(): string | undefined {
    return "host" in this.#place ? this.#place.host : undefined;
  }

  override _write(
    bytes: Buffer,
    encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ): void {
    if (!this.#hasGreeted) {
      if (!isGreeting(bytes)) {
        this.destroy();
        done();
        return;
      }
      this.#hasGreeted = true;
      this.connect(this.#place);
    }
    super._write(bytes, encoding, done);
  }

  override emit(event: string | symbol, ...given: unknown[]): boolean {
    return event === "close" ? super.emit("close", false) : super.emit(event, ...given);
  }
}

/** A greeting carries its own length and has nothing before or behind it. */
function isGreeting(bytes: Buffer): boolean {
  if (bytes.length < 8 || bytes.readUInt32BE(0) !== bytes.length) return false;
  return greetingCodes.has(bytes.readUInt32BE(4));
}
