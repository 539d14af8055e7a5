// Proves spot order functions beyond placing and cancelling: order/test, cancelReplace, amends, conditional cancels,
// history, fees, and compat's hints in refusals.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { AccountType, Wallet } from "../../src/core/accounts.ts";
import { stateHash } from "../../src/engine/state-hash.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

const symbol = "CC-USDC";
const limit = { symbol, type: "LIMIT", timeInForce: "GTC" };
const bid = { ...limit, side: "BUY", quantity: "200", price: "0.1" };

/** Creates a trader who also owns CC. */
async function newTrader(): Promise<TestKey> {
  front.advance(60_000);
  const key = await front.newTrader();
  front.venue.credit(key.account, Wallet.spot, 1, 10n ** 14n);
  return key;
}

function place(key: TestKey, parameters: Record<string, string>) {
  return front.send("POST", "/api/v3/order", { ...limit, ...parameters }, { key });
}

async function get(key: TestKey, path: string, parameters: Record<string, string | number> = {}) {
  const answer = await front.send("GET", `/api/v3/${path}`, parameters, { key });
  return answer.status === 200 ? answer.json : [answer.status, answer.json.code];
}

/** Cancels the trader's orders, so that the next test finds an empty book. */
async function clear(key: TestKey): Promise<void> {
  await front.send("DELETE", "/api/v3/openOrders", { symbol }, { key });
}

test("SPT-25 order/test refuses what POST order would refuse, and changes nothing", async () => {
  const key = await newTrader();
  const hash = stateHash(front.venue.state);
  const code = async (parameters: Record<string, string>) => {
    const { status, json } = await front.send(
      "POST",
      "/api/v3/order/test",
      { ...bid, ...parameters },
      { key },
    );
    return json.code === undefined ? [status, json] : [status, json.code, json.msg];
  };
  assert.deepEqual(await code({}), [200, {}]);
  assert.deepEqual(await code({ price: "0.00001" }), [400, -1013, "Filter failure: PRICE_FILTER"]);
  assert.deepEqual(await code({ quantity: "0" }), [400, -1013, "Filter failure: LOT_SIZE"]);
  assert.deepEqual(await code({ quantity: "10" }), [400, -1013, "Filter failure: NOTIONAL"]);
  assert.deepEqual(await code({ symbol: "CUSD-USDC" }), [422, -2010, "Market is closed."]);
  assert.equal((await code({ side: "HOLD" }))[1], -1100);
  const market = { type: "MARKET", timeInForce: "", price: "", quantity: "", quoteOrderQty: "11" };
  assert.deepEqual(await code(market), [200, {}]);
  assert.deepEqual(await code({ ...market, quoteOrderQty: "9.99" }), [
    400,
    -1013,
    "Filter failure: NOTIONAL",
  ]);
  assert.deepEqual(await code({ computeCommissionRates: "true" }), [
    200,
    {
      standardCommissionForOrder: { maker: "0.00040000", taker: "0.00100000" },
      specialCommissionForOrder: { maker: "0.00000000", taker: "0.00000000" },
      taxCommissionForOrder: { maker: "0.00000000", taker: "0.00000000" },
      discount: {
        enabledForAccount: false,
        enabledForSymbol: false,
        discountAsset: "",
        discount: "0.00000000",
      },
    },
  ]);
  assert.equal(stateHash(front.venue.state), hash);
  const counted = await front.send("POST", "/api/v3/order/test", bid, { key });
  assert.equal(
    counted.headers.get("x-mbx-order-count-10s"),
    "0",
    "order/test must not count as an order",
  );
});

async function replace(key: TestKey, parameters: Record<string, string | number>) {
  const answer = await front.send(
    "POST",
    "/api/v3/order/cancelReplace",
    { ...bid, cancelReplaceMode: "STOP_ON_FAILURE", ...parameters },
    { key },
  );
  return answer;
}

