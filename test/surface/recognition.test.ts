// Proves that answers have the fields by which clients distinguish spot from perpetuals (CNF-9): ccxt takes an order
// with `positionSide` for a perpetual's, and a trade with `M` for a spot trade.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;
let key: TestKey;

before(async () => {
  front = await FrontFixture.open();
  key = await front.newTrader();
  const other = front.venue.fund(10n ** 13n);
  front.venue.credit(other, Wallet.spot, 1, 10n ** 15n);
  front.venue.sell(other, 0, 1500, 5000);
  front.venue.sell(other, 4, 6_000_000, 100);
});
after(() => front.close());

const views = ["", "/compat"];

async function get(path: string): Promise<Record<string, unknown>> {
  const { status, json } = await front.send("GET", path);
  assert.equal(status, 200, path);
  return Array.isArray(json) ? json.at(-1) : json;
}

test("CMP-7 CNF-9 orders of perpetuals have positionSide and cumQuote, and spot orders have neither", async () => {
  for (const view of views) {
    const terms = { side: "BUY", type: "MARKET" };
    const spot = { ...terms, symbol: "CC-USDC", quantity: 100 };
    const perp = { ...terms, symbol: "BTCUSDT", quantity: 0.01, newOrderRespType: "RESULT" };
    const bought = (await front.send("POST", `${view}/api/v3/order`, spot, { key })).json;
    const opened = (await front.send("POST", `${view}/fapi/v1/order`, perp, { key })).json;
    assert.deepEqual([bought.status, opened.status], ["FILLED", "FILLED"]);
    for (const field of ["positionSide", "cumQuote"]) {
      assert.ok(!(field in bought) && field in opened, field);
    }
  }
});

test("CMP-7 CNF-9 spot trades have M, spot tickers have the best prices, and perpetual prices have a time", async () => {
  for (const view of views) {
    const [spot, perp] = [`${view}/api/v3`, `${view}/fapi/v1`];
    const has = async (path: string, field: string) => field in (await get(path));
    assert.equal(await has(`${spot}/aggTrades?symbol=CC-USDC`, "M"), true);
    assert.equal(await has(`${perp}/aggTrades?symbol=BTCUSDT`, "M"), false);
    assert.equal(await has(`${spot}/ticker/24hr?symbol=CC-USDC`, "bidQty"), true);
    assert.equal(await has(`${perp}/ticker/24hr?symbol=BTCUSDT`, "bidQty"), false);
    for (const route of ["ticker/price", "ticker/bookTicker"]) {
      assert.equal(await has(`${spot}/${route}?symbol=CC-USDC`, "time"), false);
      assert.equal(await has(`${perp}/${route}?symbol=BTCUSDT`, "time"), true);
    }
  }
});
