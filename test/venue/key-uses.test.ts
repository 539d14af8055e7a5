// Proves that the last use of a key outlives an orderly stop of the venue.

import assert from "node:assert/strict";
import { test } from "node:test";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

test("KEY-20 after a restart the operator's list still says when a key was last used", async (t) => {
  const venue = await VenueFixture.open();
  t.after(() => venue.close());
  const trader = await venue.trader();
  const listed = async () => {
    const keys = await venue.operator.listKeys({ account: trader.account, after: 0, limit: 10 });
    return keys.map((key) => (key as { last_used_at: string | null }).last_used_at);
  };
  assert.deepEqual(await listed(), [null]);
  const fromMs = Date.now() - 60_000;
  assert.equal((await venue.signed(trader, "GET", "/api/v3/account", {})).status, 200);
  await venue.restart();
  const [usedAt] = await listed();
  assert(usedAt !== null && usedAt !== undefined && Date.parse(usedAt) >= fromMs, `${usedAt}`);
});
