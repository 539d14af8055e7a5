// Proves FIX sessions at a gateway: they trade, hear of orders from elsewhere, and outlive a change of leader.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Fields, FixClient, venueKey } from "../fix/fix-client.ts";
import { GatewayVenue, type TestGateway } from "../support/bus/gateway-venue.ts";
import { lacksNats } from "../support/bus/nats-server.ts";
import { freePort } from "../support/free-port.ts";
import type { Trader } from "../support/venue/venue-fixture.ts";

const skip = lacksNats();
let venue: GatewayVenue;
let gateway: TestGateway;
let trader: Trader;
let client: FixClient;

before(async () => {
  if (skip !== false) return;
  venue = await GatewayVenue.open({ DEV_TOOLS: "1" });
  const port = await freePort();
  // Before the gateway, because a gateway knows a key only when it has the leader's event.
  trader = await venue.leader.trader("house");
  const key = await venueKey(venue.leader, trader.account);
  gateway = await venue.gateway({ FIX_PORT: `${port}` });
  client = new FixClient(port, "DESK");
  // The client sends nothing while the leader changes, so its heartbeat interval is the longest one.
  client.logon(key, { 9001: "Y", 108: 60 });
  await client.ofType("A");
});
after(async () => {
  client?.drop();
  await venue?.close();
});

async function untilOpen(names: readonly string[]): Promise<void> {
  const endMs = Date.now() + 60_000;
  for (;;) {
    const { json } = await gateway.signed(trader, "GET", "/api/v3/openOrders");
    const open = json.map((order: { clientOrderId: string }) => order.clientOrderId).sort();
    if (open.join() === names.join()) return;
    if (Date.now() > endMs) assert.deepEqual(open, names);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function isNew({ 39: status }: Fields): void {
  assert.equal(status, "0");
}

test("GWY-26 a FIX session at a gateway trades, and a change of leader neither ends it nor cancels its orders", {
  skip,
}, async () => {
  const first = await client.bid("before", "0.0900");
  isNew(first);
  const terms = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const more = { quantity: "200.0", price: "0.0899", newClientOrderId: "elsewhere" };
  await venue.leader.signed(trader, "POST", "/api/v3/order", { ...terms, ...more });
  isNew(await client.reported("elsewhere"));
  await venue.leader.crashAndRestart();
  assert.equal(client.isClosed, false);
  const second = await client.bid("later", "0.0901");
  isNew(second);
  assert.ok(Number(second[17]) > Number(first[17]), "reports are numbered by the one journal");
  await untilOpen(["before", "elsewhere", "later"]);
  client.drop();
  await untilOpen(["elsewhere"]);
});
