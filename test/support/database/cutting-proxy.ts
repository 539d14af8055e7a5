// Stands between clients and a real PostgreSQL server, hands bytes on, and loses connections when told to, in
// the ways a server that dies does: behind a row of an answer, or all at once with or without a reset.

import assert from "node:assert/strict";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { PostgresConnectionOptions } from "../../../src/adapters/postgres/connection.ts";

type HostOptions = Extract<PostgresConnectionOptions, { readonly host: string }>;

/** Kind of the message that carries a row, in the protocol of PostgreSQL. */
const dataRow = "D".charCodeAt(0);
/** Kinds of the messages that end a statement: query, sync. */
const statementEnds: ReadonlySet<number | undefined> = new Set(Buffer.from("QS"));
/** The last message of each answer: ready for the next statement. */
const readyMessage = Buffer.from("Z\0\0\0\x05");

/** Where a connection is lost: before the server hears of a statement, or with its whole answer. */
export type CutPoint = "asked" | "answered";

export class CuttingProxy {
  /** The next answer with a row is cut off behind its first. */
  isCutting = false;
  cuts = 0;
  /** Connections that were taken so far. */
  calls = 0;
  /** Statements that were sent so far. */
  statements = 0;
  /** Of one connection, by `statements`. */
  #cutting: { readonly statement: number; readonly place: CutPoint } | null = null;
  readonly #server: Server;
  readonly #behind: HostOptions;
  readonly #clients = new Set<Socket>();
  /** Connections whose answers are kept back; null while none are. */
  #held: Set<Socket> | null = null;

  static async open(behind: PostgresConnectionOptions): Promise<CuttingProxy> {
    assert("host" in behind);
    const { host, port } = behind;
    const path = `${host}/.s.PGSQL.${port}`;
    const place = host.startsWith("/") ? { path } : { host, port };
    const server = createServer((client) => proxy.#join(client, connect(place)));
    const proxy = new CuttingProxy(server, behind);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  private constructor(server: Server, behind: HostOptions) {
    this.#server = server;
    this.#behind = behind;
  }

  /** Where a client finds the same database through here. */
  get options(): PostgresConnectionOptions {
    const address = this.#server.address();
    assert(typeof address === "object" && address !== null);
    return { ...this.#behind, host: "127.0.0.1", port: address.port };
  }

  #join(client: Socket, upstream: Socket): void {
    this.calls += 1;
    this.#clients.add(client);
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
    const heard = new ClientMessages();
    let isAnswerLost = false;
    const lose = () => {
      this.#cutting = null;
      this.cuts += 1;
      client.destroy();
      upstream.destroy();
    };
    client.on("data", (bytes) => {
      for (const kind of heard.kindsIn(bytes)) {
        if (!statementEnds.has(kind)) continue;
        this.statements += 1;
        if (this.statements !== this.#cutting?.statement) continue;
        if (this.#cutting.place === "asked") return lose();
        isAnswerLost = true;
      }
      upstream.write(bytes);
    });
    client.on("end", () => upstream.end());
    upstream.on("end", () => client.end());
    upstream.on("data", (bytes) => {
      if (isAnswerLost) {
        if (bytes.subarray(-6, -1).equals(readyMessage)) lose();
        return;
      }
      if (this.#held !== null) {
        this.#held.add(client);
        return;
      }
      const end = this.isCutting ? endOfFirstRow(bytes) : 0;
      if (end === 0) {
        client.write(bytes);
        return;
      }
      this.isCutting = false;
      this.cuts += 1;
      client.end(bytes.subarray(0, end), () => client.destroy());
      upstream.destroy();
    });
    upstream.on("close", () => client.destroy());
    client.on("close", () => {
      this.#clients.delete(client);
      upstream.destroy();
    });
  }

  /** Loses the connection of the statement that comes `count` statements from now. */
  cutAt(count: number, place: CutPoint): void {
    this.#cutting = { statement: this.statements + count, place };
  }

  /** Keeps back every answer from now on, and resolves when `count` connections wait for one. */
  async hold(count: number): Promise<void> {
    const held = new Set<Socket>();
    this.#held = held;
    while (held.size < count) await new Promise<void>((resolve) => setImmediate(resolve));
  }

  /** Loses every connection at once, whatever it does; those to come are served again. */
  lose(how: "cut" | "reset"): void {
    this.#held = null;
    for (const client of this.#clients) {
      if (how === "reset") client.resetAndDestroy();
      else client.destroy();
    }
  }

  async close(): Promise<void> {
    this.lose("cut");
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The messages of one client, whose bytes come in any pieces. */
class ClientMessages {
  #rest: Buffer = Buffer.alloc(0);
  #isGreeted = false;

  /** Kinds of the messages that are whole with these bytes; the greeting has none. */
  *kindsIn(bytes: Buffer): Generator<number | undefined> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const kindBytes = this.#isGreeted ? 1 : 0;
      if (this.#rest.length < kindBytes + 4) return;
      const end = kindBytes + this.#rest.readUInt32BE(kindBytes);
      if (this.#rest.length < end) return;
      const kind = this.#isGreeted ? this.#rest[0] : undefined;
      this.#rest = this.#rest.subarray(end);
      this.#isGreeted = true;
      yield kind;
    }
  }
}

/** Where the first row ends in whole messages of the server; 0 if there is none. */
function endOfFirstRow(bytes: Buffer): number {
  for (let from = 0; from + 5 <= bytes.length; ) {
    const end = from + 1 + bytes.readUInt32BE(from + 1);
    if (bytes[from] === dataRow) return end;
    from = end;
  }
  return 0;
}
