// Order lists over the spot surface: placing, querying and cancelling lists of every type, with Binance's fields.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FrontFixture } from "./front-fixture.ts";
import { ListFront, oco, oldOco, otoco, symbol, working } from "./list-fixture.ts";

let lists: ListFront;
let front: FrontFixture;

before(async () => {
  lists = await ListFront.open();
  front = lists.front;
});
after(() => front.close());

const newTrader: ListFront["newTrader"] = () => lists.newTrader();
const trade: ListFront["trade"] = (...terms) => lists.trade(...terms);
const send: ListFront["send"] = (...request) => lists.send(...request);

test("SPT-83 SPT-86 an OCO answers the list with both orders, the stop loss first", async () => {
  const key = await newTrader();
  const ids = { listClientOrderId: "list-1", aboveClientOrderId: "up", belowClientOrderId: "down" };
  const placed = await send(key, "POST", "orderList/oco", { ...oco, ...ids });
  const { orders, orderReports, transactionTime, ...head } = placed;
  const [stop, limit] = orderReports;
  assert.deepEqual(head, {
    orderListId: stop.orderId,
    contingencyType: "OCO",
    listStatusType: "EXEC_STARTED",
    listOrderStatus: "EXECUTING",
    listClientOrderId: "list-1",
    symbol,
  });
  assert.deepEqual(orders, [
    { symbol, orderId: stop.orderId, clientOrderId: "down" },
    { symbol, orderId: stop.orderId + 1, clientOrderId: "up" },
  ]);
  const shown = ({
    type,
    status,
    orderListId,
    stopPrice,
    workingTime,
  }: Record<string, unknown>) => ({
    ...{ type, status, orderListId, stopPrice, isWorking: workingTime !== -1 },
  });
  const orderListId = head.orderListId;
  assert.deepEqual(shown(stop), {
    ...{ type: "STOP_LOSS_LIMIT", status: "NEW", orderListId, stopPrice: "0.1400" },
    isWorking: false,
  });
  assert.deepEqual(shown(limit), {
    ...{ type: "LIMIT_MAKER", status: "NEW", orderListId, stopPrice: undefined, isWorking: true },
  });
  assert.equal(typeof transactionTime, "number");
  const account = await send(key, "GET", "account");
  const locked = account.balances.find(({ asset }: { asset: string }) => asset === "CC").locked;
  assert.equal(Number(locked), 100, "one order's worth");
});

test("SPT-83 the older OCO route places the same list", async () => {
  const key = await newTrader();
  const old = { symbol, side: "SELL", quantity: "100", price: "0.1600", stopPrice: "0.1400" };
  const { orderReports } = await send(key, "POST", "order/oco", old);
  const types = orderReports.map(({ type }: { type: string }) => type);
  assert.deepEqual(types, ["STOP_LOSS", "LIMIT_MAKER"]);
  const half = await send(key, "POST", "order/oco", { ...old, stopLimitPrice: "0.1390" });
  assert.deepEqual(half.slice(0, 2), [400, -1102]);
  const idle = await send(key, "POST", "order/oco", { ...old, stopLimitTimeInForce: "GTC" });
  assert.deepEqual(idle.slice(0, 2), [400, -1106]);
});

