// Proves that acknowledged data survives a crash and a stop: orders keep resting and trade once, and every earlier
// report can be queried again.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { quietPeriodMs } from "../support/clock/clock-windows.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;
let maker: Trader;
let taker: Trader;

before(async () => {
  // No funding is settled here, because tests compare numbers of events.
  const FUNDING_INTERVAL_MS = String(quietPeriodMs(300_000));
  fixture = await VenueFixture.open({ DEV_TOOLS: "1", FUNDING_INTERVAL_MS });
  maker = await fixture.trader("house");
  taker = await fixture.trader();
});

after(() => fixture.close());

const order = { symbol: "CC-USDC", type: "LIMIT", timeInForce: "GTC", price: "0.1500" };

async function openOrders(trader: Trader) {
  const { json } = await fixture.signed(trader, "GET", "/api/v3/openOrders", { symbol: "CC-USDC" });
  return json as { orderId: number; clientOrderId: string; executedQty: string }[];
}

test("an acknowledged order rests after a crash and trades afterwards, once", async () => {
  const placed = await fixture.signed(maker, "POST", "/api/v3/order", {
    ...order,
    side: "SELL",
    quantity: "1000",
    newClientOrderId: "survivor",
  });
  assert.equal(placed.status, 200);
  const before = await fixture.get("/api/v3/depth?symbol=CC-USDC");
  await fixture.crashAndRestart();
  const resting = await openOrders(maker);
  assert.deepEqual(
    resting.map(({ orderId, clientOrderId }) => ({ orderId, clientOrderId })),
    [{ orderId: placed.json.orderId, clientOrderId: "survivor" }],
  );
  const depth = await fixture.get("/api/v3/depth?symbol=CC-USDC");
  assert.deepEqual(depth.json.asks, before.json.asks);
  const taken = await fixture.signed(taker, "POST", "/api/v3/order", {
    ...order,
    side: "BUY",
    quantity: "400",
  });
  assert.equal(taken.json.status, "FILLED");
  await fixture.crashAndRestart();
  const [left] = await openOrders(maker);
  assert.equal(Number(left?.executedQty), 400);
  const { json: trades } = await fixture.signed(taker, "GET", "/api/v3/myTrades", {
    symbol: "CC-USDC",
  });
  assert.equal(trades.length, 1);
  assert.equal(Number(trades[0].qty), 400);
});

test("a used client order id is still refused after a crash", async () => {
  const again = await fixture.signed(maker, "POST", "/api/v3/order", {
    ...order,
    side: "SELL",
    quantity: "1000",
    newClientOrderId: "survivor",
  });
  assert.equal(again.status, 422);
  assert.equal(again.json.code, -2010);
});

test("an orderly stop and a start change no query result", async () => {
  const send = async () => ({
    orders: await openOrders(maker),
    account: (await fixture.signed(taker, "GET", "/api/v3/account")).json.balances,
    health: (await fixture.get("/health")).json.committed_seq,
  });
  const before = await send();
  await fixture.restart();
  assert.deepEqual(await send(), before);
});

test("a restart from a snapshot gives the state that the journal gives", async () => {
  const { seq } = await fixture.venue.snapshots.fold();
  assert.equal(seq, fixture.venue.committedSeq);
  const before = await openOrders(maker);
  await fixture.crashAndRestart();
  assert.equal(fixture.venue.seed.snapshotSeq, seq);
  const metrics = await (await fetch(`${fixture.address}/metrics`)).text();
  assert.match(
    metrics,
    new RegExp(`^rialto_snapshot_seq ${seq}$`, "m"),
    "The snapshot's seq must be known from the start on",
  );
  assert.equal(fixture.venue.seed.replayed, 0);
  assert.deepEqual(await openOrders(maker), before);
});

