// Proves for the owner of an account that user data streams report everything that happens to it, in one gapless
// sequence over any number of connections. A client that missed frames gets them again, or else a snapshot that
// announces the gap.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { EventKind } from "../../src/core/generated/events.ts";
import { formatScaled } from "../../src/core/money/amounts.ts";
import { sayIndex } from "../support/machine/test-venue.ts";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { type Frame, StreamClient } from "./stream-client.ts";

let front: FrontFixture;
let ws: string;
const clients: StreamClient[] = [];

before(async () => {
  front = await FrontFixture.open({ isLive: true, connectionsPerAddressMax: 100 });
  ws = `${front.base.replace("http", "ws")}/compat`;
});
after(() => {
  for (const client of clients) client.close();
  front.close();
});

const routes = { spot: "/compat/api/v3/userDataStream", futures: "/compat/fapi/v1/listenKey" };

async function listenKeyOf(key: TestKey, surface: keyof typeof routes): Promise<string> {
  const headers = { "X-MBX-APIKEY": key.value };
  const answer = await front.fetch(routes[surface], { method: "POST", headers });
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.json.listenKey, /^[A-Za-z0-9]{64}$/);
  return answer.json.listenKey;
}

/** Opens a connection. The stores are in memory, so the venue has looked its listen key up by then. */
async function open(path: string): Promise<StreamClient> {
  const client = await StreamClient.open(ws + path);
  clients.push(client);
  return client;
}

async function newTrader(): Promise<TestKey> {
  const key = await front.newTrader();
  front.venue.credit(key.account, Wallet.spot, 1, 10n ** 15n);
  return key;
}

/** Asserts that the number of each frame equals the number of the previous frame or is one higher. */
function assertGapless(frames: readonly Frame[]): void {
  const numbers = frames.map(({ seq }) => seq);
  for (const [at, number] of numbers.entries()) {
    const step = at === 0 ? 0 : number - numbers[at - 1];
    assert.ok(step === 0 || step === 1, `${numbers}`);
  }
}

test("STR-20 STR-21 spot orders, fills, cancels and balances arrive in one gapless sequence", async () => {
  const key = await newTrader();
  const other = await newTrader();
  const client = await open(`/ws/${await listenKeyOf(key, "spot")}`);
  const order = { symbol: "CC-USDC", side: "SELL", type: "LIMIT", timeInForce: "GTC" };
  const terms = { ...order, quantity: "100", price: "0.15", newClientOrderId: "mine" };
  const placed = await front.send("POST", "/api/v3/order", terms, { key });
  front.venue.buy(other.account, 0, 1500, 700);
  const named = { symbol: "CC-USDC", orderId: placed.json.orderId };
  await front.send("DELETE", "/api/v3/order", named, { key });
  front.venue.credit(key.account, Wallet.spot, 0, 5_000_000n);
  const { seq } = await client.next(({ e }) => e === "balanceUpdate");
  await client.next((frame) => frame.e === "outboundAccountPosition" && frame.seq === seq);
  assertGapless(client.frames);
  const reports = client.frames.filter(({ e }) => e === "executionReport");
  assert.deepEqual(
    reports.map(({ x, X, l, z, m, c }) => [x, X, l, z, m, c]),
    [
      ["NEW", "NEW", "0.00000000", "0.00000000", false, "mine"],
      ["TRADE", "PARTIALLY_FILLED", "70.00000000", "70.00000000", true, "mine"],
      ["CANCELED", "CANCELED", "0.00000000", "70.00000000", false, "mine"],
    ],
  );
  assert.deepEqual(
    [reports[1].L, reports[1].n, reports[1].N],
    ["0.15000000", "0.00420000", "USDC"],
  );
  const money = client.frames.find(({ e }) => e === "balanceUpdate");
  assert.deepEqual([money.a, money.d], ["USDC", "5.00000000"]);
  const position = client.frames.filter(({ e }) => e === "outboundAccountPosition").at(-1);
  const account = await front.send("GET", "/compat/api/v3/account", {}, { key });
  const usdc = account.json.balances.find(({ asset }: Frame) => asset === "USDC");
  const told = position.B.find(({ a }: Frame) => a === "USDC");
  assert.deepEqual(told, { a: "USDC", f: usdc.free, l: usdc.locked });
});

