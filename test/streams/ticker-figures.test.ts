// Proves that ticker streams and REST show the same figures of a window.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { FrontFixture } from "../surface/front-fixture.ts";
import { StreamClient } from "./stream-client.ts";

let front: FrontFixture;
const clients: StreamClient[] = [];

before(async () => {
  front = await FrontFixture.open({ isLive: true });
});
after(() => {
  for (const client of clients) client.close();
  front.close();
});

async function trade(path: string, symbol: string, price: string, quantity: string) {
  for (const side of ["SELL", "BUY"]) {
    const key = await front.newTrader();
    for (const asset of [0, 1]) front.venue.credit(key.account, Wallet.spot, asset, 10n ** 14n);
    const order = { symbol, side, type: "LIMIT", timeInForce: "GTC", quantity, price };
    const answer = await front.send("POST", path, order, { key });
    assert.equal(answer.status, 200, answer.text);
  }
}

test("STR-16 STR-37 averages and changes in ticker streams have as many decimals as by REST", async () => {
  // The prices change by one part in 1,500, and their average lies between two ticks.
  await trade("/api/v3/order", "CC-USDC", "0.1500", "100.0");
  await trade("/api/v3/order", "CC-USDC", "0.1501", "200.0");
  await trade("/fapi/v1/order", "CCUSDT", "0.15", "100");
  await trade("/fapi/v1/order", "CCUSDT", "0.16", "200");
  const figures = [
    ["", "/api/v3/ticker/24hr?symbol=CC-USDC", "cc-usdc@ticker", "0.15006666"],
    ["/compat", "/api/v3/ticker/24hr?symbol=CC-USDC", "cc-usdc@ticker", "0.15006666"],
    ["/compat", "/api/v3/ticker?symbol=CC-USDC&windowSize=1h", "cc-usdc@ticker_1h", "0.15006666"],
    ["/compat", "/fapi/v1/ticker/24hr?symbol=CCUSDT", "ccusdt@ticker", "0.15666700"],
  ] as const;
  const compare = async ([view, rest, stream, average]: (typeof figures)[number]) => {
    const answer = await fetch(`${front.base}${view}${rest}`);
    const requested = (await answer.json()) as Record<string, string>;
    const url = `${front.base.replace("http", "ws")}${view}/ws/${stream}`;
    const client = await StreamClient.open(url);
    clients.push(client);
    const told = await client.next(({ w }) => w !== undefined);
    assert.equal(told.w, average, `${view}/${stream}`);
    const { weightedAvgPrice, priceChangePercent } = requested;
    assert.deepEqual([told.w, told.P], [weightedAvgPrice, priceChangePercent], `${view}/${stream}`);
  };
  // Frames come once a second, for all at the same time.
  await Promise.all(figures.map(compare));
});