test("SPT-26 cancelReplace cancels and places an order, and reports both", async () => {
  const key = await newTrader();
  const old = await place(key, { ...bid, newClientOrderId: "old" });
  const { status, json, headers } = await replace(key, {
    cancelOrigClientOrderId: "old",
    cancelNewClientOrderId: "bye",
    newClientOrderId: "new",
    price: "0.11",
  });
  assert.equal(status, 200);
  assert.equal(headers.get("x-mbx-order-count-10s"), "2");
  assert.deepEqual([json.cancelResult, json.newOrderResult], ["SUCCESS", "SUCCESS"]);
  const { cancelResponse, newOrderResponse } = json;
  assert.deepEqual(
    [cancelResponse.orderId, cancelResponse.status, cancelResponse.clientOrderId],
    [old.json.orderId, "CANCELED", "bye"],
  );
  assert.deepEqual(
    [newOrderResponse.clientOrderId, newOrderResponse.status, newOrderResponse.fills],
    ["new", "NEW", []],
  );
  const open = await get(key, "openOrders", { symbol });
  assert.deepEqual(
    open.map((order: { clientOrderId: string }) => order.clientOrderId),
    ["new"],
  );
  await clear(key);
});

test("SPT-27 cancelReplace checks the filters before it cancels, and the cancel frees funds for the new order", async () => {
  const key = await front.newTrader(20_000_000n);
  front.advance(60_000);
  const { json } = await place(key, bid);
  const small = await replace(key, { cancelOrderId: json.orderId, quantity: "1" });
  assert.deepEqual([small.status, small.json.code, small.json.data], [400, -1013, undefined]);
  assert.equal((await get(key, "openOrders")).length, 1);
  const whole = await replace(key, { cancelOrderId: json.orderId, price: "0.05", quantity: "400" });
  assert.equal(whole.json.newOrderResult, "SUCCESS", whole.text);
  await clear(key);
});

test("ORD-15 RTY-2 the new order of cancelReplace may have the client order id of the one it replaces, once", async () => {
  const key = await front.newTrader(90_000_000n);
  front.advance(60_000);
  const named = { newClientOrderId: "same" };
  const { json: first } = await place(key, { ...bid, ...named });
  const { json: other } = await place(key, { ...bid, newClientOrderId: "other" });
  const byId = await replace(key, { ...named, cancelOrderId: first.orderId, price: "0.051" });
  assert.equal(byId.status, 200, byId.text);
  const byName = await replace(key, { ...named, cancelOrigClientOrderId: "same" });
  assert.equal(byName.status, 200, byName.text);
  const again = await replace(key, { ...named, cancelOrderId: first.orderId });
  assert.deepEqual([again.status, again.json.code], [422, -2010], "the first one is not open");
  const taken = await replace(key, { ...named, cancelOrderId: other.orderId });
  assert.deepEqual([taken.status, taken.json.code], [422, -2010], "another open order has the id");
  const open = await get(key, "openOrders");
  const names = open.map(({ clientOrderId }: { clientOrderId: string }) => clientOrderId);
  assert.deepEqual(names.sort(), ["other", "same"]);
  const found = await get(key, "order", { symbol: "CC-USDC", origClientOrderId: "same" });
  assert.equal(found.orderId, byName.json.newOrderResponse.orderId);
  const lost = { cancelReplaceMode: "ALLOW_FAILURE", cancelOrderId: first.orderId };
  const twice = await replace(key, { ...named, ...lost });
  assert.deepEqual([twice.status, twice.json.code], [422, -2010]);
  await front.send("DELETE", "/api/v3/order", { symbol, origClientOrderId: "same" }, { key });
  const late = await replace(key, { ...named, ...lost });
  assert.equal(late.json.data?.newOrderResult, "FAILURE", "nothing was cancelled for it");
  await clear(key);
});

test("RTY-1 RTY-3 a query by client id waits for the order in flight, also if an earlier order with the id is closed", async () => {
  const key = await front.newTrader(90_000_000n);
  const named = { newClientOrderId: "again" };
  await place(key, { ...bid, ...named });
  front.isHolding = true;
  const untilHeld = async (count: number) => {
    const endMs = Date.now() + 30_000;
    while (front.held.length < count) {
      assert(Date.now() < endMs, `fewer than ${count} commands are held`);
      await wait(5);
    }
  };
  const replaced = replace(key, { ...named, cancelOrigClientOrderId: "again" });
  await untilHeld(1);
  for (const command of front.held.splice(0)) front.venue.machine.take(command);
  front.venue.machine.settle();
  await untilHeld(1);
  const queried = get(key, "order", { symbol, origClientOrderId: "again" });
  await Promise.race([untilHeld(2), queried]);
  front.release();
  const { json } = await replaced;
  const { orderId, status } = await queried;
  assert.deepEqual([orderId, status], [json.newOrderResponse.orderId, "NEW"]);
  await clear(key);
});

