// Proves iceberg orders on the spot surface: what is accepted, what the owner sees, and what everybody else sees.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;
let key: TestKey;
let other: TestKey;

const symbol = "CC-USDC";
const iceberg = {
  ...{ symbol, type: "LIMIT", timeInForce: "GTC", side: "SELL" },
  ...{ quantity: "1000.0", icebergQty: "300.0", price: "0.1500" },
};

before(async () => {
  front = await FrontFixture.open();
  key = await front.newTrader();
  other = await front.newTrader();
  for (const { account } of [key, other]) front.venue.credit(account, Wallet.spot, 1, 10n ** 14n);
});
after(() => front.close());

async function place(terms: Record<string, string>, by = key, path = "/api/v3/order") {
  front.advance(60_000);
  return front.send("POST", path, terms, { key: by });
}

async function asks(): Promise<number[][]> {
  const { json } = await front.send("GET", "/api/v3/depth", { symbol });
  return json.asks.map((level: string[]) => level.map(Number));
}

async function cancelAll(): Promise<void> {
  await front.send("DELETE", "/api/v3/openOrders", { symbol }, { key });
}

test("SPT-96 SPT-98 SPT-103 the owner sees the whole order, everybody else one slice", async () => {
  const placed = await place({ ...iceberg, newOrderRespType: "RESULT" });
  assert.equal(placed.status, 200, placed.text);
  assert.deepEqual(
    [Number(placed.json.origQty), Number(placed.json.icebergQty)],
    [1000, 300],
    placed.text,
  );
  const named = { symbol, orderId: placed.json.orderId };
  const shown = await front.send("GET", "/api/v3/order", named, { key });
  assert.equal(Number(shown.json.icebergQty), 300);
  const open = await front.send("GET", "/api/v3/openOrders", { symbol }, { key });
  assert.equal(Number(open.json[0].icebergQty), 300);
  assert.deepEqual(await asks(), [[0.15, 300]]);
  const { json: best } = await front.send("GET", "/api/v3/ticker/bookTicker", { symbol });
  assert.equal(Number(best.askQty), 300);

  const bought = await place(
    {
      ...{ symbol, side: "BUY", type: "LIMIT", timeInForce: "IOC" },
      ...{ quantity: "700.0", price: "0.1500" },
    },
    other,
  );
  const fills = bought.json.fills.map(({ qty }: { qty: string }) => Number(qty));
  assert.deepEqual(fills, [300, 300, 100], bought.text);
  assert.deepEqual(await asks(), [[0.15, 200]]);

  const amended = await front.send(
    "PUT",
    "/api/v3/order/amend/keepPriority",
    { ...named, newQty: "950.0" },
    { key },
  );
  assert.equal(Number(amended.json.amendedOrder.icebergQty), 300, amended.text);
  assert.deepEqual(await asks(), [[0.15, 200]]);
  const cancelled = await front.send("DELETE", "/api/v3/order", named, { key });
  assert.equal(Number(cancelled.json.icebergQty), 300);
  assert.deepEqual(await asks(), []);
  const all = await front.send("GET", "/api/v3/allOrders", { symbol }, { key });
  assert.equal(Number(all.json.at(-1).icebergQty), 300, all.text);
});

test("SPT-96 limit makers, stop-limit orders and the new order of cancelReplace can be icebergs", async () => {
  const maker = await place({
    ...{ symbol, side: "SELL", type: "LIMIT_MAKER", newOrderRespType: "RESULT" },
    ...{ quantity: "1000.0", icebergQty: "100.0", price: "0.1500" },
  });
  assert.equal(Number(maker.json.icebergQty), 100, maker.text);
  const replaced = await place(
    {
      ...iceberg,
      cancelReplaceMode: "STOP_ON_FAILURE",
      cancelOrderId: String(maker.json.orderId),
      newOrderRespType: "RESULT",
    },
    key,
    "/api/v3/order/cancelReplace",
  );
  assert.equal(Number(replaced.json.newOrderResponse.icebergQty), 300, replaced.text);
  const stop = await place({ ...iceberg, type: "STOP_LOSS_LIMIT", stopPrice: "0.1400" });
  assert.equal(Number(stop.json.icebergQty), 300, stop.text);
  assert.equal((await place(iceberg, key, "/api/v3/order/test")).text, "{}");
  assert.deepEqual(await asks(), [[0.15, 300]]);
  await cancelAll();
});

test("SPT-96 a slice as large as the order, or of 0, is a plain order", async () => {
  for (const icebergQty of ["1000.0", "0", "0.0"]) {
    const placed = await place({ ...iceberg, icebergQty, newOrderRespType: "RESULT" });
    assert.equal(placed.json.icebergQty, undefined, placed.text);
    assert.deepEqual(await asks(), [[0.15, 1000]]);
    await cancelAll();
  }
});

test("SPT-97 a slice that cannot be is refused and changes nothing", async () => {
  const { seq } = front.state;
  const plain = { symbol, side: "SELL", quantity: "1000.0", icebergQty: "300.0" };
  for (const [terms, code, message] of [
    [{ ...iceberg, timeInForce: "IOC" }, -1130, /'icebergQty'/],
    [{ ...iceberg, timeInForce: "FOK" }, -1130, /'icebergQty'/],
    [{ ...plain, type: "MARKET" }, -1106, /'icebergQty'/],
    [{ ...plain, type: "STOP_LOSS", stopPrice: "0.1400" }, -1106, /'icebergQty'/],
    [{ ...iceberg, icebergQty: "1000.1" }, -2010, /IcebergQty exceeds QTY/],
    [{ ...iceberg, icebergQty: "99.9" }, -1013, /ICEBERG_PARTS/],
    [{ ...iceberg, icebergQty: "300.05" }, -1013, /LOT_SIZE/],
    [{ ...iceberg, icebergQty: "-5" }, -1100, /'icebergQty'/],
    [{ ...iceberg, icebergQty: "0.000000001" }, -1111, /^Precision/],
  ] as const) {
    for (const path of ["/api/v3/order", "/api/v3/order/test"]) {
      const { json } = await place(terms, key, path);
      assert.equal(json.code, code, `${JSON.stringify(terms)}: ${JSON.stringify(json)}`);
      assert.match(json.msg, message);
    }
  }
  assert.equal(front.state.seq, seq, "A refused order must change nothing");
});

test("SPT-97 exchangeInfo says that icebergs are allowed, and of how many slices", async () => {
  const { json } = await front.send("GET", "/api/v3/exchangeInfo", { symbol });
  const [market] = json.symbols;
  assert.equal(market.icebergAllowed, true);
  const parts = market.filters.find(
    ({ filterType }: { filterType: string }) => filterType === "ICEBERG_PARTS",
  );
  assert.deepEqual(parts, { filterType: "ICEBERG_PARTS", limit: 10 });
});
