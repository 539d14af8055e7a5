// Proves what clients of the perpetual surface see of a liquidation: its stage and the next attempt, refused orders,
// user data, income, and the pause of trading.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SystemAccount, Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { Side } from "../../src/core/orders.ts";
import { StreamClient } from "../streams/stream-client.ts";
import { crashTo, openLongs, tickSecond } from "../support/machine/small-crash.ts";
import { marketId, oneUsdc } from "../support/machine/test-markets.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;
/** A front whose insurance fund is too poor to take over a position. */
let poorFront: FrontFixture;

before(async () => {
  front = await FrontFixture.open({ isLive: true, connectionsPerAddressMax: 100 });
  poorFront = await FrontFixture.open({ isLive: true });
});
after(() => {
  front.close();
  poorFront.close();
});

/** Creates a key of an account with exactly this much in its perp wallet. */
async function traderWith(usdc: bigint, at: FrontFixture): Promise<TestKey> {
  const key = await at.newTrader();
  const { venue } = at;
  const has = venue.state.balances.total(key.account, Wallet.perp, 0);
  const more = { from: Wallet.perp, to: Wallet.funding, asset: 0, amount: has - usdc * oneUsdc };
  venue.done({ kind: CommandKind.transfer, account: key.account, key: null, ...more });
  return key;
}

/** Opens the public streams of liquidations: of BTC, of ETH, and of all markets. */
async function publicStreams(at: FrontFixture): Promise<StreamClient> {
  const names = ["btcusdt@forceOrder", "ethusdt@forceOrder", "!forceOrder@arr"];
  const base = `${at.base.replace("http", "ws")}/compat`;
  return StreamClient.open(`${base}/market/stream?streams=${names.join("/")}`);
}

/** Returns the next liquidation on the stream of all markets; asserts that the BTC stream sends it too. */
async function nextForceOrder(client: StreamClient): Promise<Told> {
  const frame = await client.next(({ stream }) => stream === "!forceOrder@arr");
  await client.next(({ stream }) => stream === "btcusdt@forceOrder");
  const own = client.frames.filter(({ stream }) => stream === "btcusdt@forceOrder");
  assert(own.some(({ data }) => JSON.stringify(data) === JSON.stringify(frame.data)));
  assert(client.frames.every(({ stream }) => stream !== "ethusdt@forceOrder"));
  assert.equal(frame.data.e, "forceOrder");
  assert.equal(typeof frame.data.E, "number");
  return frame.data.o;
}

async function userData(key: TestKey): Promise<StreamClient> {
  const headers = { "X-MBX-APIKEY": key.value };
  const answer = await front.fetch("/compat/fapi/v1/listenKey", { method: "POST", headers });
  const base = `${front.base.replace("http", "ws")}/compat`;
  return StreamClient.open(`${base}/private/ws?listenKey=${answer.json.listenKey}`);
}

type Told = Record<string, string | number | boolean>;

async function forceOrders(key: TestKey, at: FrontFixture, more = {}): Promise<Told[]> {
  const { status, json, text } = await at.send("GET", "/fapi/v1/forceOrders", more, { key });
  assert.equal(status, 200, text);
  return json;
}

