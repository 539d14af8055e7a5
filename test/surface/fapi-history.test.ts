// Proves what an account reads of its past on the perpetual surface: all orders of a symbol, and its fills and income,
// by range and id.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { EventKind } from "../../src/core/generated/events.ts";
import { formatScaled } from "../../src/core/money/amounts.ts";
import { sayIndex } from "../support/machine/test-venue.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

const dayMs = 86_400_000;
const symbol = "BTCUSDT";

let front: FrontFixture;
let maker: TestKey;
let taker: TestKey;
let firstId = 0;

function place(key: TestKey, more: Record<string, string>) {
  const limit = { symbol, type: "LIMIT", timeInForce: "GTC", quantity: "0.1", price: "60000" };
  return front.send("POST", "/fapi/v1/order", { ...limit, ...more }, { key });
}

/** Makes one trade ten days ago; today, a trade that closes half of it, and an order that rests. */
before(async () => {
  front = await FrontFixture.open();
  maker = await front.newTrader();
  taker = await front.newTrader();
  await place(maker, { side: "SELL" });
  const first = await place(taker, { side: "BUY" });
  firstId = first.json.orderId;
  front.advance(10 * dayMs);
  await place(maker, { side: "BUY", price: "61000", quantity: "0.05" });
  await place(taker, { side: "SELL", price: "61000", quantity: "0.05" });
  await place(taker, { side: "BUY", price: "50000", newClientOrderId: "rests" });
});
after(() => front.close());

async function read(path: string, parameters: Record<string, string | number> = {}) {
  return front.send("GET", `/fapi/v1/${path}`, { symbol, ...parameters }, { key: taker });
}

async function ids(parameters: Record<string, string | number>): Promise<number[]> {
  const { json } = await read("allOrders", parameters);
  return json.map(({ orderId }: { orderId: number }) => orderId);
}

test("FAP-23 allOrders lists the last seven days, from an id on, or a range of at most seven days", async () => {
  const { json: recent } = await read("allOrders");
  assert.deepEqual(
    recent.map(({ status, clientOrderId }: Record<string, string>) => [
      status,
      clientOrderId === "rests",
    ]),
    [
      ["FILLED", false],
      ["NEW", true],
    ],
  );
  assert.equal(
    (await ids({ orderId: firstId })).length,
    3,
    "A query by id must reach back further",
  );
  assert.deepEqual(await ids({ orderId: firstId, limit: 1 }), [firstId]);
  const nowMs = Math.floor(front.nowUs() / 1000);
  assert.deepEqual(await ids({ startTime: nowMs - 11 * dayMs }), [firstId]);
  assert.deepEqual(await ids({ endTime: nowMs - 9 * dayMs }), [firstId]);
  const none = await front.send("GET", "/fapi/v1/allOrders", { symbol: "CCUSDT" }, { key: taker });
  assert.deepEqual(none.json, []);
  for (const [parameters, code] of [
    [{ startTime: nowMs - 8 * dayMs, endTime: nowMs }, -1127],
    [{ startTime: nowMs, endTime: nowMs - 1 }, -1128],
    [{ limit: "x" }, -1100],
    [{ symbol: "NOTHING" }, -1100],
  ] as const) {
    const { status, json } = await read("allOrders", parameters);
    assert.deepEqual([status, json.code], [400, code]);
  }
});