test("RTY-1 a query by a client id that the venue derived does not wait: no other order can have it", async () => {
  const key = await front.newTrader(90_000_000n);
  const { json } = await place(key, bid);
  await clear(key);
  front.isHolding = true;
  const placed = place(key, bid);
  while (front.held.length === 0) await wait(5);
  const named = { symbol, origClientOrderId: json.clientOrderId };
  const { orderId, status } = await get(key, "order", named);
  assert.deepEqual([orderId, status], [json.orderId, "CANCELED"]);
  assert.equal(front.held.length, 1, "nothing but the order is on its way");
  front.release();
  await placed;
  await clear(key);
});

test("SPT-26 partial and complete failures of cancelReplace get -2021 and -2022 with both answers", async () => {
  const key = await front.newTrader(30_000_000n);
  front.advance(60_000);
  const unknown = { code: -2011, msg: "Order does not exist." };
  const dear = { price: "0.1", quantity: "4000" };
  const poor = { code: -2010, msg: "Account has insufficient balance for requested action." };
  const stopped = await replace(key, { cancelOrderId: 999_999 });
  assert.deepEqual(
    [stopped.status, stopped.json],
    [
      400,
      {
        code: -2022,
        msg: "Order cancel-replace failed.",
        data: {
          cancelResult: "FAILURE",
          newOrderResult: "NOT_ATTEMPTED",
          cancelResponse: unknown,
          newOrderResponse: null,
        },
      },
    ],
  );
  const { json: first } = await place(key, bid);
  const half = await replace(key, { cancelOrderId: first.orderId, ...dear });
  assert.deepEqual([half.status, half.json.code], [409, -2021]);
  assert.equal(half.json.msg, "Order cancel-replace partially failed.");
  assert.equal(half.json.data.cancelResponse.status, "CANCELED");
  assert.deepEqual(
    [half.json.data.newOrderResult, half.json.data.newOrderResponse],
    ["FAILURE", poor],
  );
  const allow = { cancelReplaceMode: "ALLOW_FAILURE", cancelOrderId: 999_999 };
  const other = await replace(key, allow);
  assert.deepEqual(
    [other.status, other.json.code, other.json.data.cancelResponse],
    [409, -2021, unknown],
  );
  assert.equal(other.json.data.newOrderResponse.status, "NEW");
  const both = await replace(key, { ...allow, ...dear });
  assert.deepEqual([both.status, both.json.code], [400, -2022]);
  assert.deepEqual(
    [both.json.data.cancelResponse, both.json.data.newOrderResponse],
    [unknown, poor],
  );
  await clear(key);
});

test("SPT-26 cancelReplace needs a mode and an order, and accepts only known values", async () => {
  const key = await newTrader();
  const code = async (parameters: Record<string, string | number>) =>
    (await replace(key, parameters)).json.code;
  assert.equal(await code({}), -1102);
  assert.equal(await code({ cancelReplaceMode: "", cancelOrderId: 1 }), -1102);
  assert.equal(await code({ cancelReplaceMode: "MAYBE", cancelOrderId: 1 }), -1100);
  assert.equal(await code({ cancelOrderId: 1, cancelRestrictions: "ONLY_OLD" }), -1145);
  const cancelOnly = { cancelOrderId: 1, orderRateLimitExceededMode: "CANCEL_ONLY" };
  assert.equal(await code(cancelOnly), -1100);
});

test("SPT-28 a cancel restricted to new or to partly filled orders leaves other orders open", async () => {
  const [key, taker] = [await newTrader(), await newTrader()];
  const { json } = await place(key, { ...bid, newClientOrderId: "kept" });
  const named = { symbol, orderId: json.orderId };
  const cancel = async (cancelRestrictions: string) =>
    (await front.send("DELETE", "/api/v3/order", { ...named, cancelRestrictions }, { key })).json;
  const refused = { code: -2011, msg: "Order was not canceled due to cancel restrictions." };
  assert.deepEqual(await cancel("ONLY_PARTIALLY_FILLED"), refused);
  await place(taker, { side: "SELL", quantity: "120", price: "0.1" });
  assert.deepEqual(await cancel("ONLY_NEW"), refused);
  const replacing = { cancelOrigClientOrderId: "kept", cancelRestrictions: "ONLY_NEW" };
  const half = await replace(key, replacing);
  assert.deepEqual(half.json.data.cancelResponse, refused);
  assert.equal((await cancel("ONLY_PARTIALLY_FILLED")).status, "CANCELED");
  const fresh = await place(key, bid);
  const only = { symbol, orderId: fresh.json.orderId, cancelRestrictions: "ONLY_NEW" };
  const gone = await front.send("DELETE", "/api/v3/order", only, { key });
  assert.equal(gone.json.status, "CANCELED");
});

