// Proves that the history port lists claimed commission as income, both over PostgreSQL and over the fake.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresHistory } from "../../src/adapters/postgres/queries/history/history.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { EventKind } from "../../src/core/generated/events.ts";
import { IncomeType } from "../../src/ports/journal/history-store.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { journalEvents } from "../support/journal/journal-events.ts";
import { marketId, oneUsdc, testMarkets } from "../support/machine/test-markets.ts";
import { TestVenue } from "../support/machine/test-venue.ts";
import { FakeHistory } from "../surface/fake-history.ts";

let database: TestDatabase;
let sql: Sql;

before(async () => {
  database = await createTestDatabase();
  sql = openPostgres(database.options, "queries");
});
after(async () => {
  await sql.end();
  await database.drop();
});

test("REF-9 each claim of commission is an income row without a market, found by its time", async () => {
  const venue = new TestVenue({ rewardIntervalUs: 5_000_000 });
  const referrer = venue.open();
  const [user, other] = [venue.fund(1_000_000n * oneUsdc), venue.fund(1_000_000n * oneUsdc)];
  venue.done({ kind: CommandKind.setReferrer, account: user, referrer });
  for (const qty of [100, 200, 300]) {
    venue.sell(other, marketId.btcPerp, 6_000_000, qty);
    venue.buy(user, marketId.btcPerp, 6_000_000, qty);
    venue.nowUs += 5_000_000;
    venue.machine.handle(venue.command({ kind: CommandKind.tick }));
    venue.send({ kind: CommandKind.claimReward, account: referrer });
  }
  const { events } = venue;
  const claims = events.filter((event) => event.kind === EventKind.rewardClaimed);
  // Each trade of a hundred lots is worth 6,000 USDC and costs its buyer a fee of 5 bps. A tenth of the fee is
  // claimed.
  assert.deepEqual(
    claims.map(({ amount }) => amount),
    [300_000n, 600_000n, 900_000n],
  );
  const { options: connection } = database;
  await journalEvents({ connection, events, batchPercent: 20, restarts: 0, seed: 5 });
  const fake = new FakeHistory(testMarkets);
  for (const event of events) fake.fold(event);
  const stored = new PostgresHistory(sql);
  const all = { markets: [marketId.btcPerp], isOfMarket: false, skip: 0, limit: 100 };
  const types = [IncomeType.rebate];
  const base = { ...all, types, account: referrer, startUs: null, endUs: null };
  const times = { startUs: claims[1]?.tsUs ?? 0, endUs: claims[2]?.tsUs ?? 0 };
  for (const query of [
    base,
    { ...base, ...times },
    { ...base, skip: 1, limit: 1 },
    { ...base, types: Object.values(IncomeType) },
  ]) {
    const rows = await stored.income(query);
    assert.deepEqual(rows, await fake.income(query));
    assert(rows.length > 0);
  }
  const [second] = await stored.income({ ...base, ...times });
  assert.deepEqual([second?.id, second?.amount], [claims[1]?.seq, 600_000n]);
  assert.deepEqual(await stored.income({ ...base, isOfMarket: true }), []);
  assert.deepEqual(await stored.income({ ...base, account: user }), []);
});