test("STR-22 FND-8 a funding payment arrives as a change of the collateral", async () => {
  const key = await newTrader();
  const other = await newTrader();
  const { venue } = front;
  sayIndex(venue, 4, 5_990_500);
  venue.sell(other.account, 4, 6_000_000, 10);
  venue.buy(key.account, 4, 6_000_000, 10);
  const client = await open(`/private/ws?listenKey=${await listenKeyOf(key, "futures")}`);
  const tick = () => venue.machine.handle(venue.command({ kind: CommandKind.tick }));
  tick();
  venue.done({ kind: CommandKind.settleFunding });
  tick();
  const told = await client.next(({ e }) => e === "ACCOUNT_UPDATE");
  const paid = venue.events.filter((event) => event.kind === EventKind.fundingPaid);
  const own = paid.find(({ account }) => account === key.account);
  assert(own !== undefined && own.amount < 0n);
  assert.deepEqual(
    [told.a.m, told.a.B[0].bc, told.a.P],
    [...["FUNDING_FEE", formatScaled(own.amount, 6)], []],
  );
  assertGapless(client.frames);
});

test("STR-22 NAT-49 TP/SL prices are shown on the legs, never on the entry order", async () => {
  const key = await newTrader();
  const other = await newTrader();
  const { account } = key;
  const client = await open(`/private/ws?listenKey=${await listenKeyOf(key, "futures")}`);
  const prices = { triggerPrice: 290_000, activationPrice: 310_000, workingPrice: 1 } as const;
  front.venue.buy(account, 5, 300_000, 100, prices);
  front.venue.sell(other.account, 5, 300_000, 60);
  await client.next(({ e, o }) => e === "ORDER_TRADE_UPDATE" && o.o === "STOP_MARKET");
  const orders = client.frames.filter(({ e }) => e === "ORDER_TRADE_UPDATE").map(({ o }) => o);
  assert.deepEqual(
    orders.map(({ ot, x, sp, wt }) => [ot, x, sp, wt]),
    [
      ["LIMIT", "NEW", "0", "CONTRACT_PRICE"],
      ["LIMIT", "TRADE", "0", "CONTRACT_PRICE"],
      ["TAKE_PROFIT_MARKET", "NEW", "3100.00", "MARK_PRICE"],
      ["STOP_MARKET", "NEW", "2900.00", "MARK_PRICE"],
    ],
  );
  const { json } = await front.send("GET", "/fapi/v1/openOrders", { symbol: "ETHUSDT" }, { key });
  assert.deepEqual(
    json.map((row: Record<string, string>) => [row["type"], row["stopPrice"], row["workingType"]]),
    [
      ["LIMIT", "0", "CONTRACT_PRICE"],
      ["TAKE_PROFIT_MARKET", "3100.00", "MARK_PRICE"],
      ["STOP_MARKET", "2900.00", "MARK_PRICE"],
    ],
  );
  front.venue.done({ kind: CommandKind.cancelAllOrders, account, market: 5 });
  front.venue.sell(account, 5, 300_000, 60);
  front.venue.buy(other.account, 5, 300_000, 60);
});

