// Proves the limits on enrollment when more users enroll at once than the venue invites. Each invitation costs ledger
// traffic that settlement needs.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { freeOf, LedgerVenue, until } from "../support/venue/ledger-venue.ts";

/** The limits that WAL-4 states: sixteen invitations at once, then one each 30 s. */
const atOnce = 16;
const everyMs = 30_000;
/** A slow machine does not take long enough to invite as many either. More could not log in from one address. */
const strangers = 26;

let venue: LedgerVenue;

before(async () => {
  venue = await LedgerVenue.open();
});
after(() => venue.close());

async function bound(): Promise<number> {
  const { sql } = venue.fixture.venue.database;
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from settlement_members`;
  return row?.count ?? 0;
}

test("WAL-4 accounts that enroll themselves are invited sixteen at once and then one each 30 s", async () => {
  const users = [];
  for (let count = 0; count < strangers; count++) users.push(await venue.user());
  const beganMs = Date.now();
  for (const user of users) assert.equal((await user.post("/v1/wallet/enroll")).status, 200);
  await until(async () => (await bound()) >= atOnce);
  // After some cycles, an invited user deposits money and sees it.
  const [first] = users;
  assert(first !== undefined);
  await (await venue.control()).tap(first.partyId, "USDC", "5");
  await until(async () => (await freeOf(first, "spot", "USDC")) === 5);
  const invited = await bound();
  const later = 1 + Math.floor((Date.now() - beganMs) / everyMs);
  assert.ok(invited <= atOnce + later, `too many were invited: ${invited}`);
  assert.ok(later < strangers - atOnce, "The test must be fast enough to measure the limit");
  const last = await users.at(-1)?.get("/v1/wallet/enrollment");
  assert.equal(last?.json.status, "pending");
});