test("SPT-84 SPT-85 a list is refused by the names of its parameters, its prices and its client id", async () => {
  const key = await newTrader();
  const code = async (change: Record<string, string>) => {
    const answer = await send(key, "POST", "orderList/oco", { ...oco, ...change });
    return Array.isArray(answer) ? answer.slice(1) : "placed";
  };
  const wrong = [-2010, "The relationship of the prices for the orders is not correct."];
  assert.deepEqual(await code({ abovePrice: "0.1500" }), wrong);
  assert.deepEqual(await code({ belowStopPrice: "0.1500" }), wrong);
  assert.equal((await code({ belowType: "STOP_LOSS" }))[0], -1106);
  const missing = await code({ belowStopPrice: "" });
  assert.deepEqual([missing[0], String(missing[1]).includes("belowStopPrice")], [-1102, true]);
  assert.equal((await code({ aboveColour: "red" }))[0], -1103);
  // Otherwise a later list could get the id that the venue derives for it twice.
  for (const [name, form] of [
    ["listClientOrderId", `l-${"0".repeat(20)}`],
    ["belowClientOrderId", `o-${"0".repeat(20)}`],
  ] as const) {
    const refusal = await code({ [name]: form });
    assert.deepEqual([refusal[0], String(refusal[1]).includes(`'${name}'`)], [-1100, true]);
  }
  assert.equal(await code({ listClientOrderId: "same" }), "placed");
  assert.equal((await code({ listClientOrderId: "same" }))[0], -2010);
});

test("SPT-89 SPT-91 a list is found by its ids and cancelled as a whole, also by one of its orders", async () => {
  const key = await newTrader();
  const place = (listClientOrderId: string) =>
    send(key, "POST", "orderList/oco", { ...oco, listClientOrderId });
  const first = await place("first");
  const second = await place("second");
  const ids = (lists: { orderListId: number }[]) => lists.map(({ orderListId }) => orderListId);
  const both = [first.orderListId, second.orderListId];
  assert.deepEqual(ids(await send(key, "GET", "openOrderList")), both);
  const cancelled = await send(key, "DELETE", "orderList", { symbol, listClientOrderId: "first" });
  assert.deepEqual(
    [cancelled.listStatusType, cancelled.listOrderStatus, cancelled.orderListId],
    ["ALL_DONE", "ALL_DONE", first.orderListId],
  );
  const statuses = cancelled.orderReports.map(({ status }: { status: string }) => status);
  assert.deepEqual(statuses, ["CANCELED", "CANCELED"]);
  const orderId = second.orders[1].orderId;
  const one = await send(key, "DELETE", "order", { symbol, orderId });
  assert.deepEqual([one.orderListId, one.orderReports.length], [second.orderListId, 2]);
  assert.deepEqual(await send(key, "GET", "openOrderList"), []);
  assert.deepEqual(ids(await send(key, "GET", "allOrderList")), both);
  const from = { fromId: second.orderListId };
  assert.deepEqual(ids(await send(key, "GET", "allOrderList", from)), [second.orderListId]);
  const found = await send(key, "GET", "orderList", { origClientOrderId: "first" });
  assert.deepEqual([found.orderListId, found.listStatusType], [first.orderListId, "ALL_DONE"]);
  const again = await send(key, "DELETE", "orderList", { symbol, orderListId: first.orderListId });
  assert.equal(again[1], -2011);
  assert.equal((await send(key, "GET", "orderList", { orderListId: 1 }))[1], -2011);
  assert.deepEqual((await send(key, "GET", "orderList"))[1], -1102);
});

test("SPT-91 a list that is over is found by its own client id: chosen or derived, and by no end of another one", async () => {
  const key = await newTrader();
  const run = async (name: object) => {
    const { orderListId, listClientOrderId } = await send(key, "POST", "orderList/oco", {
      ...oco,
      ...name,
    });
    await send(key, "DELETE", "orderList", { symbol, orderListId });
    return { orderListId, listClientOrderId };
  };
  const [first, longer, derived] = [
    await run({ listClientOrderId: "ends" }),
    await run({ listClientOrderId: "it-ends" }),
    await run({}),
  ];
  for (const { orderListId, listClientOrderId } of [first, longer, derived]) {
    const by = { origClientOrderId: listClientOrderId };
    const found = await send(key, "GET", "orderList", by);
    assert.deepEqual(
      [found.orderListId, found.listClientOrderId],
      [orderListId, by.origClientOrderId],
    );
    const again = await send(key, "GET", "orderList", { ...by, orderListId });
    assert.equal(again.orderListId, orderListId);
  }
  const unknown = await send(key, "GET", "orderList", { origClientOrderId: "nds" });
  assert.equal(unknown[1], -2011);
});

