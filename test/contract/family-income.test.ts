// Proves that the history port lists money between accounts of one owner as income of both, over PostgreSQL and over the
// fake, and that the operator's reads know the sub-accounts of an owner.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { readSubAccounts } from "../../src/adapters/postgres/queries/access/accounts.ts";
import { PostgresHistory } from "../../src/adapters/postgres/queries/history/history.ts";
import { Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
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

test("SUB-4 SUB-9 FAP-29 money between accounts of one owner is income of both, and its sub-accounts are known", async () => {
  const venue = new TestVenue();
  const [owner, stranger] = [venue.fund(1_000n * oneUsdc), venue.fund(1_000n * oneUsdc)];
  const kind = CommandKind.openSubAccount;
  const [one, two] = ["one", "two"].map(
    (label) => venue.send({ kind, account: owner, label }).subject,
  ) as [number, number];
  const { spot, perp, funding } = Wallet;
  const { transfer, moveBetweenAccounts } = CommandKind;
  const own = (from: Wallet, to: Wallet, units: bigint) =>
    venue.done({
      ...{ kind: transfer, account: owner, from, to, asset: 0, amount: units * oneUsdc, key: null },
    } as const);
  own(perp, spot, 200n);
  own(spot, funding, 10n);
  for (const [account, receiver, from, to, units] of [
    [owner, one, perp, perp, 40n],
    [owner, one, spot, perp, 30n],
    [one, two, perp, spot, 20n],
    [two, owner, spot, spot, 10n],
    [one, owner, perp, perp, 5n],
  ] as const)
    venue.done({
      ...{ kind: moveBetweenAccounts, account, receiver, from, to },
      ...{ asset: 0, amount: units * oneUsdc, key: null },
    });
  const { events } = venue;
  const { options: connection } = database;
  await journalEvents({ connection, events, batchPercent: 20, restarts: 0, seed: 5 });
  const fake = new FakeHistory(testMarkets);
  for (const event of events) fake.fold(event);
  const stored = new PostgresHistory(sql);
  const types = [IncomeType.transfer];
  const all = { markets: [marketId.btcPerp], isOfMarket: false, types, skip: 0, limit: 100 };
  for (const [account, amounts] of [
    [owner, [1_000n, -200n, -40n, 5n]],
    [one, [40n, 30n, -20n, -5n]],
    [two, []],
    [stranger, [1_000n]],
  ] as const) {
    const query = { ...all, account, startUs: null, endUs: null };
    const rows = await stored.income(query);
    const shown = rows.map(({ amount }) => amount / oneUsdc);
    assert.deepEqual(shown, amounts, `account ${account}`);
    assert.deepEqual(rows, await fake.income(query));
    const [, second, third] = rows;
    if (second === undefined || third === undefined) continue;
    const times = { startUs: second.tsUs, endUs: third.tsUs };
    assert.deepEqual(await stored.income({ ...query, ...times }), [second]);
    assert.deepEqual(await stored.income({ ...query, skip: 1, limit: 2 }), [second, third]);
  }
  assert.deepEqual(await readSubAccounts(sql, owner), [one, two]);
  for (const account of [one, stranger]) assert.deepEqual(await readSubAccounts(sql, account), []);
});