test("STR-39 STR-50 each state of a conditional order is reported as an event of Binance's algo service", async () => {
  const key = await newTrader();
  const other = await newTrader();
  const client = await open(`/private/ws?listenKey=${await listenKeyOf(key, "futures")}`);
  const algo = { symbol: "ETHUSDT", side: "BUY", algoType: "CONDITIONAL", type: "STOP_MARKET" };
  const place = async (clientAlgoId: string, triggerPrice: number, more = {}) => {
    const terms = { ...algo, clientAlgoId, triggerPrice, quantity: "0.010", ...more };
    const answer = await front.send("POST", "/compat/fapi/v1/algoOrder", terms, { key });
    assert.equal(answer.status, 200, answer.text);
    return answer.json.algoId as number;
  };
  const path = "/compat/fapi/v1/algoOrder";
  await place("away", 9000);
  await front.send("DELETE", path, { clientAlgoId: "away" }, { key });
  const limit = { type: "STOP", price: "3300.00", timeInForce: "GTC" };
  const resting = await place("rests", 3350, limit);
  const taking = await place("takes", 3350);
  front.venue.sell(other.account, 5, 335_000, 30);
  front.venue.buy(key.account, 5, 335_000, 10);
  await client.next(({ o }) => o?.caid === "takes" && o.X === "FINISHED");
  await front.send("DELETE", path, { clientAlgoId: "rests" }, { key });
  await client.next(({ o }) => o?.caid === "rests" && o.X === "FINISHED");
  const told = client.frames.filter(({ e }) => e === "ALGO_UPDATE");
  const of = (caid: string) => told.filter(({ o }) => o.caid === caid).map(({ o }) => o);
  assert.deepEqual(
    of("away").map(({ X }) => X),
    ["NEW", "CANCELED"],
  );
  assert.deepEqual(
    of("rests").map(({ X }) => X),
    ["NEW", "TRIGGERED", "FINISHED"],
  );
  assert.deepEqual(
    of("takes").map(({ X }) => X),
    ["NEW", "TRIGGERED", "FINISHED"],
  );
  const [fresh, , done] = of("takes");
  assert.equal(
    Object.keys(fresh).join(" "),
    "caid aid at o s S ps f q X ai ap aq act tp p V wt pm cp pP R tt gtd rm",
  );
  assert.deepEqual(
    [fresh.aid, fresh.o, fresh.ai, fresh.act, fresh.tp, fresh.tt],
    [taking, "STOP_MARKET", "", "0", "3350.00", 0],
  );
  assert.deepEqual([done.ai, done.act, done.aq], [`${taking}`, "MARKET", "0.010"]);
  assert.equal(of("rests")[1].ai, `${resting}`);
  assertGapless(client.frames);
  for (const frame of told) {
    const at = client.frames.indexOf(frame);
    const before = client.frames[at - 1];
    assert.deepEqual([before.e, before.seq], ["ORDER_TRADE_UPDATE", frame.seq]);
  }
  const seen = await front.send("GET", path, { clientAlgoId: "rests" }, { key });
  assert.equal(seen.json.algoStatus, "FINISHED");
  front.venue.sell(key.account, 5, 320_000, 20);
});

