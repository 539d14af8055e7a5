// Proves for connections to gateways that cancel on disconnect: a change of leader cancels nothing, a gateway that dies
// loses its connections, and the other gateway's stay.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../streams/session-client.ts";
import { StreamClient } from "../streams/stream-client.ts";
import { GatewayVenue, type TestGateway } from "../support/bus/gateway-venue.ts";
import { lacksNats } from "../support/bus/nats-server.ts";
import type { Trader } from "../support/venue/venue-fixture.ts";

const skip = lacksNats();
let venue: GatewayVenue;
let gateway: TestGateway;
let other: TestGateway;
let trader: Trader;
const clients: StreamClient[] = [];

before(async () => {
  if (skip !== false) return;
  venue = await GatewayVenue.open({ DEV_TOOLS: "1" });
  [gateway, other] = [await venue.gateway(), await venue.gateway()];
  trader = await venue.leader.trader("house");
});
after(async () => {
  for (const client of clients) client.close();
  await venue?.close();
});

/** Opens a session at the gateway that has declared it. */
async function guarded(at: TestGateway): Promise<StreamClient> {
  const client = await StreamClient.open(`${at.address.replace("http", "ws")}/compat/ws-api/v3`);
  clients.push(client);
  const sign = (text: string) => createHmac("sha256", trader.secret).update(text).digest("hex");
  const params = { cancelOnDisconnect: true, recvWindow: 60_000 };
  const logon = await call(client, "session.logon", params, { value: trader.key, sign });
  assert.equal(logon.status, 200, JSON.stringify(logon));
  return client;
}

async function place(client: StreamClient, price: string): Promise<number> {
  const order = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const window = { recvWindow: 60_000, timestamp: Date.now() };
  const answer = await call(client, "order.place", {
    ...order,
    quantity: "200.0",
    price,
    ...window,
  });
  assert.equal(answer.status, 200, JSON.stringify(answer));
  return answer.result.orderId;
}

async function openAt(at: TestGateway): Promise<number[]> {
  const { json } = await at.signed(trader, "GET", "/api/v3/openOrders");
  return json.map(({ orderId }: { orderId: number }) => orderId).sort();
}

async function untilOpen(expected: readonly number[]): Promise<void> {
  const endMs = Date.now() + 60_000;
  const wanted = [...expected].sort();
  for (;;) {
    const open = await openAt(other);
    if (JSON.stringify(open) === JSON.stringify(wanted)) return;
    if (Date.now() > endMs) assert.deepEqual(open, wanted);
    await sleep(50);
  }
}

test("COD-12 COD-11 a new leader cancels nothing, and a gateway that dies loses only its own connections", {
  skip,
}, async () => {
  const [one, two, left] = [await guarded(gateway), await guarded(other), await guarded(other)];
  const ids = [await place(one, "0.0900"), await place(two, "0.0901"), await place(left, "0.0902")];
  await venue.leader.crashAndRestart();
  assert.deepEqual([one.closed, two.closed], [null, null]);
  const later = await place(two, "0.0903");
  await untilOpen([...ids, later]);
  left.close();
  await untilOpen([...ids.slice(0, 2), later]);
  await gateway.crashAndRestart();
  await untilOpen([ids[1] ?? 0, later]);
  const again = await place(await guarded(gateway), "0.0904");
  await untilOpen([ids[1] ?? 0, later, again]);
});
