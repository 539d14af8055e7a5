// Proves options of spot orders: orders by amount, conditional orders, self-trade prevention and amends.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

const symbol = "CC-USDC";
const limit = { symbol, type: "LIMIT", timeInForce: "GTC" };

/** Creates a trader who also owns CC. */
async function newTrader(): Promise<TestKey> {
  front.advance(60_000);
  const key = await front.newTrader();
  front.venue.credit(key.account, Wallet.spot, 1, 10n ** 14n);
  return key;
}

async function order(key: TestKey, parameters: Record<string, string>) {
  const answer = await front.send("POST", "/api/v3/order", { symbol, ...parameters }, { key });
  return answer.json;
}

async function rest(key: TestKey, side: string, price: string, quantity: string) {
  const json = await order(key, { ...limit, side, price, quantity });
  assert.equal(json.status, "NEW", JSON.stringify(json));
  return json;
}

async function find(key: TestKey, orderId: number) {
  return (await front.send("GET", "/api/v3/order", { symbol, orderId }, { key })).json;
}

async function clear(...keys: TestKey[]): Promise<void> {
  for (const key of keys) await front.send("DELETE", "/api/v3/openOrders", { symbol }, { key });
}

test("SPT-7 SPT-35 a MARKET order by quoteOrderQty spends or raises at most its amount", async () => {
  const [maker, taker] = [await newTrader(), await newTrader()];
  await rest(maker, "SELL", "0.2", "100");
  await rest(maker, "SELL", "0.21", "1000");
  const bought = await order(taker, { type: "MARKET", side: "BUY", quoteOrderQty: "41" });
  assert.deepEqual(
    [bought.status, bought.executedQty, bought.origQty, bought.cummulativeQuoteQty],
    ["FILLED", "200.0", "200.0", "41.000000"],
    JSON.stringify(bought),
  );
  assert.equal(bought.origQuoteOrderQty, "41.000000");
  await rest(maker, "BUY", "0.19", "1000");
  const sold = await order(taker, { type: "MARKET", side: "SELL", quoteOrderQty: "19.01" });
  assert.deepEqual([sold.executedQty, sold.cummulativeQuoteQty], ["100.0", "19.000000"]);
  const least = await order(taker, { type: "MARKET", side: "BUY", quoteOrderQty: "9" });
  assert.deepEqual([least.code, least.msg], [-1013, "Filter failure: NOTIONAL"]);
  await clear(maker);
});

test("SPT-36 a STOP_LOSS waits with its funds held, triggers on a trade and sells at the market", async () => {
  const [maker, owner] = [await newTrader(), await newTrader()];
  await rest(maker, "BUY", "0.2", "100");
  assert.equal(
    (await order(owner, { ...limit, side: "SELL", price: "0.2", quantity: "100" })).status,
    "FILLED",
  );
  const early = { type: "STOP_LOSS", side: "SELL", quantity: "100", stopPrice: "0.2" };
  const immediate = await order(owner, early);
  assert.deepEqual([immediate.code, immediate.msg], [-2010, "Order would trigger immediately."]);
  const placed = await order(owner, { ...early, stopPrice: "0.18", newClientOrderId: "guard" });
  assert.deepEqual(
    [placed.status, placed.type, placed.stopPrice, placed.price, placed.workingTime, placed.fills],
    ["NEW", "STOP_LOSS", "0.1800", "0.0000", -1, []],
    JSON.stringify(placed),
  );
  const waiting = await find(owner, placed.orderId);
  assert.deepEqual(
    [waiting.status, waiting.isWorking, waiting.workingTime, waiting.stopPrice],
    ["NEW", false, -1, "0.1800"],
  );
  const depth = await front.send("GET", "/api/v3/depth", { symbol });
  assert.deepEqual(depth.json.asks, [], "A waiting order must not be in the book");
  const open = await front.send("GET", "/api/v3/openOrders", { symbol }, { key: owner });
  assert.deepEqual(open.json, [waiting]);
  const account = await front.send("GET", "/api/v3/account", {}, { key: owner });
  const held = account.json.balances.find(({ asset }: { asset: string }) => asset === "CC");
  assert.equal(held.locked, "100.00000000");
  await rest(maker, "BUY", "0.18", "300");
  const hit = await order(await newTrader(), {
    ...limit,
    side: "SELL",
    price: "0.18",
    quantity: "100",
  });
  assert.equal(hit.status, "FILLED");
  const done = await find(owner, placed.orderId);
  assert.deepEqual(
    [done.status, done.executedQty, done.isWorking, done.type, done.clientOrderId],
    ["FILLED", "100.0", true, "STOP_LOSS", "guard"],
  );
  assert.ok(done.workingTime >= done.time);
  await clear(maker, owner);
});