/** Asserts that forceOrders lists the closing order and the position transfer that the streams reported. */
async function assertClosings(
  closing: Told,
  moved: Told,
  { small, large }: { small: TestKey; large: TestKey },
): Promise<void> {
  const symbol = "BTCUSDT";
  const [first] = await forceOrders(small, front, { symbol, autoCloseType: "LIQUIDATION" });
  const { time, updateTime, avgPrice, cumQuote, ...order } = first ?? {};
  assert.deepEqual(order, {
    orderId: closing["i"],
    symbol,
    status: first?.["status"],
    clientOrderId: closing["c"],
    price: closing["p"],
    origQty: closing["q"],
    executedQty: first?.["executedQty"],
    timeInForce: "IOC",
    type: "LIMIT",
    reduceOnly: true,
    closePosition: false,
    side: "SELL",
    positionSide: "BOTH",
    stopPrice: "0",
    workingType: "CONTRACT_PRICE",
    origType: "LIMIT",
  });
  assert(Number(order["executedQty"]) > 0 && time === updateTime, JSON.stringify(first));
  const value = Number(avgPrice) * Number(order["executedQty"]);
  assert(
    Math.abs(Number(cumQuote) - value) < 0.01,
    `cumQuote is ${cumQuote}, but must be about ${value}`,
  );
  const taken = (await forceOrders(large, front)).at(-1);
  assert.deepEqual(
    [taken?.["clientOrderId"], taken?.["status"], taken?.["price"], taken?.["executedQty"]],
    [moved["c"], "FILLED", moved["L"], "1.000"],
  );
  assert.deepEqual(await forceOrders(large, front, { autoCloseType: "ADL" }), []);
  assert.deepEqual(await forceOrders(small, front, { symbol: "ETHUSDT" }), []);
  const early = { endTime: Number(time) - 1 };
  assert.deepEqual(await forceOrders(small, front, early), []);
  const all = await forceOrders(small, front, { startTime: Number(time) });
  assert.deepEqual(all[0], first);
  assert(all.length > 1, "Several orders must have closed the position");
  assert.deepEqual(await forceOrders(small, front, { startTime: Number(time), limit: 1 }), [first]);
  assert.deepEqual(await forceOrders(small, front, { limit: 1 }), all.slice(-1));
  const bad = await front.send("GET", "/fapi/v1/forceOrders", { limit: "x" }, { key: small });
  assert.equal(bad.status, 400, bad.text);
}

test("RSK-11 RSK-14 RSK-46 FAP-29 FAP-51 STR-32 both sides of a deleveraging get their own event", async () => {
  const { venue } = poorFront;
  const maker = venue.fund(10_000_000n * oneUsdc);
  const winner = await traderWith(100_000n, poorFront);
  const loser = await traderWith(6330n, poorFront);
  const { btcPerp } = marketId;
  venue.sell(winner.account, btcPerp, 6_000_000, 1000);
  venue.buy(loser.account, btcPerp, 6_000_000, 1000);
  const told = await publicStreams(poorFront);
  crashTo(venue, maker, 5_300_000);
  tickSecond(venue);
  const moved = await nextForceOrder(told);
  told.close();
  const [given] = (await forceOrders(loser, poorFront)).slice(-1);
  assert.match(String(given?.["clientOrderId"]), /^autoclose-\d+$/);
  assert.deepEqual([given?.["side"], given?.["executedQty"]], ["SELL", "1.000"]);
  const { price, avgPrice, updateTime } = given ?? {};
  assert.deepEqual(moved, {
    ...{ s: "BTCUSDT", S: "SELL", o: "LIMIT", f: "IOC", q: "1.000", p: price, ap: avgPrice },
    ...{ X: "FILLED", l: "1.000", z: "1.000", T: updateTime },
  });
  const got = await forceOrders(winner, poorFront, { autoCloseType: "ADL" });
  assert.deepEqual(
    got.map((row) => [row["orderId"], row["clientOrderId"], row["side"], row["price"]]),
    [[0, "adl_autoclose", "BUY", given?.["price"]]],
  );
  assert.deepEqual(await forceOrders(winner, poorFront), got);
  assert.deepEqual(await forceOrders(winner, poorFront, { autoCloseType: "LIQUIDATION" }), []);
});

