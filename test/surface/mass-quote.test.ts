// Proves for makers that one request sets their quotes in a market, on both Binance-style surfaces and in order sessions,
// that it counts as one order, and that the answer says which sides were refused.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { StreamClient } from "../streams/stream-client.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

const perp = "BTCUSDT";

async function newTrader(): Promise<TestKey> {
  front.advance(60_000);
  return front.newTrader();
}

function send(key: TestKey, quotes: unknown, symbol = perp) {
  const text = typeof quotes === "string" ? quotes : JSON.stringify(quotes);
  const path = symbol === perp ? "/fapi/v1/massQuote" : "/api/v3/massQuote";
  return front.send("POST", path, { symbol, quotes: text }, { key });
}

test("QUO-1 QUO-7 massQuote sets quotes and answers their orders; all of them count as one order", async () => {
  const key = await newTrader();
  const answer = await send(key, [
    { id: 1, bidPrice: "49000", bidQty: "0.1", askPrice: 51_000, askQty: 0.2 },
    { id: 3, bidPrice: "48000.5", bidQty: "0.1" },
  ]);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get("x-mbx-order-count-10s"), "1");
  assert.equal(answer.headers.get("x-mbx-used-weight-1m"), "5");
  const [first, third] = answer.json;
  assert.deepEqual([first.id, first.bid.price, first.bid.qty], [1, "49000.00", "0.100"]);
  assert.deepEqual([first.ask.price, first.ask.qty], ["51000.00", "0.200"]);
  assert.deepEqual([third.id, third.bid.price, third.ask], [3, "48000.50", null]);
  const changed = await send(key, [{ id: 1, bidPrice: "49100", bidQty: "0.1", askQty: "0" }]);
  assert.equal(changed.json[0].bid.orderId, first.bid.orderId);
  assert.equal(changed.json[0].ask, null);
  const { json: open } = await front.send("GET", "/fapi/v1/openOrders", { symbol: perp }, { key });
  assert.deepEqual(
    open.map((order: Record<string, unknown>) => [
      order["clientOrderId"],
      order["price"],
      order["timeInForce"],
    ]),
    [
      ["quote-BTCUSDT-01-BUY", "49100.00", "GTX"],
      ["quote-BTCUSDT-03-BUY", "48000.50", "GTX"],
    ],
  );
});

test("QUO-1 QUO-4 spot quotes are LIMIT_MAKER orders, and a side that would trade is refused by itself", async () => {
  const [maker, taker] = [await newTrader(), await newTrader()];
  const sell = { symbol: "CC-USDC", side: "SELL", type: "LIMIT", timeInForce: "GTC" };
  front.venue.credit(taker.account, 1, 1, 10n ** 14n);
  front.venue.credit(maker.account, 1, 1, 10n ** 14n);
  const placed = { ...sell, quantity: "100", price: "0.16" };
  assert.equal((await front.send("POST", "/api/v3/order", placed, { key: taker })).status, 200);
  const quote = { id: 15, bidPrice: "0.16", bidQty: "100", askPrice: "0.17", askQty: "100" };
  const { json } = await send(maker, [quote], "CC-USDC");
  assert.deepEqual(json[0].bid, { code: -2010, msg: "Order would immediately match and take." });
  const order = { symbol: "CC-USDC", orderId: json[0].ask.orderId };
  const read = await front.send("GET", "/api/v3/order", order, { key: maker });
  assert.deepEqual(
    [read.json.type, read.json.clientOrderId, read.json.status],
    ["LIMIT_MAKER", "quote-CCUSDC-15-SELL", "NEW"],
  );
});

test("QUO-8 what cannot be read refuses the whole request, and sets nothing", async () => {
  const key = await newTrader();
  const one = { id: 1, bidPrice: "49000", bidQty: "0.1" };
  for (const [quotes, code] of [
    ["[", -1135],
    [[], -1135],
    [{}, -1135],
    [[7], -1135],
    [Array.from({ length: 16 }, (_, id) => ({ ...one, id })), -1135],
    [[{ id: 1 }], -1135],
    [[{ ...one, id: 0 }], -1100],
    [[{ ...one, id: 16 }], -1100],
    [[one, one], -1100],
    [[{ ...one, price: "1" }], -1100],
    [[{ ...one, bidQty: "-1" }], -1100],
    [[{ id: 1, bidPrice: "49000" }], -1100],
    [[{ id: 1, bidQty: "1" }], -1100],
    [[{ ...one, bidPrice: "49000.001" }], -1111],
    [[one, { ...one, id: 2, bidPrice: "0" }], -4013],
    [[{ ...one, askPrice: "49000", askQty: "0.1" }], -1130],
    [[one, { id: 2, askPrice: "48999", askQty: "0.1" }], -1130],
  ] as const) {
    const { status, json } = await send(key, quotes);
    assert.deepEqual([status, json.code], [400, code], JSON.stringify(quotes));
  }
  const { json } = await front.send("GET", "/fapi/v1/openOrders", {}, { key });
  assert.deepEqual(json, []);
});

test("QUO-9 COD-4 a mass quote that asks for it without a declaration is refused and changes nothing", async () => {
  const key = await newTrader();
  const quotes = JSON.stringify([{ id: 1, bidPrice: "49000", bidQty: "0.1" }]);
  const params = { symbol: perp, quotes, cancelOnDisconnect: "true" };
  const { status, json } = await front.send("POST", "/fapi/v1/massQuote", params, { key });
  assert.deepEqual([status, json.code], [400, -1130]);
  const { json: open } = await front.send("GET", "/fapi/v1/openOrders", {}, { key });
  assert.deepEqual(open, []);
});

test("QUO-1 order.massQuote does the same in an order session", async () => {
  const key = await newTrader();
  const client = await StreamClient.open(`${front.base.replace("http", "ws")}/compat/ws-fapi/v1`);
  try {
    const timestamp = Math.floor(front.nowUs() / 1000);
    const quotes = [{ id: 2, bidPrice: "49000", bidQty: "0.1" }];
    const text = encodeURIComponent(JSON.stringify(quotes));
    const signature = key.sign(
      `apiKey=${key.value}&quotes=${text}&symbol=${perp}&timestamp=${timestamp}`,
    );
    const params = { apiKey: key.value, quotes, symbol: perp, timestamp, signature };
    client.send({ id: 1, method: "order.massQuote", params });
    const answer = await client.next((frame) => frame.id === 1);
    assert.equal(answer.status, 200, JSON.stringify(answer));
    assert.deepEqual([answer.result[0].id, answer.result[0].bid.price], [2, "49000.00"]);
  } finally {
    client.close();
  }
});
