// Proves that ccxt understands what happens to it at a venue's second address as it would at Binance: storms of refusals, a
// clock that is off, and depth that is late or has gaps. Afterwards it trades as before.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ExchangeError, InvalidNonce, NetworkError } from "ccxt";
import { until } from "../epochs/epoch-waits.ts";
import { ccxtProAt } from "../support/client/ccxt-pro.ts";
import { FaultScene, restingOrder } from "./fault-scene.ts";

type Exchange = ReturnType<typeof ccxtProAt>;
const waitMs = 60_000;
const spot = "CC/USDC";
const perpetual = "BTC/USDT:USDT";

let scene: FaultScene;
const exchanges: Exchange[] = [];

before(async () => {
  scene = await FaultScene.open();
});
after(async () => {
  for (const exchange of exchanges) await exchange.close();
  await scene.close();
});

/** A client with a key whose markets are loaded. */
async function opened(
  type: "spot" | "linear",
  options: Readonly<Record<string, unknown>> = {},
): Promise<Exchange> {
  const { key: apiKey, secret } = scene.trader;
  const exchange = ccxtProAt(scene.address, { type, more: { apiKey, secret }, options });
  exchanges.push(exchange);
  await exchange.loadHttpProxyAgent();
  await exchange.loadMarkets();
  return exchange;
}

/** Places a small order that rests, and returns its id. */
async function place(exchange: Exchange, symbol: string): Promise<string> {
  const terms: [number, number] = symbol === spot ? [100, 0.1] : [0.01, 20_000];
  const { id = "" } = await exchange.createOrder(symbol, "limit", "buy", ...terms);
  return id;
}

for (const [type, symbol] of [
  ["spot", spot],
  ["linear", perpetual],
] as const) {
  test(`REW-39 ccxt takes storms of refusals on ${symbol} for what they are, and goes on after them`, async () => {
    const exchange = await opened(type);
    for (const [status, kind] of [
      [429, NetworkError],
      [418, NetworkError],
      // ccxt has another class for this code, but knows it only at Binance's own addresses.
      [503, ExchangeError],
    ] as const) {
      await scene.apply([{ kind: "refuse", status, retry_after_s: 1 }]);
      await assert.rejects(place(exchange, symbol), kind, `${status} of an order`);
      await assert.rejects(exchange.fetchOrderBook(symbol), kind, `${status} of depth`);
      await assert.rejects(exchange.fetchBalance(), kind, `${status} of the balance`);
    }
    await scene.clear();
    assert.deepEqual(await exchange.fetchOpenOrders(symbol), []);
    const id = await place(exchange, symbol);
    await exchange.cancelOrder(id, symbol);
  });

  test(`REW-42 ccxt is refused on ${symbol} while a clock is skewed, unless it corrects its own`, async () => {
    const plain = await opened(type);
    const corrected = await opened(type, { adjustForTimeDifference: true });
    for (const by_ms of [-4_400, 800]) {
      await scene.apply([{ kind: "clock-skew", by_ms }]);
      if (by_ms < 0) await assert.rejects(place(plain, symbol), InvalidNonce);
      await corrected.loadTimeDifference();
      const id = await place(corrected, symbol);
      await corrected.cancelOrder(id, symbol);
      if (symbol !== spot) continue;
      const { id: bySession = "" } = await corrected.createOrderWs(spot, "limit", "buy", 100, 0.1);
      await corrected.cancelOrderWs(bySession, spot);
    }
    await scene.clear();
    const id = await place(plain, symbol);
    await plain.cancelOrder(id, symbol);
  });
}

/** Places an order past the proxy, so that the book changes; now and then all are cancelled before. It leaves an order. */
async function changeBook(count: number): Promise<void> {
  const terms = { ...restingOrder(`ccxt-${count}`), price: `0.1${(count % 90) + 10}` };
  const symbol = terms.symbol;
  if (count % 20 === 19)
    await scene.venue.signed(scene.other, "DELETE", "/compat/api/v3/openOrders", { symbol });
  await scene.venue.signed(scene.other, "POST", "/compat/api/v3/order", terms);
}

/**
 * Watches the book, which changes meanwhile, until `isEnough` of what has arrived. Opens it anew after an error, as ccxt's
 * users do; returns the errors.
 */
async function watched(
  exchange: Exchange,
  isEnough: (updates: number, errors: number) => boolean,
): Promise<Error[]> {
  const errors: Error[] = [];
  let updates = 0;
  let isOver = false;
  let changes = 0;
  const change = async () => {
    for (; !isOver; changes++) {
      await changeBook(changes);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  };
  const changing = change();
  const untilMs = Date.now() + waitMs;
  while (!isEnough(updates, errors.length) && Date.now() < untilMs) {
    await exchange.watchOrderBook(spot).then(
      () => updates++,
      (error: Error) => errors.push(error),
    );
  }
  isOver = true;
  await changing;
  await changeBook(changes);
  return errors;
}

async function isVenuesBook(exchange: Exchange): Promise<true | null> {
  const answer = await fetch(`${scene.venue.address}/compat/api/v3/depth?symbol=CC-USDC&limit=100`);
  const { bids } = (await answer.json()) as { readonly bids: readonly (readonly string[])[] };
  const own = (exchange.orderbooks[spot]?.bids ?? []) as readonly (readonly number[])[];
  const rows = (side: readonly (readonly unknown[])[]) =>
    JSON.stringify(side.map((row) => [Number(row[0]), Number(row[1])]));
  return bids.length > 0 && rows(own) === rows(bids) ? true : null;
}

test("REW-40 ccxt's book is whole although depth is late, and equals the venue's in the end", async () => {
  await scene.apply([{ kind: "stale-depth", delay_ms: 500 }]);
  const exchange = await opened("spot");
  assert.deepEqual(await watched(exchange, (updates) => updates >= 10), []);
  await until("ccxt's book to be the venue's", () => isVenuesBook(exchange), waitMs);
  await scene.clear();
});

test("REW-40 ccxt notices gaps in depth, and has the venue's book again afterwards", async () => {
  await scene.apply([{ kind: "gap-depth", rate: 0.4 }]);
  const exchange = await opened("spot");
  const errors = await watched(exchange, (_, faults) => faults > 0);
  assert(errors.length > 0);
  for (const { message } of errors) assert.match(message, /nonce|checksum/i);
  await scene.clear();
  await watched(exchange, (updates) => updates >= 3);
  await until("ccxt's book to be the venue's", () => isVenuesBook(exchange), waitMs);
});