test("SPT-34 the hint to a refused list names the client's own parameter", async () => {
  const key = await newTrader();
  const hintOf = async (path: string, parameters: object) => {
    const url = `/compat/api/v3/${path}`;
    const { json } = await front.send("POST", url, { ...parameters }, { key });
    return json.hint?.parameter;
  };
  const { pendingQuantity } = otoco;
  for (const [path, given, name] of [
    ["orderList/oco", { ...oco, quantity: "0.00001" }, "quantity"],
    ["orderList/oco", { ...oco, abovePrice: "0.16001" }, "abovePrice"],
    ["orderList/oco", { ...oco, belowStopPrice: "0.14001" }, "belowStopPrice"],
    [
      "orderList/otoco",
      { ...otoco, workingQuantity: `${pendingQuantity}.0001` },
      "workingQuantity",
    ],
    [
      "orderList/otoco",
      { ...otoco, pendingQuantity: `${pendingQuantity}.0001` },
      "pendingQuantity",
    ],
    ["order/oco", { ...oldOco, price: "0.16001" }, "price"],
    ["order/oco", { ...oldOco, stopPrice: "0.14001" }, "stopPrice"],
    ["order/oco", { ...oldOco, stopLimitPrice: "0.13901" }, "stopLimitPrice"],
  ] as const) {
    assert.equal(await hintOf(path, given), name);
  }
});

test("CMP-45 the orders of a list say why they expired", async () => {
  const key = await newTrader();
  const reasonsOf = async ({ orders }: { orders: { orderId: number }[] }) => {
    const path = "/compat/api/v3/order";
    const found = orders.map(({ orderId }) =>
      front.send("GET", path, { symbol, orderId }, { key }),
    );
    return (await Promise.all(found)).map(({ json }) => json.expiryReason);
  };
  const goesOn = async (list: object, path: string) => {
    const placed = await send(key, "POST", path, { ...list });
    await trade("0.1450");
    const reasons = await reasonsOf(placed);
    await trade("0.1500");
    return reasons;
  };
  const tooMuch = { ...otoco, pendingQuantity: "5000000" };
  assert.deepEqual(await goesOn(tooMuch, "orderList/otoco"), [undefined, "REJECTED", "REJECTED"]);
  const unfilled = { ...otoco, workingPrice: "0.1400", workingTimeInForce: "IOC" };
  const phase = "OTO_PHASE_ONE_EXPIRED";
  assert.deepEqual(await goesOn(unfilled, "orderList/otoco"), [
    "UNFILLED_IOC_QUANTITY_EXPIRED",
    ...[phase, phase],
  ]);
  const near = { ...oco, belowStopPrice: "0.1450", belowPrice: "0.1440" };
  assert.deepEqual(await goesOn(near, "orderList/oco"), [undefined, "OCO_TRIGGER"]);
  await send(key, "DELETE", "openOrders", { symbol });
});

test("CMP-13 the times of a list are in microseconds if the client asks for them", async () => {
  const key = await newTrader();
  const headers = { "X-MBX-TIME-UNIT": "MICROSECOND" };
  const path = "/compat/api/v3/orderList";
  const { json } = await front.send("POST", `${path}/oco`, oco, { key, headers });
  const { orderListId } = json;
  const query = await front.send("GET", path, { orderListId }, { key });
  assert.equal(json.transactionTime, query.json.transactionTime * 1000);
  assert.equal(json.orderReports[0].transactTime, json.transactionTime);
  await send(key, "DELETE", "orderList", { symbol, orderListId });
});