test("RSK-3 RSK-10 RSK-14 RSK-45 STR-32 positionRisk, user data, income and refused orders show a liquidation", async () => {
  const { venue } = front;
  venue.credit(SystemAccount.insurance, Wallet.perp, 0, 10_500n * oneUsdc);
  const maker = venue.fund(10_000_000n * oneUsdc);
  const small = await traderWith(620n, front);
  const large = await traderWith(6330n, front);
  const stream = await userData(small);
  const taken = await userData(large);
  const told = await publicStreams(front);
  openLongs(venue, maker, small.account, large.account);
  const symbol = "BTCUSDT";
  const buy = { symbol, side: "BUY", type: "LIMIT", timeInForce: "GTC", quantity: "0.001" };
  await front.send("POST", "/fapi/v1/order", { ...buy, price: "50000" }, { key: small });
  crashTo(venue, maker, 5_404_000);
  for (const path of ["/compat/fapi/v2/positionRisk", "/compat/fapi/v3/positionRisk"]) {
    const { json } = await front.send("GET", path, { symbol }, { key: small });
    assert.equal(json[0].liquidationStage, "CANCELLING");
    assert.equal(typeof json[0].nextLiquidationTime, "number");
  }
  const root = await front.send("GET", "/fapi/v2/positionRisk", { symbol }, { key: small });
  assert(!("liquidationStage" in root.json[0]), "Documented paths must have no new fields");
  const refused = await front.send(
    "POST",
    "/fapi/v1/order",
    { ...buy, price: "54000" },
    { key: small },
  );
  assert.deepEqual([refused.status, refused.json.code], [400, -2023]);
  tickSecond(venue);
  const order = ({ e }: { e: string }) => e === "ORDER_TRADE_UPDATE";
  const closing = await stream.next(
    (frame) =>
      order(frame as { e: string }) && frame.o.x === "TRADE" && /^autoclose-/.test(frame.o.c),
  );
  assert.deepEqual([closing.o.S, closing.o.R, closing.o.f], ["SELL", true, "IOC"]);
  const { s, S, q, p } = await nextForceOrder(told);
  told.close();
  assert.deepEqual([s, S, q, p], [symbol, "SELL", closing.o.q, closing.o.p]);
  assert(stream.frames.some(({ e, o }) => e === "ORDER_TRADE_UPDATE" && o.x === "EXPIRED"));
  const clear = await stream.next(
    (frame) => frame.e === "ACCOUNT_UPDATE" && frame.a.m === "INSURANCE_CLEAR",
  );
  assert.match(clear.a.B[0].bc, /^-/);
  crashTo(venue, maker, 5_300_000);
  const moved = await taken.next(
    (frame) => frame.e === "ORDER_TRADE_UPDATE" && frame.o.x === "CALCULATED",
  );
  assert.deepEqual(
    [moved.o.o, moved.o.X, moved.o.S, moved.o.q, moved.o.l, /^autoclose-/.test(moved.o.c)],
    ["LIQUIDATION", "FILLED", "SELL", "1.000", "1.000", true],
  );
  const income = { incomeType: "INSURANCE_CLEAR" };
  const rows = await front.send("GET", "/fapi/v1/income", income, { key: large });
  assert.deepEqual(
    rows.json.map((row: Record<string, string>) => [row["symbol"], row["incomeType"]]),
    [[symbol, "INSURANCE_CLEAR"]],
  );
  await assertClosings(closing.o, moved.o, { small, large });
  const paused = await front.send(
    "POST",
    "/fapi/v1/order",
    { ...buy, price: "53000" },
    { key: large },
  );
  assert.deepEqual([paused.status, paused.json], [422, { code: -2010, msg: "Trading is paused." }]);
  const spot = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const onSpot = await front.send(
    "POST",
    "/api/v3/order",
    { ...spot, quantity: "100", price: "0.15" },
    { key: large },
  );
  assert.deepEqual([onSpot.status, onSpot.json.msg], [422, "Trading is paused."]);
  const reduce = { account: maker, market: marketId.btcPerp, side: Side.buy, qty: 1 };
  assert.equal(venue.place({ ...reduce, price: 5_300_000, isReduceOnly: true }).reason, 0);
  stream.close();
  taken.close();
});