test("SPT-36 TAKE_PROFIT_LIMIT and STOP_LOSS_LIMIT rest at their limit once triggered", async () => {
  const [maker, owner] = [await newTrader(), await newTrader()];
  const profit = await order(owner, {
    type: "TAKE_PROFIT_LIMIT",
    side: "SELL",
    timeInForce: "GTC",
    quantity: "100",
    price: "0.3",
    stopPrice: "0.25",
  });
  const loss = await order(owner, {
    type: "STOP_LOSS_LIMIT",
    side: "BUY",
    timeInForce: "GTC",
    quantity: "100",
    price: "0.2",
    stopPrice: "0.26",
  });
  assert.deepEqual([profit.status, loss.status], ["NEW", "NEW"], JSON.stringify([profit, loss]));
  await rest(maker, "SELL", "0.25", "100");
  await order(await newTrader(), { ...limit, side: "BUY", price: "0.25", quantity: "100" });
  assert.equal((await find(owner, profit.orderId)).isWorking, true);
  assert.equal((await find(owner, loss.orderId)).isWorking, false);
  const depth = await front.send("GET", "/api/v3/depth", { symbol });
  assert.deepEqual(depth.json.asks, [["0.3000", "100.0"]]);
  const named = { symbol, orderId: loss.orderId };
  const gone = await front.send("DELETE", "/api/v3/order", named, { key: owner });
  assert.deepEqual([gone.json.status, gone.json.stopPrice], ["CANCELED", "0.2600"]);
  const all = await front.send("GET", "/api/v3/allOrders", { symbol }, { key: owner });
  assert.deepEqual(
    all.json.map((row: { type: string; status: string }) => [row.type, row.status]),
    [
      ["TAKE_PROFIT_LIMIT", "NEW"],
      ["STOP_LOSS_LIMIT", "CANCELED"],
    ],
  );
  await clear(maker, owner);
});

test("SPT-37 ORD-50 self-trade prevention follows the incoming order's mode, which the order shows", async () => {
  const key = await newTrader();
  const resting = await rest(key, "SELL", "0.3", "100");
  const taking = { ...limit, side: "BUY", price: "0.3", quantity: "100" };
  const expired = await order(key, { ...taking, selfTradePreventionMode: "EXPIRE_TAKER" });
  assert.deepEqual(
    [expired.status, expired.selfTradePreventionMode, expired.executedQty],
    ["EXPIRED_IN_MATCH", "EXPIRE_TAKER", "0.0"],
    JSON.stringify(expired),
  );
  assert.equal((await find(key, resting.orderId)).status, "NEW");
  const kept = await order(key, { ...taking, selfTradePreventionMode: "EXPIRE_MAKER" });
  assert.equal(kept.status, "NEW");
  assert.equal((await find(key, resting.orderId)).status, "EXPIRED_IN_MATCH");
  assert.equal((await find(key, kept.orderId)).selfTradePreventionMode, "EXPIRE_MAKER");
  await clear(key);
});

test("SPT-29 an amend reduces an order, which keeps its place in the queue, and cannot increase it", async () => {
  const [first, second, taker] = [await newTrader(), await newTrader(), await newTrader()];
  const placed = await rest(first, "SELL", "0.3", "300");
  await rest(second, "SELL", "0.3", "300");
  const amend = async (parameters: Record<string, string | number>) =>
    (
      await front.send(
        "PUT",
        "/api/v3/order/amend/keepPriority",
        { symbol, ...parameters },
        { key: first },
      )
    ).json;
  const { orderId, clientOrderId } = placed;
  const { transactTime, executionId, amendedOrder } = await amend({ orderId, newQty: "200" });
  assert.ok(transactTime > 0 && executionId > 0);
  assert.deepEqual(
    [
      amendedOrder.qty,
      amendedOrder.status,
      amendedOrder.clientOrderId,
      amendedOrder.origClientOrderId,
    ],
    ["200.0", "NEW", clientOrderId, clientOrderId],
  );
  const depth = await front.send("GET", "/api/v3/depth", { symbol });
  assert.deepEqual(depth.json.asks, [["0.3000", "500.0"]]);
  await order(taker, { ...limit, side: "BUY", price: "0.3", quantity: "150" });
  assert.equal(
    (await find(first, orderId)).executedQty,
    "150.0",
    "The order must have kept its place in the queue",
  );
  const code = async (parameters: Record<string, string | number>) =>
    (await amend(parameters)).code;
  assert.equal(await code({ orderId, newQty: "250" }), -2038);
  assert.equal(await code({ orderId, newQty: "200" }), -2038);
  assert.equal(await code({ orderId, newQty: "100" }), -2038);
  assert.equal(await code({ orderId, newQty: "199.99" }), -1013);
  assert.equal(await code({ orderId, newQty: "180", newClientOrderId: "other" }), -1100);
  assert.equal(await code({ orderId }), -1102);
  assert.equal(await code({ newQty: "180" }), -1102);
  assert.equal(await code({ orderId: 999_999, newQty: "180" }), -2011);
  const named = { origClientOrderId: clientOrderId, newClientOrderId: clientOrderId };
  assert.equal((await amend({ ...named, newQty: "180" })).amendedOrder.qty, "180.0");
  await clear(first, second);
});
