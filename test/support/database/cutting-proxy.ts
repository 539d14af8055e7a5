// A proxy between clients and a real PostgreSQL server. On request it breaks connections as a dying server does: after
// one row of an answer, at a chosen statement, or all connections at once, with or without a reset.

import assert from "node:assert/strict";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { PostgresConnectionOptions } from "../../../src/adapters/postgres/connection.ts";

type HostOptions = Extract<PostgresConnectionOptions, { readonly host: string }>;

/** Type of the PostgreSQL message that carries a row. */
const dataRow = "D".charCodeAt(0);
/** Types of the client messages that end a statement: query and sync. */
const statementEnds: ReadonlySet<number | undefined> = new Set(Buffer.from("QS"));
/** The last message of each answer, which says that the server is ready for the next statement. */
const readyMessage = Buffer.from("Z\0\0\0\x05");

/**
 * When a connection is cut: "asked" before the server gets the statement, or "answered" after the server has answered,
 * with the answer lost.
 */
export type CutPoint = "asked" | "answered";

export class CuttingProxy {
  /** Whether to cut the next answer that has a row, after its first row. */
  isCutting = false;
  cuts = 0;
  /** Connections accepted so far. */
  calls = 0;
  /** Statements sent so far. */
  statements = 0;
  /** The cut of one connection, at the statement with this number. */
  #cutting: { readonly statement: number; readonly place: CutPoint } | null = null;
  readonly #server: Server;
  readonly #behind: HostOptions;
  readonly #clients = new Set<Socket>();
  /** Connections whose answers are withheld; null while no answers are withheld. */
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

  /** Returns options to connect to the same database through the proxy. */
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

  /** Cuts the connection of the statement that comes `count` statements from now. */
  cutAt(count: number, place: CutPoint): void {
    this.#cutting = { statement: this.statements + count, place };
  }

  /** Withholds all answers from now on; resolves when `count` connections wait for one. */
  async hold(count: number): Promise<void> {
    const held = new Set<Socket>();
    this.#held = held;
    while (held.size < count) await new Promise<void>((resolve) => setImmediate(resolve));
  }

  /** Cuts every current connection at once; serves later connections again. */
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

/** Parses the messages of one client from pieces of any size. */
class ClientMessages {
  #rest: Buffer = Buffer.alloc(0);
  #isGreeted = false;

  /** Yields the types of the messages that these bytes complete; undefined for the startup message. */
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

/** Returns the offset of the end of the first row in whole server messages; 0 if there is none. */
function endOfFirstRow(bytes: Buffer): number {
  for (let from = 0; from + 5 <= bytes.length; ) {
    const end = from + 1 + bytes.readUInt32BE(from + 1);
    if (bytes[from] === dataRow) return end;
    from = end;
  }
  return 0;
}