test("SPT-30 SPT-47 allOrders shows every order by id and time, with the newest state in memory", async () => {
  const key = await newTrader();
  const ids: number[] = [];
  for (const price of ["0.1", "0.11", "0.12"]) {
    front.advance(1000);
    ids.push((await place(key, { ...bid, price })).json.orderId);
  }
  const gone = { symbol, orderId: Number(ids[1]) };
  await front.send("DELETE", "/api/v3/order", gone, { key });
  const all = await get(key, "allOrders", { symbol });
  assert.deepEqual(
    all.map((order: { orderId: number; status: string }) => [order.orderId, order.status]),
    [
      [ids[0], "NEW"],
      [ids[1], "CANCELED"],
      [ids[2], "NEW"],
    ],
  );
  assert.deepEqual(all[0], await get(key, "order", { symbol, orderId: Number(ids[0]) }));
  const listed = async (parameters: Record<string, string | number>) => {
    const rows = await get(key, "allOrders", { symbol, ...parameters });
    return Array.isArray(rows) && typeof rows[0] === "number"
      ? rows
      : rows.map(({ orderId }: { orderId: number }) => orderId);
  };
  assert.deepEqual(await listed({ limit: 1 }), [ids[2]]);
  assert.deepEqual(await listed({ orderId: Number(ids[1]) }), [ids[1], ids[2]]);
  assert.deepEqual(await listed({ orderId: Number(ids[1]), limit: 1 }), [ids[1]]);
  const times = all.map(({ time }: { time: number }) => time);
  assert.deepEqual(await listed({ startTime: times[1] }), [ids[1], ids[2]]);
  assert.deepEqual(await listed({ endTime: times[1] }), [ids[0], ids[1]]);
  assert.deepEqual(await listed({ startTime: times[1], endTime: times[1] }), [ids[1]]);
  assert.deepEqual(await listed({ startTime: 1, endTime: 86_400_002 }), [400, -1127]);
  assert.deepEqual(await listed({ startTime: 2, endTime: 1 }), [400, -1128]);
  assert.deepEqual(await get(await newTrader(), "allOrders", { symbol }), []);
  assert.deepEqual(await get(key, "allOrders"), [400, -1102]);
  assert.deepEqual(await get(key, "allOrderList"), []);
  const allocations = (symbol: string) =>
    front.send("GET", "/compat/api/v3/myAllocations", { symbol }, { key });
  assert.deepEqual((await allocations("CC-USDC")).json, []);
  assert.equal((await allocations("NOPE")).json.code, -1100);
  assert.deepEqual(await get(key, "openOrderList"), []);
  await clear(key);
});

test("SPT-31 rateLimit/order shows the limits of the key's tier and how much is used", async () => {
  const key = await newTrader();
  await place(key, bid);
  await place(key, bid);
  const row = { rateLimitType: "ORDERS" };
  assert.deepEqual(await get(key, "rateLimit/order"), [
    { ...row, interval: "SECOND", intervalNum: 10, limit: 50, count: 2 },
    { ...row, interval: "MINUTE", intervalNum: 1, limit: 200, count: 2 },
  ]);
  await clear(key);
});

test("SPT-32 SPT-53 account/commission and tradeFee show the spot fees, which are zero for house accounts", async () => {
  const key = await newTrader();
  const rates = (maker: string, taker: string) => ({
    maker,
    taker,
    buyer: "0.00000000",
    seller: "0.00000000",
  });
  const none = rates("0.00000000", "0.00000000");
  const commission = await get(key, "account/commission", { symbol });
  assert.deepEqual(commission, {
    symbol,
    standardCommission: rates("0.00040000", "0.00100000"),
    specialCommission: none,
    taxCommission: none,
    discount: {
      enabledForAccount: false,
      enabledForSymbol: false,
      discountAsset: "",
      discount: "0.00000000",
    },
  });
  const fees = await front.send("GET", "/sapi/v1/asset/tradeFee", { symbol }, { key });
  assert.deepEqual(fees.json, [{ symbol, makerCommission: "0.0004", takerCommission: "0.0010" }]);
  const house = await front.newKey(front.venue.open(AccountType.house));
  const free = await get(house, "account/commission", { symbol });
  assert.deepEqual(free.standardCommission, none);
  const all = await front.send("GET", "/sapi/v1/asset/tradeFee", {}, { key: house });
  assert.deepEqual(
    all.json.map(({ makerCommission }: { makerCommission: string }) => makerCommission),
    ["0.0000", "0.0000", "0.0000", "0.0000"],
  );
});

