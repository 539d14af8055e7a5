// Existing clients on the compat view, which subscribe by requests (binance-compat 7).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { WebsocketClient } from "binance";
import { pro } from "ccxt";
import { Wallet } from "../../src/core/accounts.ts";
import { FrontFixture } from "../surface/front-fixture.ts";
import type { Frame } from "./stream-client.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open({ isLive: true });
});
after(() => front.close());

const quiet = { info() {}, warn() {}, error() {}, debug() {}, log() {}, trace() {} };

/** Makes a trade every so often until `isDone`. */
async function tradeUntil(isDone: () => boolean): Promise<void> {
  const seller = front.venue.fund(10n ** 13n);
  front.venue.credit(seller, Wallet.spot, 1, 10n ** 15n);
  const buyer = front.venue.fund(10n ** 13n);
  const endMs = Date.now() + 10_000;
  while (!isDone()) {
    assert.ok(Date.now() < endMs, "the client heard in time");
    front.venue.sell(seller, 0, 1500, 1000);
    front.venue.buy(buyer, 0, 1500, 900);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test("STR-15 the client of binance subscribes by request", async () => {
  const base = front.base.replace("http", "ws");
  const client = new WebsocketClient({ wsUrl: `${base}/compat` }, quiet);
  const frames: Frame[] = [];
  client.on("message", (frame) => frames.push(frame));
  client.on("exception", () => {});
  void client.subscribe(["cc-usdc@trade", "cc-usdc@bookTicker", "cc-usdc@depth@100ms"], "main");
  const payloads = () => frames.map((frame) => frame.data ?? frame);
  await tradeUntil(
    () =>
      payloads().some(({ e }) => e === "trade") && payloads().some(({ e }) => e === "depthUpdate"),
  );
  client.closeAll(true);
});

test("STR-15 ccxt.pro watches tickers, trades and candles", async () => {
  const exchange = proOf();
  await exchange.loadHttpProxyAgent();
  const heard: string[] = [];
  void exchange.watchTicker("CC/USDC").then(({ last }) => heard.push(`ticker ${last}`));
  void exchange.watchTrades("CC/USDC").then((trades) => heard.push(`trade ${trades[0]?.amount}`));
  await tradeUntil(() => heard.length === 2);
  assert.equal(heard.sort()[0], "ticker 0.15");
  assert.match(heard[1] ?? "", /^trade \d+$/);
  await exchange.close();
});

/** ccxt.pro with every address pointed at the compat view. */
export function proOf(more: Record<string, string> = {}) {
  const exchange = new pro.binance({
    ...more,
    rateLimit: 5,
    options: { fetchCurrencies: false, fetchMargins: false, fetchMarkets: { types: ["spot"] } },
  });
  const at = (base: string, url: string) => url.replace(/^[a-z]+:\/\/[^/]+/, base);
  const api = exchange.urls["api"] as Record<string, unknown>;
  for (const [name, url] of Object.entries(api)) {
    if (typeof url === "string") api[name] = at(`${front.base}/compat`, url);
  }
  const sockets = `${front.base.replace("http", "ws")}/compat`;
  const ws = api["ws"] as Record<string, unknown>;
  for (const name of ["spot", "margin", "future", "delivery"]) ws[name] = `${sockets}/ws`;
  ws["ws-api"] = { spot: `${sockets}/ws-api/v3`, future: `${sockets}/ws-fapi/v1` };
  return exchange;
}
