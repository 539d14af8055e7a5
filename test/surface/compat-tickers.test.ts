// Proves for readers of tickers what markets without a trade and delisted markets show, what the status filter does,
// and how every route treats a row count out of range.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type * as z from "zod";
import { routesOf } from "../../src/adapters/gateway/routes.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { MarketStatus } from "../../src/core/markets.ts";
import { IndexOrigin } from "../../src/core/perpetuals/index-price.ts";
import { marketId } from "../support/machine/test-markets.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;
let key: TestKey;

before(async () => {
  front = await FrontFixture.open();
  key = await front.newTrader();
});
after(() => front.close());

type Row = Record<string, string | number>;

async function get(path: string, parameters: Record<string, string> = {}) {
  const answer = await front.send("GET", path, parameters);
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

async function refusal(path: string, parameters: Record<string, string>) {
  const { status, json } = await front.send("GET", path, parameters);
  return [status, json.code];
}

const namesOf = (rows: readonly Row[]) => rows.map(({ symbol }) => symbol);

/** Returns every field of a row that is a price of zero. */
function zeroPrices(row: Row): string[] {
  const isPrice = /^(p|price|.*Price)$/;
  return Object.entries(row)
    .filter(
      ([name, value]) => isPrice.test(name) && Number(value) === 0 && !/^(bid|ask)/.test(name),
    )
    .map(([name]) => name)
    .filter((name) => name !== "priceChange");
}

const spotTickers = ["ticker/24hr", "ticker/price", "ticker/tradingDay", "ticker"];
const fapiTickers = ["v1/ticker/24hr", "v1/ticker/price", "v2/ticker/price", "v1/premiumIndex"];

test("CMP-11 CMP-34 CMP-33 on compat a market without any price is left out of lists, and by name shows no price", async () => {
  assert.deepEqual(await get("/compat/api/v3/ticker/price"), []);
  assert.deepEqual(await get("/compat/api/v3/ticker/24hr"), []);
  for (const path of fapiTickers) assert.deepEqual(await get(`/compat/fapi/${path}`), [], path);
  for (const path of spotTickers) {
    const row = await get(`/compat/api/v3/${path}`, { symbol: "CC-USDC" });
    assert.equal(row.symbol, "CC-USDC");
    assert.deepEqual(zeroPrices(row), [], path);
    assert.ok(!("price" in row) && !("lastPrice" in row), path);
  }
  for (const path of fapiTickers) {
    const row = await get(`/compat/fapi/${path}`, { symbol: "BTCUSDT" });
    assert.equal(row.symbol, "BTCUSDT");
    assert.deepEqual(zeroPrices(row), [], path);
    assert.ok(!("price" in row) && !("markPrice" in row), path);
  }
  const named = await get("/compat/api/v3/ticker/price", { symbols: '["CC-USDC","CETH-USDC"]' });
  assert.deepEqual(named, [{ symbol: "CC-USDC" }, { symbol: "CETH-USDC" }]);
  const day = await get("/compat/api/v3/ticker/24hr", { symbol: "CC-USDC" });
  assert.deepEqual([day.volume, day.count, day.bidQty], ["0.00000000", 0, "0.00000000"]);
  const average = await get("/compat/api/v3/avgPrice", { symbol: "CC-USDC" });
  assert.deepEqual(Object.keys(average), ["mins", "closeTime"]);
});

test("SPT-22 at the root a market without any price is listed, with zeros", async () => {
  const price = await get("/api/v3/ticker/price", { symbol: "CC-USDC" });
  assert.deepEqual(price, { symbol: "CC-USDC", price: "0.0000" });
  assert.equal((await get("/fapi/v1/premiumIndex")).length, 3);
});

test("CMP-11 without a trade the price is the middle of the book, or the mark for a perpetual", async () => {
  const sides = [
    ["BUY", "0.1400"],
    ["SELL", "0.1500"],
  ] as const;
  front.venue.credit(key.account, 1, 1, 10n ** 14n);
  for (const [side, price] of sides) {
    const order = { symbol: "CC-USDC", side, type: "LIMIT", timeInForce: "GTC", quantity: "1000" };
    const placed = await front.send("POST", "/api/v3/order", { ...order, price }, { key });
    assert.equal(placed.status, 200, placed.text);
  }
  const middle = { symbol: "CC-USDC", price: "0.14500000" };
  assert.deepEqual(await get("/compat/api/v3/ticker/price", { symbol: "CC-USDC" }), middle);
  assert.deepEqual(await get("/compat/api/v3/ticker/price"), [middle]);
  const [day] = await get("/compat/api/v3/ticker/24hr");
  const { lastPrice, openPrice, highPrice, lowPrice, prevClosePrice, weightedAvgPrice } = day;
  assert.deepEqual(
    [lastPrice, openPrice, highPrice, lowPrice, prevClosePrice, Number(weightedAvgPrice)],
    [...Array(5).fill("0.14500000"), 0.145],
  );
  assert.deepEqual([day.priceChange, day.count, day.lastQty], ["0.00000000", 0, "0.00000000"]);
  const average = await get("/compat/api/v3/avgPrice", { symbol: "CC-USDC" });
  assert.equal(Number(average.price), 0.145);
  front.venue.done({
    kind: CommandKind.setReference,
    market: marketId.btcPerp,
    origin: IndexOrigin.feed,
    price: 6_000_000,
    untilUs: front.nowUs() + 60_000_000,
  });
  front.advance(5_000);
  front.venue.machine.handle(front.venue.command({ kind: CommandKind.tick }));
  const premium = await get("/compat/fapi/v1/premiumIndex");
  assert.deepEqual(
    premium.map(({ symbol, markPrice, indexPrice }: Row) => [symbol, markPrice, indexPrice])[0],
    ["BTCUSDT", "60000.00", "60000.00"],
  );
  const last = await get("/compat/fapi/v1/ticker/price", { symbol: "BTCUSDT" });
  assert.equal(last.price, "60000.00");
  const [perpDay] = await get("/compat/fapi/v1/ticker/24hr");
  assert.deepEqual([perpDay.symbol, perpDay.lastPrice, perpDay.count], ["BTCUSDT", "60000.00", 0]);
  assert.equal((await get("/fapi/v1/ticker/price", { symbol: "BTCUSDT" })).price, "0.00");
});

test("CMP-12 SPT-38 delisted markets are left out of ticker lists, but are found by name and by status", async () => {
  const lists = ["/api/v3/ticker/24hr", "/api/v3/ticker/price", "/api/v3/ticker/bookTicker"];
  front.venue.done({
    kind: CommandKind.setMarketStatus,
    market: marketId.ethPerp,
    status: MarketStatus.delisted,
  });
  for (const path of lists) {
    assert.ok(!namesOf(await get(path)).includes("CUSD-USDC"), path);
    const named = await get(path, { symbols: '["CUSD-USDC","CC-USDC"]' });
    assert.deepEqual(namesOf(named), ["CUSD-USDC", "CC-USDC"], path);
    assert.equal((await get(path, { symbol: "CUSD-USDC" })).symbol, "CUSD-USDC");
    const broken = await get(path, { symbolStatus: "BREAK" });
    assert.deepEqual(namesOf(broken), ["CUSD-USDC"], path);
    const trading = { symbols: '["CUSD-USDC","CC-USDC"]', symbolStatus: "TRADING" };
    assert.deepEqual(namesOf(await get(path, trading)), ["CC-USDC"], path);
  }
  for (const path of [...lists, "/api/v3/depth", "/api/v3/ticker", "/api/v3/ticker/tradingDay"]) {
    const mismatch = { symbol: "CUSD-USDC", symbolStatus: "TRADING" };
    assert.deepEqual(await refusal(path, mismatch), [400, -1220], path);
    const match = { symbol: "CUSD-USDC", symbolStatus: "BREAK" };
    assert.equal((await front.send("GET", path, match)).status, 200, path);
    const unheard = { symbol: "CUSD-USDC", symbolStatus: "CANCEL_ONLY" };
    assert.deepEqual(await refusal(path, unheard), [400, -1100], path);
  }
  for (const path of [...fapiTickers, "v1/ticker/bookTicker", "v1/fundingInfo"]) {
    assert.ok(!namesOf(await get(`/compat/fapi/${path}`)).includes("ETHUSDT"), path);
  }
  const one = await get("/compat/fapi/v1/ticker/24hr", { symbol: "ETHUSDT" });
  assert.equal(one.symbol, "ETHUSDT");
});

const rowNames = ["limit", "depth"];

test("LIM-18 on every route a row count below 1 counts as 1, and one above the maximum as the maximum", () => {
  let seen = 0;
  for (const { name: route, reads } of routesOf(true)) {
    const shape = reads?.shape ?? {};
    for (const name of rowNames) {
      const field = (shape as Record<string, z.ZodType>)[name];
      if (field === undefined) continue;
      seen++;
      assert.equal(field.parse("0"), 1, `${route} ${name}`);
      assert.equal(field.parse("-5"), 1, `${route} ${name}`);
      assert.equal(field.parse("999999999"), field.parse("9999999"), `${route} ${name}`);
      for (const bad of ["", "ten", "1.5", "1e3"]) {
        assert.equal(field.safeParse(bad).success, false, `${route} ${name} ${bad}`);
      }
    }
  }
  assert.ok(seen > 30, `only ${seen} row counts were checked`);
});

test("LIM-18 a request with a row count out of range is answered", async () => {
  const request = { symbol: "CC-USDC", limit: "0" };
  assert.equal((await get("/api/v3/depth", request)).bids.length, 1);
  assert.deepEqual(await get("/api/v3/trades", { ...request, limit: "-1" }), []);
  assert.deepEqual(await refusal("/api/v3/depth", { ...request, limit: "x" }), [400, -1100]);
});
