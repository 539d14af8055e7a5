// Proves that a venue that follows refuses a journal which loses events that its leader had acknowledged.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { VenueProcesses } from "../support/cluster/venue-processes.ts";

let venues: VenueProcesses;
before(async () => {
  venues = await VenueProcesses.open();
});
after(() => venues.close());

test("LDR-21 a follower does not lead on a journal that lost proven events, and its former leader does not either", async () => {
  const database = await venues.database();
  const of = (name: string) => venues.settings(database, name, { ROLE: "auto", LEASE_MS: "10000" });
  const leader = await venues.start(of("leader"));
  const follower = await venues.start(of("follower"), /Another venue leads/);
  const acknowledged = await venues.acknowledge(of("leader"), 3);
  await Promise.all(["leader", "follower"].map((name) => venues.untilMarked(acknowledged, name)));
  // As after the promotion of a server that lacks the last commit.
  const sql = openPostgres(database.options, "queries");
  await sql.begin(async (tx) => {
    // Until the events are gone nobody claims the lease, however slow the machine is.
    await tx`lock table leadership in share row exclusive mode`;
    leader.signal("SIGKILL");
    await leader.ended;
    await tx`set local session_replication_role = replica`;
    await tx`delete from journal where seq = ${acknowledged}`;
    await tx`update journal_head set last_seq = ${acknowledged - 1}`;
  });
  await sql.end({ timeout: 1 });
  assert.equal(await follower.ended, 5, follower.complained);
  assert.match(follower.complained, new RegExp(`ends at event ${acknowledged - 1}, `));
  assert.match(
    await venues.refusal(of("leader")),
    new RegExp(`ends at event ${acknowledged - 1}, `),
  );
});