test("STR-22 perpetual orders, positions and leverage arrive as Binance's events", async () => {
  const key = await newTrader();
  const other = await newTrader();
  const client = await open(`/private/ws?listenKey=${await listenKeyOf(key, "futures")}`);
  const leverage = { symbol: "ETHUSDT", leverage: 20 };
  await front.send("POST", "/fapi/v1/leverage", leverage, { key });
  front.venue.sell(other.account, 5, 300_000, 500);
  const terms = { symbol: "ETHUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  await front.send("POST", "/fapi/v1/order", { ...terms, quantity: 1, price: 3000 }, { key });
  await client.next(({ e }) => e === "ACCOUNT_UPDATE");
  assertGapless(client.frames);
  assert.deepEqual(
    client.frames.map(({ e }) => e),
    ["ACCOUNT_CONFIG_UPDATE", "ORDER_TRADE_UPDATE", "ORDER_TRADE_UPDATE", "ACCOUNT_UPDATE"],
  );
  const [config, opened, filled, account] = client.frames;
  assert.deepEqual(config.ac, { s: "ETHUSDT", l: 20 });
  assert.deepEqual([opened.o.x, opened.o.X], ["NEW", "NEW"]);
  assert.deepEqual([filled.o.x, filled.o.X, filled.o.l], ["TRADE", "PARTIALLY_FILLED", "0.500"]);
  assert.deepEqual([filled.o.n, filled.o.N, filled.o.m], ["0.750000", "USDT", false]);
  const [position] = account.a.P;
  assert.deepEqual([account.a.m, position.s, position.pa], ["ORDER", "ETHUSDT", "0.500"]);
  assert.equal(Number(position.ep), 3000);
  const rest = await front.send("GET", "/compat/fapi/v2/balance", {}, { key });
  assert.equal(account.a.B[0].wb, rest.json[0].balance);
});

/** Returns the fields of an order report that describe a prevented match. */
function preventedOf({ v, B, u, U, Cs, pl, pL, pY }: Frame) {
  return { v, B, u, U, Cs, pl, pL, pY };
}

test("ORD-50 STR-41 STR-54 both user data streams report an order ended by self-trade prevention as expired in a match", async () => {
  const key = await newTrader();
  const spot = await open(`/ws/${await listenKeyOf(key, "spot")}`);
  const futures = await open(`/private/ws?listenKey=${await listenKeyOf(key, "futures")}`);
  const terms = { type: "LIMIT", timeInForce: "GTC", price: "0.15", symbol: "CC-USDC" };
  const sell = { ...terms, side: "SELL", quantity: "200" };
  const resting = await front.send("POST", "/api/v3/order", sell, { key });
  const taking = { ...terms, side: "BUY", selfTradePreventionMode: "DECREMENT" };
  await front.send("POST", "/api/v3/order", { ...taking, quantity: "80" }, { key });
  const told = await spot.next(({ X }) => X === "EXPIRED_IN_MATCH");
  assert.deepEqual([told.x, told.S, told.q], ["TRADE_PREVENTION", "BUY", "80.00000000"]);
  const smaller = spot.frames.find(({ x, S }) => x === "TRADE_PREVENTION" && S === "SELL");
  assert.deepEqual([smaller?.X, smaller?.q], ["NEW", "120.00000000"]);
  const { v, u, Cs, ...lost } = preventedOf(told);
  assert.deepEqual(preventedOf(smaller ?? {}), { v, u, Cs, ...lost, U: told.i });
  assert.deepEqual([u, Cs, lost.U], [-1, "CC-USDC", resting.json.orderId]);
  assert.deepEqual([lost.B, lost.pl, lost.pL], ["80.00000000", "80.00000000", "0.15000000"]);
  assert.equal(lost.pY, "12.00000000");
  const named = { symbol: "CC-USDC", preventedMatchId: v };
  const match = await front.send("GET", "/compat/api/v3/myPreventedMatches", named, { key });
  assert.deepEqual([match.json.length, match.json[0]?.takerOrderId], [1, told.i], match.text);

  const future = { ...terms, symbol: "ETHUSDT", quantity: 1, price: 3200 };
  await front.send("POST", "/fapi/v1/order", { ...future, side: "SELL" }, { key });
  const preventing = { ...future, side: "BUY", selfTradePreventionMode: "EXPIRE_TAKER" };
  const placed = await front.send("POST", "/fapi/v1/order", preventing, { key });
  assert.equal(placed.json.status, "EXPIRED_IN_MATCH", placed.text);
  const { o } = await futures.next(({ o: order }) => order?.X === "EXPIRED_IN_MATCH");
  assert.deepEqual([o.x, o.S, o.i], ["EXPIRED", "BUY", placed.json.orderId]);
});

test("STR-23 STR-51 a client that reconnects gets the frames it missed, or a snapshot if they are too old", async () => {
  const key = await newTrader();
  const listenKey = await listenKeyOf(key, "spot");
  const first = await open(`/ws/${listenKey}`);
  front.venue.sell(key.account, 0, 1600, 1000, { clientId: "a" });
  const { seq } = await first.next(({ e }) => e === "outboundAccountPosition");
  first.close();
  front.venue.sell(key.account, 0, 1601, 1000, { clientId: "b" });
  front.venue.sell(key.account, 0, 1602, 1000, { clientId: "c" });
  const second = await open(`/stream?streams=${listenKey}&resume=${seq}`);
  await second.next(({ data }) => data.c === "c");
  const missed = second.frames.map(({ data }) => data).filter(({ e }) => e === "executionReport");
  assert.deepEqual(
    missed.map(({ c, seq: number }) => [c, number - seq]),
    [
      ["b", 1],
      ["c", 2],
    ],
  );
  const third = await open(`/ws/${listenKey}?resume=${seq + 2}`);
  front.venue.sell(key.account, 0, 1603, 1000, { clientId: "d" });
  assert.equal((await third.next(({ e }) => e === "executionReport")).c, "d");
  for (const tooOld of [1, seq + 1_000_000]) {
    const late = await open(`/ws/${listenKey}?resume=${tooOld}`);
    const snapshot = await late.next(() => true);
    assert.deepEqual(
      [snapshot.e, snapshot.after, snapshot.seq],
      ["accountSnapshot", tooOld, seq + 3],
    );
    assert.deepEqual(
      snapshot.orders.map(({ clientOrderId }: Frame) => clientOrderId),
      ["a", "b", "c", "d"],
    );
    const cc = snapshot.B.find(({ a }: Frame) => a === "CC");
    assert.equal(cc.l, "400.00000000");
  }
});

test("STR-24 a slow reader of user data resumes, or gets a snapshot", async () => {
  const key = await newTrader();
  const listenKey = await listenKeyOf(key, "spot");
  const client = await open(`/ws/${listenKey}`);
  client.socket.pause();
  const behind = async () =>
    /front_stream_connections_behind(\{[^}]*\})? [1-9]/.test((await front.fetch("/metrics")).text);
  let isBehind = false;
  for (let round = 0; round < 400 && !isBehind; round++) {
    for (let at = 0; at < 150; at++) {
      const orderId = front.venue.sell(key.account, 0, 1700 + at, 1000);
      front.venue.send({
        kind: CommandKind.cancelOrder,
        account: key.account,
        market: 0,
        orderId,
        clientId: "",
      });
    }
    await new Promise((resolve) => setImmediate(resolve));
    isBehind = await behind();
  }
  assert.ok(isBehind);
  client.socket.resume();
  await client.next(({ e }) => e === "conflated");
  // A reader may fall behind again by the frames that it missed; a frame sent then could be left out by a snapshot.
  while (await behind()) await new Promise((resolve) => setTimeout(resolve, 5));
  front.venue.sell(key.account, 0, 1999, 1000, { clientId: "last" });
  await client.next(({ c }) => c === "last");
  const told = client.frames.filter(({ seq }) => seq !== undefined);
  const at = told.findIndex(({ e }) => e === "accountSnapshot");
  assertGapless(at < 0 ? told : told.slice(0, at));
  if (at >= 0) {
    assert.equal(told[at].after, told[at - 1].seq);
    assertGapless(told.slice(at));
  }
});

