// WebSocket order connections of makers that cancel on disconnect, and the time from their loss to the commit of the last
// cancel. The commit is seen in the journal table, which is read again and again, so a reading is late by at most one
// such read.

import { createHmac } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { WebSocket } from "ws";
import type { Sql } from "../../src/adapters/postgres/connection.ts";
import { EventKind } from "../../src/core/generated/events.ts";
import { CloseReason } from "../../src/core/orders.ts";
import type { Endpoint } from "../../src/tools/load/http-connection.ts";
import { type LoadKey, virtualAddress } from "../../src/tools/load/signed-requests.ts";

/** Ways in which a connection is lost. */
export const losses = {
  "close frame": (socket: WebSocket) => socket.close(),
  FIN: (socket: WebSocket) => tcpOf(socket).end(),
  RST: (socket: WebSocket) => tcpOf(socket).resetAndDestroy(),
} as const;

const waitMsMax = 30_000;

function tcpOf(socket: WebSocket): Socket {
  return (socket as unknown as { readonly _socket: Socket })._socket;
}

/** One connection that has logged on with `cancelOnDisconnect`. */
export class OrderConnection {
  readonly socket: WebSocket;
  readonly #answers = new Map<number, (answer: { status: number }) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("error", () => undefined);
    socket.on("message", (data) => {
      const answer = JSON.parse(String(data)) as { id: number; status: number };
      this.#answers.get(answer.id)?.(answer);
      this.#answers.delete(answer.id);
    });
  }

  static async open(
    { host, port }: Endpoint,
    { account, key, secret }: LoadKey,
  ): Promise<OrderConnection> {
    const url = `ws://${host}:${port}/compat/ws-api/v3?returnRateLimits=false`;
    // Each account has an address of its own, because the venue also limits requests per address.
    const headers = { "X-Forwarded-For": virtualAddress(account) };
    const socket = new WebSocket(url, { headers });
    await once(socket, "open");
    const connection = new OrderConnection(socket);
    const params = { apiKey: key, cancelOnDisconnect: true, timestamp: Date.now() };
    const text = Object.entries(params).map(([name, value]) => `${name}=${value}`);
    const signature = createHmac("sha256", secret).update(text.join("&")).digest("hex");
    await connection.#call("session.logon", { ...params, signature });
    return connection;
  }

  /** Places `count` orders that rest far below the market; throws if one is refused. */
  async place(count: number): Promise<void> {
    const order = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
    const terms = { ...order, quantity: "200.0", newOrderRespType: "ACK" };
    for (let at = 0; at < count; at++) {
      const price = ((900 + at) / 10_000).toFixed(4);
      await this.#call("order.place", { ...terms, price, timestamp: Date.now() });
    }
  }

  async #call(method: string, params: object): Promise<void> {
    const id = ++this.#lastId;
    const answer = new Promise<{ status: number }>((resolve) => this.#answers.set(id, resolve));
    this.socket.send(JSON.stringify({ id, method, params }));
    const told = await answer;
    if (told.status !== 200) throw new Error(`${method} was refused: ${JSON.stringify(told)}`);
  }
}

/** Loses connections with `orders` orders together; returns the ms until the last cancel is committed. */
export async function msToLastCancel(
  sql: Sql,
  { orders, lose }: { readonly orders: number; readonly lose: () => void },
): Promise<number> {
  const [head] = await sql<{ last_seq: string }[]>`select last_seq from journal_head`;
  const from = Number(head?.last_seq ?? 0);
  const startedMs = performance.now();
  lose();
  while (performance.now() - startedMs < waitMsMax) {
    const [{ closed = "0" } = {}] = await sql<{ closed: string }[]>`
      select count(*) as closed from journal where seq > ${from} and kind = ${EventKind.orderClosed}`;
    const ms = performance.now() - startedMs;
    if (Number(closed) >= orders) return ms;
  }
  throw new Error(
    `not all of ${orders} orders were cancelled (reason ${CloseReason.disconnected})`,
  );
}
