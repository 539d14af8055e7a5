// Proves for a whole venue with two fronts that orders of connections that cancel on disconnect are cancelled: when the
// connection is lost, on either front, and after a crash before anything else is traded.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { EventKind } from "../../src/core/generated/events.ts";
import { call } from "../streams/session-client.ts";
import { StreamClient } from "../streams/stream-client.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;
const clients: StreamClient[] = [];

before(async () => {
  fixture = await VenueFixture.open({
    ...{ DEV_TOOLS: "1", FRONT_THREADS: "2", RATE_LIMIT_WS_CONNS_PER_IP: "200" },
  });
});
after(async () => {
  for (const client of clients) client.close();
  await fixture.close();
});

/** Opens a session that has declared it. */
async function guarded({ key, secret }: Trader): Promise<StreamClient> {
  const client = await StreamClient.open(
    `${fixture.address.replace("http", "ws")}/compat/ws-api/v3`,
  );
  clients.push(client);
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
  const logon = await call(
    client,
    "session.logon",
    { cancelOnDisconnect: true },
    { value: key, sign },
  );
  assert.equal(logon.status, 200, JSON.stringify(logon));
  return client;
}

const order = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };

async function place(client: StreamClient, price: string): Promise<number> {
  const timed = { recvWindow: 60_000, timestamp: Date.now() };
  const terms = { ...order, quantity: "200.0", price, ...timed };
  const answer = await call(client, "order.place", terms);
  assert.equal(answer.status, 200, JSON.stringify(answer));
  return answer.result.orderId;
}

async function openOrders(trader: Trader): Promise<number[]> {
  const { json } = await fixture.signed(trader, "GET", "/api/v3/openOrders");
  return json.map(({ orderId }: { orderId: number }) => orderId);
}

async function untilOpen(trader: Trader, count: number): Promise<void> {
  const endMs = Date.now() + 60_000;
  while ((await openOrders(trader)).length !== count) {
    if (Date.now() > endMs) throw new Error(`${(await openOrders(trader)).length} orders are open`);
    await sleep(20);
  }
}

test("COD-2 COD-8 connections of one key on two fronts are lost one by one", async () => {
  const trader = await fixture.trader("house");
  // The kernel spreads connections over the fronts.
  const open = await Promise.all(Array.from({ length: 8 }, () => guarded(trader)));
  const ids = await Promise.all(open.map((client, at) => place(client, `0.0${900 + at}`)));
  for (const [at, client] of open.entries()) {
    client.close();
    await untilOpen(trader, open.length - at - 1);
    assert.deepEqual((await openOrders(trader)).sort(), ids.slice(at + 1).sort());
  }
});

test("COD-10 after a crash of the venue the cancels come before any other order", async () => {
  const trader = await fixture.trader("house");
  const open = await Promise.all(Array.from({ length: 5 }, () => guarded(trader)));
  for (let at = 0; at < 10; at++)
    await Promise.all(open.map((client) => place(client, `0.0${900 + at}`)));
  const kept = await fixture.signed(trader, "POST", "/api/v3/order", {
    ...{ ...order, quantity: "200.0", price: "0.0890" },
  });
  const before = fixture.venue.committedSeq;
  await fixture.crashAndRestart();
  const placed = await fixture.signed(trader, "POST", "/api/v3/order", {
    ...{ ...order, quantity: "200.0", price: "0.0891" },
  });
  assert.deepEqual(
    (await openOrders(trader)).sort(),
    [kept.json.orderId, placed.json.orderId].sort(),
  );
  const rows = await fixture.venue.database.sql<{ kind: number }[]>`
    select kind from journal where seq > ${before} and kind in
      (${EventKind.connectionEnded}, ${EventKind.orderClosed}, ${EventKind.orderAccepted})
    order by seq`;
  const kinds = rows.map(({ kind }) => kind);
  const expected = [
    ...Array.from({ length: 5 }, () => EventKind.connectionEnded),
    ...Array.from({ length: 50 }, () => EventKind.orderClosed),
    EventKind.orderAccepted,
  ];
  assert.deepEqual(kinds, expected);
});
