// Proves conditional orders and the other order options on the perpetual surface, from acceptance to their final state,
// on both sets of routes for them.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

const symbol = "BTCUSDT";

let front: FrontFixture;
let maker: TestKey;
let taker: TestKey;

/** Sets up a long of 1 BTC at 60,000 for the taker, and a book of 59,990 / 60,010. */
before(async () => {
  front = await FrontFixture.open();
  maker = await front.newTrader();
  taker = await front.newTrader();
  await limit(maker, "SELL", "60000", "1");
  await limit(taker, "BUY", "60000", "1");
  await limit(maker, "BUY", "59990", "5");
  await limit(maker, "SELL", "60010", "5");
});
after(() => front.close());

async function place(key: TestKey, form: Record<string, string>) {
  front.advance(60_000);
  return front.send("POST", "/fapi/v1/order", { symbol, ...form }, { key });
}

async function limit(key: TestKey, side: string, price: string, quantity: string) {
  const answer = await place(key, { side, price, quantity, type: "LIMIT", timeInForce: "GTC" });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

async function order(orderId: number) {
  const { json } = await front.send("GET", "/fapi/v1/order", { symbol, orderId }, { key: taker });
  return json;
}

/** Sends a tick, so that the venue takes over the front's time. */
function tick() {
  front.venue.machine.handle(front.venue.command({ kind: CommandKind.tick }));
  front.venue.machine.settle();
}

test("FAP-36 a stop waits off the book with its terms, triggers at its price and keeps its id", async () => {
  const stop = await place(taker, {
    side: "SELL",
    type: "STOP_MARKET",
    quantity: "0.4",
    stopPrice: "59995",
    reduceOnly: "true",
    newClientOrderId: "stop-1",
  });
  assert.deepEqual(
    [stop.json.status, stop.json.type, stop.json.stopPrice, stop.json.reduceOnly],
    ["NEW", "STOP_MARKET", "59995.00", true],
    stop.text,
  );
  const open = await front.send("GET", "/compat/fapi/v1/openAlgoOrders", {}, { key: taker });
  assert.deepEqual(
    open.json.map(({ algoId, algoStatus, orderType }: Record<string, unknown>) => [
      algoId,
      algoStatus,
      orderType,
    ]),
    [[stop.json.orderId, "NEW", "STOP_MARKET"]],
  );
  await limit(maker, "BUY", "59992", "0.1");
  const other = await front.newTrader();
  await limit(other, "SELL", "59992", "0.1");
  const done = await order(stop.json.orderId);
  assert.deepEqual(
    [done.status, done.type, done.origType, done.executedQty, done.clientOrderId],
    ["FILLED", "MARKET", "STOP_MARKET", "0.400", "stop-1"],
  );
});

test("FAP-36 FAP-53 a trigger that is already met gets -2021, and a reduce-only order without a position -2022", async () => {
  const met = await place(taker, {
    side: "SELL",
    type: "STOP_MARKET",
    quantity: "0.1",
    stopPrice: "70000",
  });
  assert.deepEqual([met.status, met.json.code], [422, -2021]);
  const stranger = await front.newTrader();
  const none = await place(stranger, {
    side: "SELL",
    type: "LIMIT",
    timeInForce: "GTC",
    price: "60005",
    quantity: "0.1",
    reduceOnly: "true",
  });
  assert.deepEqual([none.status, none.json.code], [422, -2022]);
});

test("FAP-67 an order that closes its position ends with it if it was placed with GTE_GTC, and only then", async () => {
  const own = await front.newTrader();
  await limit(own, "BUY", "60010", "0.1");
  const send = (form: Record<string, string>) =>
    front.send(
      "POST",
      "/compat/fapi/v1/algoOrder",
      { symbol, side: "SELL", algoType: "CONDITIONAL", workingType: "MARK_PRICE", ...form },
      { key: own },
    );
  const whole = { closePosition: "true", timeInForce: "GTE_GTC" };
  const bound = await send({ ...whole, type: "STOP_MARKET", triggerPrice: "50000" });
  assert.deepEqual([bound.status, bound.json.timeInForce], [200, "GTE_GTC"], bound.text);
  const moved = await send({ ...whole, type: "STOP_MARKET", triggerPrice: "51000" });
  const free = await send({ closePosition: "true", type: "STOP_MARKET", triggerPrice: "52000" });
  assert.deepEqual([free.status, free.json.timeInForce], [200, "GTC"], free.text);
  const open = async () => {
    const { json } = await front.send("GET", "/compat/fapi/v1/openAlgoOrders", {}, { key: own });
    return json.map(({ algoId }: { algoId: number }) => algoId);
  };
  assert.deepEqual(await open(), [moved.json.algoId, free.json.algoId]);
  await limit(own, "SELL", "59990", "0.1");
  assert.deepEqual(await open(), [free.json.algoId]);
  const stray = { type: "STOP_MARKET", quantity: "0.1", triggerPrice: "50000" };
  const refused = await send({ ...stray, timeInForce: "GTE_GTC" });
  assert.deepEqual([refused.status, refused.json.code], [400, -1106], refused.text);
});

test("FAP-35 the algo routes place, show and cancel conditional orders, and refuse other order types", async () => {
  const send = (method: string, path: string, form: Record<string, string | number>) =>
    front.send(method, `/compat/fapi/v1/${path}`, form, { key: taker });
  const form = { symbol, side: "SELL", algoType: "CONDITIONAL", quantity: "0.1" };
  const placed = await send("POST", "algoOrder", {
    ...form,
    type: "TRAILING_STOP_MARKET",
    callbackRate: "1.5",
    activatePrice: "61000",
    clientAlgoId: "trail",
  });
  assert.deepEqual(
    [placed.json.algoStatus, placed.json.callbackRate, placed.json.activatePrice],
    ["NEW", "1.50", "61000.00"],
    placed.text,
  );
  const { algoId } = placed.json;
  const shown = await send("GET", "algoOrder", { clientAlgoId: "trail" });
  assert.equal(shown.json.algoId, algoId);
  const listed = await send("GET", "openAlgoOrders", { algoType: "CONDITIONAL", algoId });
  const other = await send("GET", "openAlgoOrders", { algoId: algoId + 1 });
  assert.deepEqual([listed.json.length, other.json], [1, []]);
  const gone = await send("DELETE", "algoOrder", { algoId });
  assert.deepEqual(gone.json, { algoId, clientAlgoId: "trail", code: "200", msg: "success" });
  const after = await send("GET", "algoOrder", { symbol, algoId });
  assert.equal(after.json.algoStatus, "CANCELED");
  const closing = { symbol, side: "SELL", closePosition: "true", triggerPrice: "50000" };
  await send("POST", "algoOrder", { ...closing, type: "STOP_MARKET", workingType: "MARK_PRICE" });
  const all = await send("DELETE", "algoOpenOrders", { symbol });
  assert.equal(all.json.code, 200);
  assert.deepEqual((await send("GET", "openAlgoOrders", { symbol })).json, []);
  assert.ok((await send("GET", "allAlgoOrders", { symbol })).json.length >= 2);
  const resting = await limit(taker, "BUY", "40000", "0.1");
  const newest = await send("GET", "allAlgoOrders", { symbol, limit: 1 });
  assert.equal(newest.json[0]?.orderType, "STOP_MARKET", "Plain orders must not be listed");
  const unheard = await send("DELETE", "algoOrder", { algoId: resting.orderId });
  assert.deepEqual([unheard.status, unheard.json.code], [422, -2011]);
  const plain = { ...form, type: "LIMIT", timeInForce: "GTC", price: "61000" };
  const refused = await send("POST", "algoOrder", plain);
  assert.deepEqual([refused.status, refused.json.code], [400, -1100]);
  const root = await front.send("POST", "/fapi/v1/algoOrder", form, { key: taker });
  assert.deepEqual([root.status, root.json.code], [404, -5000]);
});

test("FAP-37 FAP-54 an open order is changed by id and stays the same order, and a batch changes several", async () => {
  const resting = await limit(taker, "BUY", "50000", "0.2");
  const terms = { symbol, side: "BUY", quantity: "0.1", price: "50001" };
  const named = { ...terms, orderId: resting.orderId };
  const changed = await front.send("PUT", "/fapi/v1/order", named, { key: taker });
  assert.deepEqual(
    [changed.json.orderId, changed.json.price, changed.json.origQty, changed.json.status],
    [resting.orderId, "50001.00", "0.100", "NEW"],
    changed.text,
  );
  const batchOrders = JSON.stringify([
    { ...named, price: "50002" },
    { ...terms, orderId: 999_999 },
  ]);
  const batch = await front.send("PUT", "/fapi/v1/batchOrders", { batchOrders }, { key: taker });
  assert.deepEqual(
    batch.json.map((one: Record<string, unknown>) => one["price"] ?? one["code"]),
    ["50002.00", -2011],
  );
  const same = { ...named, price: "50002" };
  const again = await front.send("PUT", "/fapi/v1/order", same, { key: taker });
  assert.deepEqual([again.status, again.json.code], [400, -5027]);
  const free = { ...named, quantity: "0.3", price: "0" };
  const without = await front.send("PUT", "/fapi/v1/order", free, { key: taker });
  assert.deepEqual([without.status, without.json.code], [400, -4013]);
  const turned = { ...named, side: "SELL", price: "60001" };
  const wrong = await front.send("PUT", "/fapi/v1/order", turned, { key: taker });
  assert.deepEqual([wrong.status, wrong.json.code], [400, -1100], wrong.text);
  assert.match(wrong.json.msg, /'side'/);
  const list = JSON.stringify([turned]);
  const turnedBatch = { batchOrders: list };
  const each = await front.send("PUT", "/fapi/v1/batchOrders", turnedBatch, { key: taker });
  assert.equal(each.json[0].code, -1100);
  assert.equal((await order(resting.orderId)).price, "50002.00");
  const unnamed = await front.send("PUT", "/fapi/v1/order", terms, { key: taker });
  assert.deepEqual([unnamed.status, unnamed.json.code], [400, -1102]);
});

test("FAP-38 a countdown that runs out cancels the open orders, and zero switches it off", async () => {
  const { orderId } = await limit(taker, "BUY", "50000", "0.1");
  const set = (countdownTime: number) =>
    front.send("POST", "/fapi/v1/countdownCancelAll", { symbol, countdownTime }, { key: taker });
  assert.deepEqual((await set(60_000)).json, { symbol, countdownTime: "60000" });
  assert.equal((await set(0)).json.countdownTime, "0");
  front.advance(61_000);
  tick();
  assert.equal((await order(orderId)).status, "NEW");
  await set(1000);
  front.advance(1001);
  tick();
  assert.equal((await order(orderId)).status, "CANCELED");
  const long = await set(604_800_001);
  assert.deepEqual([long.status, long.json.code], [400, -1100]);
});