test("SPT-33 the routes that clients call at their start are answered", async () => {
  const key = await newTrader();
  for (const path of ["margin/allPairs", "margin/isolated/allPairs"]) {
    const answer = await front.send("GET", `/sapi/v1/${path}`, {}, { key });
    assert.deepEqual([answer.status, answer.text], [200, "[]"]);
    assert.equal((await front.send("GET", `/sapi/v1/${path}`)).json.code, -2014);
  }
  const assets = await front.send("GET", "/sapi/v1/capital/config/getall", {}, { key });
  assert.deepEqual(
    assets.json.map(({ coin }: { coin: string }) => coin),
    ["USDC", "CC", "CBTC", "CETH"],
  );
  const status = await front.send("GET", "/sapi/v1/system/status");
  assert.deepEqual(status.json, { status: 0, msg: "normal" });
  assert.deepEqual((await front.send("GET", "/dapi/v1/exchangeInfo")).json, { symbols: [] });
});

test("SPT-34 CMP-3 on compat a refusal names the filter, the value, the step and the nearest valid value", async () => {
  const key = await newTrader();
  await place(key, { side: "SELL", quantity: "100", price: "0.2" });
  await place(key, { ...bid, price: "0.18" });
  const refusal = async (parameters: Record<string, string>, path = "/compat/api/v3/order") =>
    (await front.send("POST", path, { ...bid, ...parameters }, { key })).json;
  const hint = async (parameters: Record<string, string>) => (await refusal(parameters)).hint;
  const tick = { filter: "PRICE_FILTER", parameter: "price", step: "0.0001" };
  assert.deepEqual(await hint({ price: "0.10006" }), {
    ...tick,
    value: "0.10006",
    nearest: "0.1001",
  });
  assert.deepEqual(await hint({ price: "99999999" }), {
    ...tick,
    value: "99999999",
    nearest: "100000.0000",
  });
  assert.deepEqual(await hint({ price: "0" }), { ...tick, value: "0.0000", nearest: "0.0001" });
  const lot = { filter: "LOT_SIZE", parameter: "quantity", step: "0.1" };
  assert.deepEqual(await hint({ quantity: "200.04" }), {
    ...lot,
    value: "200.04",
    nearest: "200.0",
  });
  assert.deepEqual(await hint({ quantity: "0" }), { ...lot, value: "0.0", nearest: "0.1" });
  assert.deepEqual(await hint({ quantity: "10" }), {
    filter: "NOTIONAL",
    parameter: "quantity",
    value: "1.000000",
    minNotional: "10.000000",
    step: "0.1",
    nearest: "100.0",
  });
  assert.deepEqual(await hint({ price: "1.0001" }), {
    filter: "PERCENT_PRICE",
    parameter: "price",
    value: "1.0001",
    step: "0.0001",
    nearest: "0.7250",
  });
  assert.deepEqual(await hint({ price: "0.0001", quantity: "1000000" }), {
    filter: "PERCENT_PRICE",
    parameter: "price",
    value: "0.0001",
    step: "0.0001",
    nearest: "0.0290",
  });
  for (const path of ["/api/v3/order", "/api/v3/order/test"]) {
    assert.deepEqual(Object.keys(await refusal({ quantity: "10" }, path)), ["code", "msg"]);
  }
  const tested = await refusal({ quantity: "10" }, "/compat/api/v3/order/test");
  assert.equal(tested.hint.nearest, "100.0");
  for (let count = 2; count < 200; count++) {
    if (count % 40 === 0) front.advance(60_000);
    await place(key, { ...bid, price: "0.17" });
  }
  front.advance(60_000);
  const full = await refusal({ price: "0.17" });
  assert.deepEqual(
    [full.msg, full.hint],
    ["Filter failure: MAX_NUM_ORDERS", { filter: "MAX_NUM_ORDERS", value: 200, nearest: 200 }],
  );
  await clear(key);
});