test("SPT-89 a cancel of all orders shows a list once", async () => {
  const key = await newTrader();
  const { orderListId } = await send(key, "POST", "orderList/oco", oco);
  const bid = { symbol, type: "LIMIT", timeInForce: "GTC", side: "BUY", quantity: "100" };
  await send(key, "POST", "order", { ...bid, price: "0.1" });
  const answers = await send(key, "DELETE", "openOrders", { symbol });
  const lists = answers.filter((one: { orderReports?: unknown }) => one.orderReports !== undefined);
  assert.deepEqual([answers.length, lists.length, lists[0].orderListId], [2, 1, orderListId]);
  assert.equal(lists[0].orderReports.length, 2);
});

test("SPT-90 the pending orders of an OTOCO show PENDING_NEW until the working order is filled", async () => {
  const key = await newTrader();
  const placed = await send(key, "POST", "orderList/otoco", otoco);
  const states = placed.orderReports.map(({ status }: { status: string }) => status);
  assert.deepEqual(
    [placed.contingencyType, states],
    ["OTO", ["NEW", "PENDING_NEW", "PENDING_NEW"]],
  );
  await trade("0.1450");
  const state = async (place: number) => {
    const { orderId } = placed.orders[place];
    return (await send(key, "GET", "order", { symbol, orderId })).status;
  };
  assert.deepEqual([await state(0), await state(1), await state(2)], ["FILLED", "NEW", "NEW"]);
  await trade("0.1500");
  const done = await send(key, "DELETE", "orderList", { symbol, orderListId: placed.orderListId });
  assert.deepEqual(
    [done.listOrderStatus, done.orders.length, done.orderReports.length],
    ["ALL_DONE", 3, 2],
  );
});

test("SPT-83 SPT-92 an OTO places its pending order, and only its working order can be amended", async () => {
  const key = await newTrader();
  const pending = { pendingSide: "SELL", pendingQuantity: "100", pendingPrice: "0.2000" };
  const oto = { ...working, ...pending, pendingType: "LIMIT_MAKER" };
  const { orders } = await send(key, "POST", "orderList/oto", oto);
  const amend = { symbol, orderId: orders[0].orderId, newQty: "90" };
  const path = "/api/v3/order/amend/keepPriority";
  assert.equal((await front.send("PUT", path, amend, { key })).status, 200);
  const pair = await send(key, "POST", "orderList/oco", oco);
  const [, limit] = pair.orders;
  const refused = await front.send("PUT", path, { ...amend, orderId: limit.orderId }, { key });
  assert.deepEqual([refused.status, refused.json.code], [422, -2038]);
  await send(key, "DELETE", "openOrders", { symbol });
});

test("SPT-94 SPT-95 a mass cancel and the trigger of a maker group cancel lists whole", async () => {
  const key = await newTrader();
  await send(key, "POST", "orderList/otoco", otoco);
  const sells = await send(key, "DELETE", "massCancel", { symbol, side: "SELL" });
  assert.deepEqual(sells, { canceled: 3 });
  const group = {
    symbols: JSON.stringify([symbol]),
    group: 1,
    windowTimeInMilliseconds: 1000,
    countLimit: 1,
  };
  const set = await send(key, "POST", "mmpSet", group);
  assert.equal(Array.isArray(set), false, JSON.stringify(set));
  const { orderListId } = await send(key, "POST", "orderList/otoco", otoco);
  await trade("0.1450", "70");
  const { listOrderStatus } = await send(key, "GET", "orderList", { orderListId });
  assert.equal(listOrderStatus, "ALL_DONE");
  assert.deepEqual(await send(key, "GET", "openOrders", { symbol }), []);
  const [status, code] = await send(key, "POST", "orderList/otoco", otoco);
  const single = { symbol, type: "LIMIT", timeInForce: "GTC", side: "BUY", quantity: "100" };
  const [, expected] = await send(key, "POST", "order", { ...single, price: "0.1" });
  assert.deepEqual([status >= 400, code], [true, expected]);
  await trade("0.1500");
});

