// Sends orders one at a time to two endpoints in turn, so that a busy machine delays both alike. The difference of two
// medians is then meaningful on shared cores, where medians of separate runs are not.

import { EventEmitter, once } from "node:events";
import { type Endpoint, HttpConnection } from "../../src/tools/load/http-connection.ts";
import type { LoadKey } from "../../src/tools/load/signed-requests.ts";
import { SpotFlow } from "../../src/tools/load/spot-flow.ts";
import { median } from "../report/median.ts";
import { standardMarkets } from "./standard-markets.ts";

export interface PairedOrders {
  /** Latency of each order in ms, at the two endpoints. */
  readonly ms: readonly [one: readonly number[], other: readonly number[]];
  /** Median of the differences between an order at the second endpoint and the order before it at the first, in ms. */
  readonly addedMs: number;
}

/** Sends `pairs` orders to each endpoint. Throws if an order is not placed. */
export async function sendInTurn(
  endpoints: readonly [Endpoint, Endpoint],
  keys: readonly LoadKey[],
  pairs: number,
): Promise<PairedOrders> {
  const host = "127.0.0.1";
  const shares = { crossingShare: 0.3, cancelShare: 0 };
  const flow = new SpotFlow({ keys, markets: standardMarkets, host, ...shares, seed: 20260101 });
  const answered = new EventEmitter();
  const listener = {
    onResponse: ({ index }: HttpConnection, status: number, body: Buffer) => {
      const endMs = performance.now();
      flow.answered(index, status, body);
      answered.emit("answer", endMs);
    },
    onLost: () => answered.emit("error", new Error("a connection of the measurement was lost")),
  };
  const connections = await Promise.all(
    endpoints.map((endpoint, index) => HttpConnection.open(endpoint, index, listener)),
  );
  const ms: [number[], number[]] = [[], []];
  for (let pair = 0; pair < pairs; pair++) {
    for (const [index, connection] of connections.entries()) {
      const request = flow.next(index);
      const end = once(answered, "answer");
      const startMs = performance.now();
      connection.send(request);
      const [endMs] = (await end) as [number];
      ms[index as 0 | 1].push(endMs - startMs);
    }
  }
  for (const connection of connections) connection.close();
  const { refused, limited, unavailable, unknown } = flow.counts;
  if (refused + limited + unavailable + unknown > 0)
    throw new Error(`orders were not placed: ${JSON.stringify(flow.counts)} ${flow.lastRefusal}`);
  return { ms, addedMs: median(ms[1].map((other, index) => other - (ms[0][index] ?? 0))) };
}
