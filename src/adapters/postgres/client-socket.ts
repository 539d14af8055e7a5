// The socket the SQL client (postgres 3.4.9) is handed. It mends four more of its defects, three of
// them what a connection leaves behind when it is lost.
//
// 1. What was about to be written stays, and until 1,024 bytes have come together nothing is written there
//    again: each new connection says nothing and runs into its timeout, and a server that is to stop
//    waits for it. Here the server is called only once the client has greeted it, and a socket nobody
//    speaks on closes: the client tries again by itself, so the bytes come together within
//    milliseconds. They are a greeting with something before it, and thrown away.
// 2. A statement that comes between the error of a loss and its close is forgotten: it never ends, or ends
//    with the empty answer of another. Only a close without an error ends all of them, so each is one.
// 3. Where a statement was lost, nobody is told that the server refuses the next connection: the client calls
//    it more than a thousand times a second, for as long as it starts or is full, and tells the first
//    statement after that. So a refusal, and a close before any statement, are errors of the socket.
// 4. It waits without end for a server that says nothing, as one whose network is gone. A statement without
//    an answer long after the server would have ended it loses the connection.
//
// A connection under TLS has the first only: the client lays a socket of its own over this one.

import { Socket } from "node:net";

/** Where the server listens: a Unix socket, or a host and its port. */
type ServerPlace = { readonly path: string } | { readonly host: string; readonly port: number };

/** What a connection begins with: a session of protocol 3.0, a cancellation, a wish for TLS. */
const greetings = { session: 196_608, cancellation: 80_877_102, encryption: 80_877_103 };
const greetingCodes: ReadonlySet<number> = new Set(Object.values(greetings));
/** Kinds of the messages a statement begins with: parse, bind, query. */
const statementKinds: ReadonlySet<number | undefined> = new Set(Buffer.from("PBQ"));
const errorKind = "E".charCodeAt(0);

export class ClientSocket extends Socket {
  readonly #place: ServerPlace;
  #hasGreeted = false;
  /** A statement was sent and nothing has come since. */
  #isWaiting = false;
  /** Greeted for a session, and no statement was sent yet: an error message is a refusal. */
  #isGreeting = false;

  /** `answerMsMax`: what the server says nothing to for so long is lost with the connection; null waits. */
  constructor(place: ServerPlace, answerMsMax: number | null) {
    super();
    this.#place = place;
    if (answerMsMax !== null) this.#endAfter(answerMsMax);
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
    if (this.#hasGreeted) {
      if (statementKinds.has(bytes[0])) {
        this.#isGreeting = false;
        this.#isWaiting = true;
      }
    } else if (isGreeting(bytes)) {
      this.#hasGreeted = true;
      this.#isGreeting = bytes.readUInt32BE(4) === greetings.session;
      this.connect(this.#place);
    } else {
      this.destroy();
      done();
      return;
    }
    super._write(bytes, encoding, done);
  }

  override emit(event: string | symbol, ...given: unknown[]): boolean {
    if (event === "close") {
      if (this.#isGreeting) super.emit("error", closedEarly());
      return super.emit("close", false);
    }
    if (event === "data") this.#isWaiting = false;
    const [bytes] = given;
    if (event === "data" && this.#isGreeting && Buffer.isBuffer(bytes)) return this.#hear(bytes);
    return super.emit(event, ...given);
  }

  /** The socket's own timer starts anew with whatever is written or comes. */
  #endAfter(ms: number): void {
    this.setTimeout(ms);
    this.on("timeout", () => {
      if (this.#isWaiting) this.destroy();
    });
  }

  /** Hands on what the server says to a greeting; a refusal ends the connection instead. */
  #hear(bytes: Buffer): boolean {
    const from = refusalIn(bytes);
    if (from === null) return super.emit("data", bytes);
    if (from > 0) super.emit("data", bytes.subarray(0, from));
    this.destroy(refusalOf(bytes.subarray(from)));
    return true;
  }
}

/** A greeting carries its own length and has nothing before or behind it. */
function isGreeting(bytes: Buffer): boolean {
  if (bytes.length < 8 || bytes.readUInt32BE(0) !== bytes.length) return false;
  return greetingCodes.has(bytes.readUInt32BE(4));
}

/** Where an error message stands in whole messages of the server; null if there is none. */
function refusalIn(bytes: Buffer): number | null {
  for (let from = 0; from + 5 <= bytes.length; from += 1 + bytes.readUInt32BE(from + 1))
    if (bytes[from] === errorKind) return from;
  return null;
}

/** The server's words: fields of one letter and a text, each ended by a zero. */
function refusalOf(message: Buffer): Error {
  const end = Math.min(message.length, 1 + message.readUInt32BE(1));
  const fields = new Map<string, string>();
  for (const field of message.toString("utf8", 5, end).split("\0"))
    if (field.length > 0) fields.set(field.slice(0, 1), field.slice(1));
  const error = new Error(fields.get("M") ?? "the server refused the connection");
  return Object.assign(error, { code: fields.get("C") ?? "08004", severity: fields.get("V") });
}

function closedEarly(): Error {
  const error = new Error("the server closed the connection before its first statement");
  return Object.assign(error, { code: "CONNECTION_CLOSED" });
}
