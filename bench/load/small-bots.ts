// Small trading programs, as their authors write them: each places a limit order away from the price over plain HTTP, waits for
// the answer, cancels it, and waits a little. The time from request to answer of the orders is what they see of the venue.

import { setTimeout as sleep } from "node:timers/promises";
import { createLoadKey, fundLoadAccount } from "../../src/tools/load/load-accounts.ts";
import type { LoadKey } from "../../src/tools/load/signed-requests.ts";
import { signedFetch } from "../../test/support/client/signed-fetch.ts";

/** Each bot places three orders a second, far below what an account may. */
const pauseMs = 330;

export interface BotMarket {
  /** The venue's URL. */
  readonly address: string;
  readonly symbol: string;
  /** A price at which an order to buy rests. */
  readonly price: string;
  readonly quantity: string;
}

/** Accounts of `count` bots, with money. */
export async function botKeys(dataDir: string, count: number): Promise<readonly LoadKey[]> {
  const keys: LoadKey[] = [];
  for (let bot = 0; bot < count; bot++) {
    const key = await createLoadKey(dataDir, { type: "standard", label: `bot ${bot}` });
    await fundLoadAccount(dataDir, key.account, [["perp", "USDC", "1000000"]]);
    keys.push(key);
  }
  return keys;
}

/** Lets the bots trade for a while; returns the ms of all orders until their acknowledgement. Throws what is refused. */
export async function runBots(
  keys: readonly LoadKey[],
  market: BotMarket,
  forMs: number,
): Promise<number[]> {
  const untilMs = performance.now() + forMs;
  const latencies: number[] = [];
  const bot = async (key: LoadKey, at: number) => {
    await sleep((at * pauseMs) / keys.length);
    for (; performance.now() < untilMs; await sleep(pauseMs))
      latencies.push(await order(key, market));
  };
  await Promise.all(keys.map(bot));
  return latencies;
}

async function order(key: LoadKey, { address, symbol, price, quantity }: BotMarket) {
  const path = "/compat/fapi/v1/order";
  const terms = { symbol, side: "BUY", type: "LIMIT", timeInForce: "GTC", price, quantity };
  const startMs = performance.now();
  const placed = await signedFetch<{ readonly orderId: number }>(address, key, {
    ...{ method: "POST", path, parameters: terms },
  });
  const ms = performance.now() - startMs;
  if (placed.status !== 200) throw new Error(`an order: ${JSON.stringify(placed.json)}`);
  const parameters = { symbol, orderId: placed.json.orderId };
  const gone = await signedFetch(address, key, { method: "DELETE", path, parameters });
  if (gone.status !== 200) throw new Error(`a cancel: ${JSON.stringify(gone.json)}`);
  return ms;
}
