// Stands between clients and a real PostgreSQL server, hands bytes on, and loses connections when told to, in
// the ways a server that dies does: behind a row of an answer, or all at once with or without a reset.

import assert from "node:assert/strict";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { PostgresConnectionOptions } from "../../src/adapters/postgres/connection.ts";

type HostPlace = Extract<PostgresConnectionOptions, { readonly host: string }>;

/** Kind of the message that carries a row, in the protocol of PostgreSQL. */
const dataRow = "D".charCodeAt(0);

export class CuttingProxy {
  /** The next answer with a row is cut off behind its first. */
  isCutting = false;
  cuts = 0;
  /** Connections that were taken so far. */
  calls = 0;
  readonly #server: Server;
  readonly #behind: HostPlace;
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

  private constructor(server: Server, behind: HostPlace) {
    this.#server = server;
    this.#behind = behind;
  }

  /** Where a client finds the same database through here. */
  get place(): PostgresConnectionOptions {
    const address = this.#server.address();
    assert(typeof address === "object" && address !== null);
    return { ...this.#behind, host: "127.0.0.1", port: address.port };
  }

  #join(client: Socket, upstream: Socket): void {
    this.calls += 1;
    this.#clients.add(client);
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
    client.pipe(upstream);
    upstream.on("data", (bytes) => {
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

/** Where the first row ends in whole messages of the server; 0 if there is none. */
function endOfFirstRow(bytes: Buffer): number {
  for (let from = 0; from + 5 <= bytes.length; ) {
    const end = from + 1 + bytes.readUInt32BE(from + 1);
    if (bytes[from] === dataRow) return end;
    from = end;
  }
  return 0;
}
