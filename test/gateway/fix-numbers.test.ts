// Proves that numbers which a FIX session continues are the same on every gateway and under every leader: a drop copy stays at
// one gateway while the leader changes, and a session moves to it from another.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { venueKey } from "../fix/fix-client.ts";
import { RecoveringClient } from "../fix/recovering-client.ts";
import { GatewayVenue, type TestGateway } from "../support/bus/gateway-venue.ts";
import { lacksNats } from "../support/bus/nats-server.ts";
import { freePort } from "../support/free-port.ts";

const skip = lacksNats();
let venue: GatewayVenue;
const clients: RecoveringClient[] = [];

before(async () => {
  if (skip === false) venue = await GatewayVenue.open({ DEV_TOOLS: "1" });
});
after(async () => {
  for (const client of clients) client.drop();
  await venue?.close();
});

/** A gateway with a FIX listener, and its port. */
async function fixGateway(): Promise<{ gateway: TestGateway; port: number }> {
  const port = await freePort();
  const settings = { FIX_PORT: `${port}`, RATE_LIMIT_WS_CONNS_PER_IP: "200" };
  return { gateway: await venue.gateway(settings), port };
}

test("FIX-25 FIX-28 a session that moves to another gateway under a new leader goes on with its numbers", {
  skip,
}, async () => {
  const [one, two] = [await fixGateway(), await fixGateway()];
  const trader = await venue.leader.trader("house");
  const key = await venueKey(venue.leader, trader.account);
  // A client that is not waited for answers no TestRequest, so the heartbeat interval is the longest one.
  const patient = { 108: "60" };
  const copy = new RecoveringClient(two.port, key, "COPY", { ...patient, 9406: "Y" });
  const session = new RecoveringClient(one.port, key, "DESK", { ...patient, 25035: "1" });
  clients.push(copy, session);
  for (const client of clients) await client.connect();
  const terms = [
    [38, "200.0"],
    [40, 2],
    [54, 1],
    [55, "CC-USDC"],
    [59, 1],
  ] as const;
  const place = (id: string) => session.send("D", [[11, id], [44, "0.0900"], ...terms]);
  place("before");
  await session.reported(1);
  session.drop();
  await venue.leader.crashAndRestart();
  const order = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const more = { quantity: "200.0", price: "0.0901", newClientOrderId: "meanwhile" };
  const { status, json } = await one.gateway.signed(trader, "POST", "/api/v3/order", {
    ...order,
    ...more,
  });
  assert.equal(status, 200, JSON.stringify(json));
  session.moveTo(two.port);
  await session.connect();
  place("after");
  for (const client of clients) await client.reported(3);
  const told = ({ reports }: RecoveringClient) =>
    [...reports].map(([seq, report]) => [seq, report[17], report[11]]);
  assert.deepEqual(
    told(session).map(([, , id]) => id),
    ["before", "meanwhile", "after"],
  );
  assert.deepEqual(told(session), told(copy));
  assert.deepEqual([session.faults, copy.faults], [[], []]);
});