test("FAP-23 allOrders without a symbol lists the orders of all perpetuals by id", async () => {
  const terms = { symbol: "ETHUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const order = { ...terms, quantity: "0.1", price: "2000" };
  const placed = await front.send("POST", "/fapi/v1/order", order, { key: taker });
  assert.equal(placed.status, 200, placed.text);
  const { orderId } = placed.json;
  const all = await ids({ symbol: "" });
  assert.deepEqual([all.length, all.at(-1)], [3, orderId]);
  assert.deepEqual(await ids({ symbol: "", limit: 1 }), [orderId]);
  assert.deepEqual(await ids({ symbol: "", orderId: firstId, limit: 1 }), [firstId]);
});

test("FAP-24 userTrades shows side, profit and fee of each fill, newest last", async () => {
  const { json: rows } = await read("userTrades", { fromId: 1 });
  assert.equal(rows.length, 2);
  const [opening, closing] = rows;
  assert.deepEqual(closing, {
    symbol,
    id: closing.id,
    orderId: closing.orderId,
    side: "SELL",
    price: "61000.00",
    qty: "0.050",
    quoteQty: "3050.000000",
    realizedPnl: "50.000000",
    commission: "1.525000",
    commissionAsset: "USDC",
    buyer: false,
    maker: false,
    positionSide: "BOTH",
    time: closing.time,
  });
  assert.deepEqual([opening.buyer, opening.realizedPnl], [true, "0.000000"]);
  const { json: recent } = await read("userTrades");
  assert.deepEqual(recent, [closing], "Without a time the query must cover seven days");
  const { json: ofOrder } = await read("userTrades", { orderId: firstId });
  assert.deepEqual(ofOrder, [opening]);
  const { json: ofMaker } = await front.send(
    "GET",
    "/compat/fapi/v1/userTrades",
    { symbol },
    {
      key: maker,
    },
  );
  assert.deepEqual(
    ofMaker.map(({ maker: isMaker, commissionAsset }: Record<string, unknown>) => [
      isMaker,
      commissionAsset,
    ]),
    [[true, "USDT"]],
  );
  const both = await read("userTrades", { fromId: 1, startTime: 1 });
  assert.deepEqual([both.status, both.json.code], [400, -1128]);
});

test("FAP-29 income lists fees, profit and transfers of the perpetual wallet, oldest first", async () => {
  const { json: rows } = await front.send(
    "GET",
    "/fapi/v1/income",
    { startTime: 1 },
    { key: taker },
  );
  const kinds = rows.map((row: Record<string, string>) => [row["incomeType"], row["income"]]);
  assert.deepEqual(kinds.slice(-3), [
    ["COMMISSION", "-3.000000"],
    ["REALIZED_PNL", "50.000000"],
    ["COMMISSION", "-1.525000"],
  ]);
  const profit = await read("income", { incomeType: "REALIZED_PNL" });
  assert.deepEqual(profit.json, [
    {
      symbol,
      incomeType: "REALIZED_PNL",
      income: "50.000000",
      asset: "USDC",
      info: profit.json[0].tradeId,
      time: profit.json[0].time,
      tranId: Number(profit.json[0].tradeId),
      tradeId: profit.json[0].tradeId,
    },
  ]);
  assert.deepEqual((await read("income", { incomeType: "FUNDING_FEE" })).json, []);
  assert.deepEqual((await read("income", { page: 9_999_999 })).json, []);
  const second = await read("income", { startTime: 1, limit: 1, page: 2 });
  const all = await read("income", { startTime: 1 });
  assert.deepEqual(second.json, [all.json[1]]);
  assert.deepEqual((await read("forceOrders", { symbol })).json, []);
});

test("FAP-29 FND-8 a funding payment is income of its market, with the event's number as transaction id", async () => {
  const { venue } = front;
  sayIndex(venue, 4, 6_000_100);
  const tick = () => venue.machine.handle(venue.command({ kind: CommandKind.tick }));
  tick();
  venue.done({ kind: CommandKind.settleFunding });
  tick();
  const paid = venue.events.filter((event) => event.kind === EventKind.fundingPaid);
  const own = paid.find(({ account }) => account === taker.account);
  assert(own !== undefined && own.amount < 0n, "The long must pay funding");
  const { json } = await read("income", { incomeType: "FUNDING_FEE" });
  assert.deepEqual(json, [
    {
      symbol,
      incomeType: "FUNDING_FEE",
      income: formatScaled(own.amount, 6),
      asset: "USDC",
      info: "FUNDING_FEE",
      time: Math.floor(own.tsUs / 1000),
      tranId: own.seq,
      tradeId: "",
    },
  ]);
});

test("ERR-2 a failed read gets -1000 and reveals nothing more", async () => {
  front.history.isBroken = true;
  for (const path of ["allOrders", "userTrades", "income"]) {
    const { status, json } = await read(path);
    assert.deepEqual([status, json.code], [500, -1000]);
  }
  front.history.isBroken = false;
});