test("SPT-93 a list over REST cannot ask to be cancelled with a connection", async () => {
  const key = await newTrader();
  const answer = await send(key, "POST", "orderList/oco", { ...oco, cancelOnDisconnect: "true" });
  assert.deepEqual(answer.slice(0, 2), [400, -1130]);
  const stays = { ...oco, cancelOnDisconnect: "false" };
  const { orderListId } = await send(key, "POST", "orderList/oco", stays);
  await send(key, "DELETE", "orderList", { symbol, orderListId });
});

const opo = {
  ...{ ...working, pendingSide: "SELL" },
  ...{ pendingType: "LIMIT_MAKER", pendingPrice: "0.1600" },
};
const opoco = {
  ...{ ...working, pendingSide: "SELL" },
  ...{ pendingAboveType: "LIMIT_MAKER", pendingAbovePrice: "0.1600" },
  ...{ pendingBelowType: "STOP_LOSS", pendingBelowStopPrice: "0.1400" },
};

test("SPT-104 SPT-106 an OPO shows no quantity of its pending order until the working order has paid for it", async () => {
  front.advance(60_000);
  const key = await front.newTrader();
  const { orderReports, ...list } = await send(key, "POST", "orderList/opo", opo);
  const [first, second] = orderReports;
  assert.deepEqual([list.contingencyType, list.listStatusType], ["OTO", "EXEC_STARTED"]);
  assert.deepEqual([first.status, first.origQty, first.side], ["NEW", "100.0", "BUY"]);
  assert.deepEqual([second.status, second.side], ["PENDING_NEW", "SELL"]);
  assert.equal("origQty" in second, false);
  await trade("0.1450", "70");
  await trade("0.1450", "70");
  const { orderId } = second;
  const sold = await send(key, "GET", "order", { symbol, orderId });
  assert.deepEqual([sold.status, sold.orderListId], ["NEW", list.orderListId]);
  const { balances } = await send(key, "GET", "account");
  const coins = balances.find(({ asset }: { asset: string }) => asset === "CC");
  assert.equal(Number(coins.locked), Number(sold.origQty));
  assert.ok(Number(sold.origQty) > 99 && Number(sold.origQty) < 100, sold.origQty);
  await send(key, "DELETE", "openOrders", { symbol });
});

test("SPT-104 SPT-105 an OPOCO cancelled after a part was bought frees the coins", async () => {
  front.advance(60_000);
  const key = await front.newTrader();
  const { orderListId, orderReports } = await send(key, "POST", "orderList/opoco", opoco);
  const told = orderReports.map(({ type, origQty }: Record<string, string>) => [type, origQty]);
  assert.deepEqual(told, [
    ["LIMIT", "100.0"],
    ["STOP_LOSS", undefined],
    ["LIMIT_MAKER", undefined],
  ]);
  await trade("0.1450", "70");
  const locked = async () => {
    const { balances } = await send(key, "GET", "account");
    return Number(balances.find(({ asset }: { asset: string }) => asset === "CC").locked);
  };
  assert.ok((await locked()) > 69);
  const { listOrderStatus } = await send(key, "DELETE", "orderList", { symbol, orderListId });
  assert.deepEqual([listOrderStatus, await locked()], ["ALL_DONE", 0]);
});

test("SPT-104 an OPO that sells first, buys then or names a pending quantity is refused by name", async () => {
  const key = await newTrader();
  const cases = [
    [{ ...opo, workingSide: "SELL" }, 400, -1222],
    [{ ...opo, pendingSide: "BUY" }, 400, -1223],
    [{ ...opo, pendingQuantity: "100" }, 400, -1103],
    [{ ...opo, workingType: "MARKET", workingPrice: "", workingTimeInForce: "" }, 400, -1014],
  ] as const;
  for (const [parameters, status, code] of cases) {
    const refused = await send(key, "POST", "orderList/opo", parameters);
    assert.deepEqual(refused.slice(0, 2), [status, code], JSON.stringify(refused));
  }
  const { json } = await front.send("GET", "/api/v3/exchangeInfo", { symbol }, { key });
  assert.equal(json.symbols[0].opoAllowed, true);
});
