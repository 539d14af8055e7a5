// What the orders of lists can be on the spot surface: of which types, icebergs, pegged; and what the answer to a list shows
// whose working order is filled at once.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FrontFixture, TestKey } from "./front-fixture.ts";
import { ListFront, oco, oldOco, otoco, symbol, working } from "./list-fixture.ts";

let lists: ListFront;
let front: FrontFixture;
let other: TestKey;

before(async () => {
  lists = await ListFront.open();
  front = lists.front;
  other = lists.other;
});
after(() => front.close());

const newTrader: ListFront["newTrader"] = () => lists.newTrader();
const trade: ListFront["trade"] = (...terms) => lists.trade(...terms);
const send: ListFront["send"] = (...request) => lists.send(...request);

test("SPT-110 an OCO of wrong types, or with an order on the wrong side, has Binance's codes", async () => {
  const key = await newTrader();
  const stop = (leg: string) => ({ [`${leg}Type`]: "STOP_LOSS", [`${leg}StopPrice`]: "0.1400" });
  const profit = (leg: string) => ({ [`${leg}Type`]: "TAKE_PROFIT", [`${leg}StopPrice`]: "0.16" });
  const maker = (leg: string) => ({ [`${leg}Type`]: "LIMIT_MAKER", [`${leg}Price`]: "0.1600" });
  const priced = (leg: string) => ({ ...maker(leg), [`${leg}Type`]: "LIMIT" });
  const cases: readonly (readonly [string, object, object, number])[] = [
    ["SELL", priced("above"), stop("below"), -1158],
    ["SELL", maker("above"), { belowType: "MARKET" }, -1158],
    ["BUY", maker("above"), stop("below"), -1165],
    ["SELL", stop("above"), maker("below"), -1197],
    ["SELL", profit("above"), maker("below"), -1166],
    ["SELL", maker("above"), maker("below"), -1168],
    ["BUY", stop("above"), stop("below"), -1196],
    ["SELL", stop("above"), stop("below"), -1197],
    ["BUY", profit("above"), stop("below"), -1198],
    ["SELL", maker("above"), profit("below"), -1199],
  ];
  const { seq } = front.state;
  for (const [side, above, below, code] of cases) {
    const terms = { symbol, side, quantity: "100", ...above, ...below };
    const [status, refused] = await send(key, "POST", "orderList/oco", terms);
    assert.deepEqual([status, refused], [400, code], JSON.stringify(terms));
    const both = { ...above, ...below };
    const pending = Object.entries(both).map(([name, value]) => {
      return [`pending${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, value];
    });
    const list = { ...working, pendingSide: side, pendingQuantity: "100" };
    const path = "orderList/otoco";
    const paired = await send(key, "POST", path, { ...list, ...Object.fromEntries(pending) });
    assert.deepEqual(paired.slice(0, 2), [400, code]);
  }
  assert.equal(front.state.seq, seq, "A refused list must change nothing");
});

test("SPT-111 the orders of lists may be icebergs, also those of the older OCO route", async () => {
  const key = await newTrader();
  const slices = ({ orderReports }: { orderReports: { icebergQty?: string }[] }) =>
    orderReports.map(({ icebergQty }) => icebergQty && Number(icebergQty));
  const end = () => send(key, "DELETE", "openOrders", { symbol });
  const sliced = { aboveIcebergQty: "30", belowIcebergQty: "20" };
  assert.deepEqual(
    slices(await send(key, "POST", "orderList/oco", { ...oco, ...sliced })),
    [20, 30],
  );
  await end();
  const old = { ...oldOco, limitIcebergQty: "40", stopIcebergQty: "50" };
  assert.deepEqual(slices(await send(key, "POST", "order/oco", old)), [50, 40]);
  await end();
  const list = { ...otoco, workingIcebergQty: "25", pendingAboveIcebergQty: "45" };
  assert.deepEqual(slices(await send(key, "POST", "orderList/otoco", list)), [25, undefined, 45]);
  await end();
  const { pendingQuantity: _, ...paid } = list;
  assert.deepEqual(slices(await send(key, "POST", "orderList/opoco", paid)), [25, undefined, 45]);
  await end();
  const { seq } = front.state;
  for (const [change, code, name] of [
    [{ belowIcebergQty: "20", belowTimeInForce: "IOC" }, -1160, "'belowTimeInForce'"],
    [{ belowIcebergQty: "9" }, -1013, "ICEBERG_PARTS"],
    [{ aboveIcebergQty: "101" }, -2010, "IcebergQty exceeds QTY"],
    [{ aboveIcebergQty: "x" }, -1100, "'aboveIcebergQty'"],
  ] as const) {
    const refused = await send(key, "POST", "orderList/oco", { ...oco, ...change });
    assert.deepEqual([refused[1], String(refused[2]).includes(name)], [code, true], name);
  }
  const atMarket = await send(key, "POST", "orderList/otoco", {
    ...otoco,
    pendingBelowIcebergQty: "30",
  });
  assert.deepEqual(atMarket[1], -1106);
  assert.equal(front.state.seq, seq, "A refused list must change nothing");
});

test("SPT-113 the orders of lists may be pegged: the one for the book at once, the others when their turn comes", async () => {
  const key = await newTrader();
  const maker = await newTrader();
  const limit = { symbol, type: "LIMIT", timeInForce: "GTC", quantity: "100" };
  for (const price of ["0.1700", "0.1720"])
    await send(maker, "POST", "order", { ...limit, side: "SELL", price });
  await send(maker, "POST", "order", { ...limit, side: "BUY", price: "0.1440" });
  const { abovePrice: _, belowPrice: __, ...unpriced } = oco;
  const pegs = { abovePegPriceType: "PRIMARY_PEG", belowPegPriceType: "MARKET_PEG" };
  const placed = await send(key, "POST", "orderList/oco", { ...unpriced, ...pegs });
  const [stop, goal] = placed.orderReports;
  assert.deepEqual(
    [stop.pegPriceType, stop.peggedPrice, Number(stop.price)],
    ["MARKET_PEG", undefined, 0],
  );
  assert.deepEqual([goal.pegPriceType, Number(goal.peggedPrice)], ["PRIMARY_PEG", 0.17]);
  await send(key, "DELETE", "openOrders", { symbol });
  const { pendingAbovePrice: ___, ...pair } = otoco;
  const later = {
    ...{ ...pair, pendingAbovePegPriceType: "PRIMARY_PEG" },
    ...{ pendingAbovePegOffsetType: "PRICE_LEVEL", pendingAbovePegOffsetValue: "1" },
  };
  const list = await send(key, "POST", "orderList/otoco", later);
  const pending = list.orderReports[2];
  assert.deepEqual(
    [pending.pegPriceType, pending.pegOffsetValue, pending.peggedPrice],
    ["PRIMARY_PEG", 1, undefined],
  );
  await send(other, "POST", "order", { ...limit, side: "SELL", price: "0.1450" });
  const { orderId } = list.orders[2];
  const shown = await send(key, "GET", "order", { symbol, orderId });
  assert.deepEqual([shown.status, Number(shown.price)], ["NEW", 0.172]);
  await send(key, "DELETE", "openOrders", { symbol });
  const { seq } = front.state;
  for (const [change, code, name] of [
    [{ belowPegOffsetValue: "1" }, -1102, "'belowPegOffsetType'"],
    [{ belowType: "STOP_LOSS", belowTimeInForce: "" }, -1106, "'belowPegPriceType'"],
    [{ abovePegPriceType: "MARKET_PEG" }, -1014, ""],
    [{ abovePegPriceType: "" }, -1102, "'abovePrice'"],
  ] as const) {
    const terms = { ...unpriced, ...pegs, ...change };
    const refused = await send(key, "POST", "orderList/oco", terms);
    assert.deepEqual([refused[1], String(refused[2]).includes(name)], [code, true], `${refused}`);
  }
  assert.equal(front.state.seq, seq, "A refused list must change nothing");
  for (const one of [maker, other]) await send(one, "DELETE", "openOrders", { symbol });
  await trade("0.1500");
});

test("SPT-90 the answer to a list whose working order is filled at once shows its pending orders as they were accepted", async () => {
  const key = await newTrader();
  const sell = { symbol, type: "LIMIT", timeInForce: "GTC", side: "SELL", quantity: "100" };
  await send(other, "POST", "order", { ...sell, price: "0.1450" });
  const placed = await send(key, "POST", "orderList/otoco", otoco);
  const states = placed.orderReports.map(({ status }: { status: string }) => status);
  assert.deepEqual(states, ["FILLED", "PENDING_NEW", "PENDING_NEW"]);
  assert.equal(placed.listOrderStatus, "EXECUTING");
  const { orderId } = placed.orders[2];
  assert.equal((await send(key, "GET", "order", { symbol, orderId })).status, "NEW");
  await send(key, "DELETE", "openOrders", { symbol });
  await trade("0.1500");
});
