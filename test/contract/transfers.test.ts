// Proves that the history lists an account's transfers, both over PostgreSQL and over the fake that front tests use.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresHistory } from "../../src/adapters/postgres/queries/history/history.ts";
import { Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { journalEvents } from "../support/journal/journal-events.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
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

test("SPT-39 SPT-48 transfers are listed newest first, by account and time, up to a limit", async () => {
  const venue = new TestVenue();
  const [user, other] = [venue.fund(1_000_000_000n), venue.fund(1_000_000_000n)];
  for (const [account, amount] of [
    [user, 1n],
    [other, 2n],
    [user, 3n],
    [user, 4n],
  ] as const) {
    venue.nowUs += 1_000_000;
    const ways = { from: Wallet.spot, to: Wallet.perp, asset: 0, key: null } as const;
    venue.done({ kind: CommandKind.transfer, account, amount, ...ways });
  }
  const { events } = venue;
  const { options: connection } = database;
  await journalEvents({ connection, events, batchPercent: 20, restarts: 0, seed: 5 });
  const fake = new FakeHistory(testMarkets);
  for (const event of events) fake.fold(event);
  const stored = new PostgresHistory(sql);
  const all = { account: user, startUs: 0, endUs: venue.nowUs + 1, limit: 10 };
  const rows = await stored.transfers(all);
  assert.deepEqual(
    rows.map(({ amount }) => amount),
    [4n, 3n, 1n],
  );
  const middle = rows[1];
  assert.ok(middle !== undefined);
  for (const query of [
    all,
    { ...all, limit: 2 },
    { ...all, startUs: middle.tsUs },
    { ...all, endUs: middle.tsUs },
    { ...all, account: other },
  ]) {
    assert.deepEqual(await stored.transfers(query), await fake.transfers(query));
  }
  assert.deepEqual(await stored.transfers({ ...all, endUs: middle.tsUs }), rows.slice(2));
});