test("JRN-13 every thread skips a newest snapshot that does not match its hash", async () => {
  const sql = openPostgres(fixture.database.options, "queries");
  const spoil = async (statement: (seq: number) => string) => {
    const before = await openOrders(maker);
    const { seq } = await fixture.venue.snapshots.fold();
    assert.equal(seq, fixture.venue.committedSeq);
    await sql.unsafe(statement(seq));
    await fixture.crashAndRestart();
    assert.notEqual(fixture.venue.seed.snapshotSeq, seq);
    assert.deepEqual(await openOrders(maker), before);
    const requested = { ...order, side: "SELL", quantity: "700" };
    const placed = await fixture.signed(maker, "POST", "/api/v3/order", requested);
    const cancelled = { symbol: "CC-USDC", orderId: placed.json.orderId };
    const gone = await fixture.signed(maker, "DELETE", "/api/v3/order", cancelled);
    assert.equal(gone.json.status, "CANCELED");
  };
  try {
    await spoil((seq) => `update snapshots set state_hash = '0123456789abcdef' where seq = ${seq}`);
    await spoil(
      (seq) =>
        `update snapshot_parts set bytes = sha256(bytes) || substr(bytes, 33) where seq = ${seq}`,
    );
    // Damage the last part of the snapshot: at first half of the part is missing, later all of it.
    const last = (seq: number) =>
      `where seq = ${seq} and part = (select max(part) from snapshot_parts where seq = ${seq})`;
    await spoil(
      (seq) => `update snapshot_parts set bytes = substr(bytes, 1, length(bytes) / 2) ${last(seq)}`,
    );
    await spoil((seq) => `delete from snapshot_parts ${last(seq)}`);
  } finally {
    await sql.end();
  }
});

test("rows that lag the journal are right once they have caught up, also after a crash", async () => {
  await fixture.signed(taker, "POST", "/api/v3/order", { ...order, side: "BUY", quantity: "100" });
  await fixture.crashAndRestart();
  const shown = (await fixture.operator.showAccount(taker.account)) as {
    balances: { wallet: string; asset: string; total: string }[];
  };
  const { json } = await fixture.signed(taker, "GET", "/api/v3/account");
  const free = (json.balances as { asset: string; free: string; locked: string }[]).find(
    ({ asset }) => asset === "CC",
  );
  const row = shown.balances.find(({ wallet, asset }) => wallet === "spot" && asset === "CC");
  assert.equal(Number(row?.total), Number(free?.free) + Number(free?.locked));
});

test("JRN-1 the outcome of an order placed just before a crash is known as soon as the venue accepts requests", async () => {
  const symbol = "CETH-USDC";
  const place = async (price: string) => {
    const requested = { ...order, symbol, price, side: "SELL", quantity: "0.01" };
    const { json } = await fixture.signed(maker, "POST", "/api/v3/order", requested);
    return { symbol, orderId: json.orderId as number };
  };
  const cancelled = await place("1700.00");
  const filled = await place("1200.00");
  // Wait until the rows of the orders say open. The cancel and the fill after that are in the journal before they are
  // in the rows.
  await fixture.venue.settle();
  await fixture.signed(maker, "DELETE", "/api/v3/order", cancelled);
  await fixture.signed(taker, "POST", "/api/v3/order", {
    ...order,
    symbol,
    price: "1200.00",
    side: "BUY",
    quantity: "0.01",
  });
  await fixture.crashAndRestart();
  const status = async (requested: Parameters<typeof fixture.signed>[3]) =>
    (await fixture.signed(maker, "GET", "/api/v3/order", requested)).json.status;
  assert.deepEqual([await status(cancelled), await status(filled)], ["CANCELED", "FILLED"]);
});

test("SPT-13 myTrades continues from a time or an id, and returns the newest otherwise", async () => {
  const firstQty = async (parameters: Record<string, number>) => {
    const requested = { symbol: "CC-USDC", limit: 1, ...parameters };
    const { json } = await fixture.signed(taker, "GET", "/api/v3/myTrades", requested);
    return Number(json[0].qty);
  };
  const { json } = await fixture.signed(taker, "GET", "/api/v3/myTrades", { symbol: "CC-USDC" });
  assert.deepEqual(
    json.map(({ qty }: { qty: string }) => Number(qty)),
    [400, 100],
  );
  const [{ id: fromId, time: startTime }] = json;
  assert.equal(await firstQty({ startTime }), 400);
  assert.equal(await firstQty({ startTime, endTime: Date.now() }), 400);
  assert.equal(await firstQty({ fromId }), 400);
  assert.equal(await firstQty({}), 100);
  assert.equal(await firstQty({ endTime: Date.now() }), 100);
});

test("CNF-20 a revoked key is refused at once and after a crash", async () => {
  const keys = (await fixture.operator.listKeys({
    account: taker.account,
    after: 0,
    limit: 10,
  })) as { key_id: number }[];
  await fixture.operator.revokeKey(keys[0]?.key_id ?? 0);
  const refused = await fixture.signed(taker, "GET", "/api/v3/account");
  assert.equal(refused.status, 401);
  await fixture.crashAndRestart();
  assert.equal((await fixture.signed(taker, "GET", "/api/v3/account")).status, 401);
});