for (const surface of ["spot", "futures"] as const) {
  test(`STR-35 requesting a ${surface} listen key again returns the valid one and extends it`, async () => {
    const key = await newTrader();
    const first = await listenKeyOf(key, surface);
    const [row] = front.listenKeys.ofAccount(key.account);
    assert(row !== undefined);
    front.listenKeys.expire(key.account, front.nowUs() / 1000 + 60_000);
    assert.equal(await listenKeyOf(key, surface), first);
    const rows = front.listenKeys.ofAccount(key.account);
    assert.equal(rows.length, 1);
    assert.ok((rows[0]?.expiresMs ?? 0) >= row.expiresMs, "The key must be valid for another hour");
    const own = await front.newKey(key.account);
    assert.notEqual(
      await listenKeyOf(own, surface),
      first,
      "Another API key must have another listen key",
    );
    const path = `${routes[surface]}?listenKey=${first}`;
    await front.fetch(path, { method: "DELETE", headers: { "X-MBX-APIKEY": key.value } });
    const next = await listenKeyOf(key, surface);
    assert.notEqual(next, first);
    front.listenKeys.expire(key.account, front.nowUs() / 1000 - 1);
    assert.notEqual(await listenKeyOf(key, surface), next);
  });
}

test("STR-35 a valid listen key that no available master key can decrypt is replaced by a new one", async () => {
  const key = await newTrader();
  const first = await listenKeyOf(key, "futures");
  const kept = front.box.keys;
  front.box.use([{ version: 2, key: randomBytes(32) }]);
  const second = await listenKeyOf(key, "futures");
  front.box.use(kept);
  assert.notEqual(second, first);
  const client = await open(`/ws/${first}`);
  assert.equal(client.closed, null, "The old key's stream must stay open until the key ends");
});

