// Proves trading of a perpetual whose tick is finer than the two decimals in the root's listing: which prices each view
// accepts, and that every answer shows a price exactly.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

async function newTrader(): Promise<TestKey> {
  front.advance(60_000);
  return front.newTrader();
}

const limit = { symbol: "CCUSDT", type: "LIMIT", timeInForce: "GTC", quantity: "100" };
const root = "/fapi/v1/order";
const compat = "/compat/fapi/v1/order";
const tooPrecise = {
  code: -1111,
  msg: "Precision is over the maximum defined for this asset.",
};

test("FAP-2 FAP-48 FAP-62 the root lists two decimals for every perpetual, and compat and native list the tick", async () => {
  const [own, full, native] = await Promise.all(
    ["/fapi/v1/exchangeInfo", "/compat/fapi/v1/exchangeInfo", "/v1/markets"].map(
      async (path) => (await front.send("GET", path, {})).json,
    ),
  );
  const named = ({ symbols }: { symbols: { symbol: string }[] }): Record<string, unknown> =>
    symbols.find(({ symbol }) => symbol === "CCUSDT") ?? {};
  assert.equal(named(own)["pricePrecision"], 2);
  assert.equal(named(full)["pricePrecision"], 4);
  const [filter] = named(full)["filters"] as Record<string, string>[];
  const { filterType, tickSize, minPrice } = filter ?? {};
  assert.deepEqual([filterType, tickSize, minPrice], ["PRICE_FILTER", "0.0001", "0.0001"]);
  const listed = native.find(({ symbol }: { symbol: string }) => symbol === "CC-PERP");
  assert.deepEqual([listed.tick_size, listed.min_qty], ["0.0001", "0.001"]);
});

test("FAP-48 FAP-62 the root accepts prices of at most two decimals in every field of an order, and compat accepts the tick's", async () => {
  const key = await newTrader();
  const fine = { ...limit, side: "BUY", price: "0.1234" };
  const stop = { symbol: "CCUSDT", side: "SELL", type: "STOP_MARKET", quantity: "100" };
  const trailing = { ...stop, type: "TRAILING_STOP_MARKET", callbackRate: "1" };
  for (const order of [
    fine,
    { ...stop, stopPrice: "0.1234" },
    { ...trailing, activationPrice: "0.1234" },
  ]) {
    const refused = await front.send("POST", root, order, { key });
    assert.deepEqual([refused.status, refused.json], [400, tooPrecise]);
    const tried = await front.send("POST", `${root}/test`, order, { key });
    assert.equal(tried.status, 501, "The root must have no order/test");
    const batch = { batchOrders: JSON.stringify([order]) };
    const rows = (await front.send("POST", "/fapi/v1/batchOrders", batch, { key })).json;
    assert.deepEqual(rows, [tooPrecise]);
    const allowed = await front.send("POST", `${compat}/test`, order, { key });
    assert.deepEqual([allowed.status, allowed.json], [200, {}]);
  }
  // Trailing zeros do not count as decimals.
  const plain = await front.send("POST", root, { ...fine, price: "0.1200" }, { key });
  assert.deepEqual([plain.status, plain.json.price], [200, "0.1200"]);
  const { orderId } = plain.json;
  const named = { symbol: "CCUSDT", orderId: String(orderId), side: "BUY", quantity: "100" };
  const finer = await front.send("PUT", root, { ...named, price: "0.1201" }, { key });
  assert.deepEqual([finer.status, finer.json], [400, tooPrecise]);
  const moved = await front.send("PUT", compat, { ...named, price: "0.1201" }, { key });
  assert.deepEqual([moved.status, moved.json.price], [200, "0.1201"]);
  const beyond = await front.send("POST", compat, { ...fine, price: "0.12345" }, { key });
  assert.deepEqual([beyond.status, beyond.json.code], [400, -1111]);
  assert.deepEqual(
    [beyond.json.hint.step, beyond.json.hint.nearest],
    ["0.0001", "0.1235"],
    "The hint must name the tick",
  );
});

test("FAP-48 FAP-63 the root shows and cancels an order from compat with its exact price", async () => {
  const key = await newTrader();
  const placed = await front.send(
    "POST",
    compat,
    { ...limit, side: "BUY", price: "0.1234" },
    { key },
  );
  assert.equal(placed.status, 200);
  const named = { symbol: "CCUSDT", orderId: String(placed.json.orderId) };
  const shown = await front.send("GET", root, named, { key });
  assert.deepEqual([shown.json.price, shown.json.status], ["0.1234", "NEW"]);
  const open = await front.send("GET", "/fapi/v1/openOrders", { symbol: "CCUSDT" }, { key });
  assert.deepEqual(open.json, [shown.json]);
  const { bids } = (await front.send("GET", "/fapi/v1/depth", { symbol: "CCUSDT" })).json;
  assert(bids.some(([price]: string[]) => price === "0.1234"));
  const gone = await front.send("DELETE", root, named, { key });
  assert.deepEqual([gone.json.price, gone.json.status], ["0.1234", "CANCELED"]);
});

test("ACC-33 FAP-49 fills, their sums and average prices agree on every surface", async () => {
  const [maker, taker] = [await newTrader(), await newTrader()];
  const from = (await front.send("GET", "/fapi/v1/ticker/24hr", { symbol: "CCUSDT" })).json;
  // The value of 41.123 CC at 0.1237 is 5.0869151 USDC, which is not a whole number of minor units.
  const quantity = "41.123";
  const order = { ...limit, quantity, price: "0.1237" };
  await front.send("POST", compat, { ...order, side: "SELL" }, { key: maker });
  const filled = await front.send("POST", compat, { ...order, side: "BUY" }, { key: taker });
  const { status, avgPrice, cumQuote } = filled.json;
  assert.deepEqual([status, avgPrice, cumQuote], ["FILLED", "0.12370000", "5.086915"]);
  const rows = await Promise.all(
    [maker, taker].map(async (key) => {
      const { json } = await front.send(
        "GET",
        "/fapi/v1/userTrades",
        { symbol: "CCUSDT" },
        { key },
      );
      return json.map(({ price, quoteQty }: Record<string, string>) => [price, quoteQty]);
    }),
  );
  assert.deepEqual(rows, [[["0.1237", "5.086915"]], [["0.1237", "5.086915"]]]);
  for (const [key, sign] of [
    [taker, ""],
    [maker, "-"],
  ] as const) {
    const [risk] = (await front.send("GET", "/fapi/v2/positionRisk", { symbol: "CCUSDT" }, { key }))
      .json;
    assert.deepEqual([risk.positionAmt, risk.entryPrice], [`${sign}41.123`, "0.12370000"]);
  }
  const day = (await front.send("GET", "/fapi/v1/ticker/24hr", { symbol: "CCUSDT" })).json;
  const units = (text: string) => BigInt(text.replace(".", ""));
  assert.equal(units(day.quoteVolume) - units(from.quoteVolume), 5_086_915n);
  const candles = await front.send("GET", "/fapi/v1/klines", { symbol: "CCUSDT", interval: "1m" });
  assert.equal(candles.json.at(-1)[7], "5.086915");
  const trades = await front.send("GET", "/fapi/v1/trades", { symbol: "CCUSDT", limit: "1" });
  assert.deepEqual(trades.json[0].quoteQty, "5.086915");
});
