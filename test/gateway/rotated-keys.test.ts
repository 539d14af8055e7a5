// Proves that a rotation of the master key at the leader reaches a gateway that was given the new key before, and that a
// gateway without the new key says so and goes on.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { until } from "../epochs/epoch-waits.ts";
import { GatewayVenue, type TestGateway } from "../support/bus/gateway-venue.ts";
import { lacksNats } from "../support/bus/nats-server.ts";
import type { Trader } from "../support/venue/venue-fixture.ts";

const skip = lacksNats();
const [oldKey, newKey] = ["5a".repeat(32), randomBytes(32).toString("hex")];
let venue: GatewayVenue;
let ready: TestGateway;
let forgotten: TestGateway;
let earlier: Trader;

before(async () => {
  if (skip !== false) return;
  venue = await GatewayVenue.open();
  earlier = await venue.leader.trader();
  [ready, forgotten] = await Promise.all([
    venue.gateway({ MASTER_KEY: newKey, MASTER_KEY_EARLIER: oldKey }),
    venue.gateway(),
  ]);
});
after(() => venue?.close());

async function untilServed(gateway: TestGateway, trader: Trader): Promise<void> {
  await until("the key is served", async () => {
    const { status } = await gateway.signed(trader, "GET", "/api/v3/account");
    return status === 200 ? status : null;
  });
}

test("AUT-40 keys from before, during and after a rotation work at a gateway that was given the new key", {
  skip,
}, async () => {
  await untilServed(ready, earlier);
  const { masterKeys } = venue.leader.venue;
  await masterKeys.begin(newKey);
  const during = await venue.leader.trader();
  await untilServed(ready, during);
  while (((await masterKeys.step()) as { left: number }).left > 0);
  await masterKeys.finish();
  const later = await venue.leader.trader();
  for (const trader of [earlier, during, later]) await untilServed(ready, trader);
  // What this gateway encrypts from now on can be read by the leader's fronts.
  const headers = { "X-MBX-APIKEY": later.key };
  const made = await fetch(`${ready.address}/compat/api/v3/userDataStream`, {
    ...{ method: "POST", headers },
  });
  assert.equal(made.status, 200, await made.text());
});

test("AUT-40 a gateway without the new key serves the keys that it has read, and does not start again", {
  skip,
}, async () => {
  await untilServed(forgotten, earlier);
  await assert.rejects(venue.gateway(), /not the key that encrypts/);
});