test("STR-25 a listen key ends by request, by time or with its API key", async () => {
  const key = await newTrader();
  const headers = { "X-MBX-APIKEY": key.value };
  const listenKey = await listenKeyOf(key, "spot");
  assert.deepEqual(await (await open(`/ws/${"x".repeat(64)}`)).end(), {
    code: 1008,
    reason: "unknown listenKey",
  });
  const path = `${routes.spot}?listenKey=${listenKey}`;
  assert.equal((await front.fetch(path, { method: "PUT", headers })).text, "{}");
  assert.equal((await front.fetch(routes.spot, { method: "PUT", headers })).json.code, -1102);
  assert.equal((await front.fetch(path, { method: "DELETE", headers })).text, "{}");
  assert.equal((await front.fetch(path, { method: "PUT", headers })).json.code, -1125);
  assert.equal((await (await open(`/ws/${listenKey}`)).end()).code, 1008);
  assert.equal((await front.fetch(routes.spot.slice(7), { method: "POST", headers })).status, 404);
  const revoked = await open(`/ws/${await listenKeyOf(key, "spot")}`);
  const { keyId, account } = key;
  const change = { tier: 0, permissions: 3, expects: 0, isRevoked: true } as const;
  front.venue.done({ kind: CommandKind.changeKey, account, keyId, ...change });
  await revoked.next(({ e }) => e === "listenKeyExpired");
  assert.equal((await revoked.end()).code, 1008);
});

test("STR-21 STR-60 a list is reported as listStatus when it is accepted and when it is over", async () => {
  const key = await newTrader();
  const client = await open(`/ws/${await listenKeyOf(key, "spot")}`);
  const oco = {
    ...{ symbol: "CC-USDC", side: "SELL", quantity: "100", listClientOrderId: "list-1" },
    ...{ aboveType: "LIMIT_MAKER", abovePrice: "0.3000" },
    ...{ belowType: "STOP_LOSS", belowStopPrice: "0.1000" },
  };
  const { json, status, text } = await front.send("POST", "/api/v3/orderList/oco", oco, { key });
  assert.equal(status, 200, text);
  const { orderListId } = json;
  await front.send("DELETE", "/api/v3/orderList", { symbol: "CC-USDC", orderListId }, { key });
  await client.next(({ e, l }) => e === "listStatus" && l === "ALL_DONE");
  assertGapless(client.frames);
  const told = client.frames.filter(({ e }) => e === "listStatus" || e === "executionReport");
  assert.deepEqual(
    told.map(({ e, x, l, g }) => [e, x ?? l, g]),
    [
      ["executionReport", "NEW", orderListId],
      ["executionReport", "NEW", orderListId],
      ["listStatus", "EXEC_STARTED", orderListId],
      ["executionReport", "CANCELED", orderListId],
      ["executionReport", "CANCELED", orderListId],
      ["listStatus", "ALL_DONE", orderListId],
    ],
  );
  // Only the limit was on its book.
  const working = told.flatMap(({ e, W }) => (e === "executionReport" ? [typeof W] : []));
  assert.deepEqual(working.slice(0, 2), ["undefined", "number"]);
  const [started] = told.filter(({ e }) => e === "listStatus");
  const { s, c, L, r, C, O } = started ?? {};
  const orders = json.orders.map((order: { orderId: number; clientOrderId: string }) => ({
    ...{ s: "CC-USDC", i: order.orderId, c: order.clientOrderId },
  }));
  assert.deepEqual(
    { s, c, L, r, C, O },
    { s: "CC-USDC", c: "OCO", L: "EXECUTING", r: "NONE", C: "list-1", O: orders },
  );
});
