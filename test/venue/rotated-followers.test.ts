// Proves that a rotation of the master key at the leader reaches a follower that was given the new key before: while it
// follows, and so that it serves every key once it leads.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../epochs/epoch-waits.ts";
import { signedFetch } from "../support/client/signed-fetch.ts";
import { VenueProcesses } from "../support/cluster/venue-processes.ts";
import { runCli, type Settings } from "../support/venue/cli-process.ts";

const [oldKey, newKey] = ["5a".repeat(32), "6b".repeat(32)];
let venues: VenueProcesses;
before(async () => {
  venues = await VenueProcesses.open();
});
after(() => venues.close());

async function keyAt(settings: Settings): Promise<{ key: string; secret: string }> {
  const { account } = await venues.call(settings, "accounts/create", { type: "standard" });
  const { api_key: key, secret } = await venues.call(settings, "keys/create", { account });
  return { key, secret };
}

test("AUT-40 keys from before and after a rotation work at a follower that takes over, if it was given the new key", async () => {
  const database = await venues.database();
  // A long lease, so that a busy machine does not change the leader; one that stops hands over at once.
  const shared = { ROLE: "auto", LEASE_MS: "20000" };
  const both = { MASTER_KEY: newKey, MASTER_KEY_EARLIER: oldKey };
  const first = venues.settings(database, "leader", { ...shared, MASTER_KEY: oldKey });
  const leader = await venues.start(first);
  const ready = venues.settings(database, "follower", { ...shared, ...both, LOG_LEVEL: "info" });
  const follower = await venues.start(ready, /Another venue leads/);
  const earlier = await keyAt(first);
  const rotated = await runCli(["master-key", "rotate"], { ...first, ...both });
  assert.equal(rotated.code, 0, rotated.complained);
  const later = await keyAt(first);
  await until(
    "the follower uses the new key",
    async () =>
      follower.complained.includes("the master key was rotated: these versions are in use") || null,
  );
  assert.doesNotMatch(follower.printed, /Rialto is open/);
  leader.signal("SIGTERM");
  const [, address = ""] = await follower.untilPrinted(/^Rialto is open at (http:\S+)$/m);
  for (const trader of [earlier, later]) {
    const query = { method: "GET" as const, path: "/api/v3/account", parameters: {} };
    const { status } = await signedFetch(address, trader, query);
    assert.equal(status, 200);
  }
});
