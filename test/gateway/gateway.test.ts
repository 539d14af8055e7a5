// Proves that a gateway serves what a front of the venue itself serves: orders, reads and streams, over a real bus and
// a real database.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { gatewayRightsDifference } from "../../src/adapters/postgres/gateway-rights.ts";
import { StreamClient } from "../streams/stream-client.ts";
import { type GatewayLogin, gatewayLogin } from "../support/bus/gateway-login.ts";
import { GatewayVenue, type TestGateway } from "../support/bus/gateway-venue.ts";
import { lacksNats } from "../support/bus/nats-server.ts";
import type { Trader } from "../support/venue/venue-fixture.ts";
import { userStreamAt } from "./user-stream.ts";

const skip = lacksNats();
let venue: GatewayVenue;
let gateway: TestGateway;
let maker: Trader;
let taker: Trader;
let login: GatewayLogin;

before(async () => {
  if (skip !== false) return;
  venue = await GatewayVenue.open();
  maker = await venue.leader.trader();
  const { options, url } = venue.leader.database;
  login = await gatewayLogin(options, url);
  gateway = await venue.gateway({ DATABASE_URL: login.url });
  // Created after the gateway's start: it learns of account and key from the journal's events.
  taker = await venue.leader.trader();
});
after(async () => {
  await venue?.close();
  await login?.drop();
});

const terms = { symbol: "CC-USDC", type: "LIMIT", timeInForce: "GTC" };

test("GWY-1 GWY-2 a signed order through a gateway is acknowledged, and read back at once", {
  skip,
}, async () => {
  const order = { ...terms, side: "SELL", quantity: "100", price: "0.15" };
  const placed = await gateway.signed(maker, "POST", "/api/v3/order", order);
  assert.equal(placed.status, 200, JSON.stringify(placed.json));
  assert.equal(placed.json.status, "NEW");
  const open = await gateway.signed(maker, "GET", "/api/v3/openOrders");
  assert.deepEqual(
    open.json.map(({ orderId }: { orderId: number }) => orderId),
    [placed.json.orderId],
  );
  const depth = await gateway.get("/api/v3/depth?symbol=CC-USDC");
  assert.deepEqual(depth.json.asks, [["0.1500", "100.0"]]);
});

test("an account and a key that are newer than the gateway trade through it", {
  skip,
}, async () => {
  const resting = { ...terms, side: "SELL", quantity: "80", price: "0.151" };
  assert.equal((await gateway.signed(maker, "POST", "/api/v3/order", resting)).status, 200);
  const order = { symbol: "CC-USDC", side: "BUY", type: "MARKET", quantity: "120" };
  const bought = await gateway.signed(taker, "POST", "/api/v3/order", order);
  assert.equal(bought.json.status, "FILLED", JSON.stringify(bought.json));
  assert.equal(bought.json.fills.length, 2);
  const trades = await gateway.get("/api/v3/trades?symbol=CC-USDC");
  assert.equal(trades.json.length, 2);
  const own = await gateway.signed(taker, "GET", "/api/v3/myTrades", { symbol: "CC-USDC" });
  assert.equal(own.json.length, 2);
});

test("refusals of the leader reach the client as those of a front", { skip }, async () => {
  const order = { ...terms, side: "BUY", quantity: "100000000", price: "0.15" };
  const through = await gateway.signed(taker, "POST", "/api/v3/order", order);
  const direct = await venue.leader.signed(taker, "POST", "/api/v3/order", order);
  assert.deepEqual(through, direct);
  assert.equal(through.status, 400);
});

test("GWY-1 depth and user streams of a gateway carry what other fronts cause", {
  skip,
}, async () => {
  const ws = gateway.address.replace("http", "ws");
  const user = await userStreamAt(gateway.address, maker);
  const depth = await StreamClient.open(`${ws}/compat/ws/cc-usdc@depth@100ms`);
  try {
    const order = { ...terms, side: "SELL", quantity: "70", price: "0.17" };
    const placed = await venue.leader.signed(maker, "POST", "/api/v3/order", order);
    const report = await user.next((frame) => frame.e === "executionReport");
    assert.equal(report.i, placed.json.orderId);
    const level = ["0.17000000", "70.00000000"];
    await depth.next(({ a: asks = [] }) =>
      asks.some((ask: string[]) => ask.join() === level.join()),
    );
  } finally {
    user.close();
    depth.close();
  }
});

test("GWY-13 the file of rights grants what the program knows as the rights of a gateway", {
  skip,
}, async () => {
  const sql = openPostgres({ url: login.url }, "queries");
  try {
    const { missing, tooMuch } = await gatewayRightsDifference(sql);
    assert.deepEqual({ missing, tooMuch }, { missing: [], tooMuch: [] });
  } finally {
    await sql.end();
  }
});

test("GWY-13 the login of a gateway cannot write the journal, and need not", { skip }, async () => {
  const sql = openPostgres({ url: login.url }, "queries");
  try {
    const writes = [
      "delete from journal",
      "update journal_head set last_seq = 1",
      "delete from orders",
    ];
    for (const write of [...writes, "update balances set spot = 1"])
      await assert.rejects(sql.unsafe(write), /permission denied|does not exist/, write);
  } finally {
    await sql.end();
  }
});
