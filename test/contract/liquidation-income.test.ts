// What liquidations did to the wallet, as the history port tells it, over PostgreSQL and over the double.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresHistory } from "../../src/adapters/postgres/queries/history.ts";
import { SystemAccount, Wallet } from "../../src/core/accounts.ts";
import { EventKind } from "../../src/core/events.ts";
import { IncomeType } from "../../src/ports/history-store.ts";
import { journalEvents } from "../support/journal-events.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { crashTo, openLongs, tickSecond } from "../support/small-crash.ts";
import { marketId, oneUsdc, testMarkets } from "../support/test-markets.ts";
import { TestVenue } from "../support/test-venue.ts";
import { HistoryDouble } from "../surface/history-double.ts";

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

test("RSK-14 fees, shortfalls and moved positions are income of both sides", async () => {
  const venue = new TestVenue();
  venue.credit(SystemAccount.insurance, Wallet.perp, 0, 200n * oneUsdc);
  const maker = venue.fund(10_000_000n * oneUsdc);
  const small = venue.fund(603n * oneUsdc);
  const large = venue.fund(6030n * oneUsdc);
  openLongs(venue, maker, small, large);
  crashTo(venue, maker, 5_421_000);
  tickSecond(venue);
  crashTo(venue, maker, 5_300_000);
  tickSecond(venue);
  const { events } = venue;
  await journalEvents({
    connection: database.options,
    events,
    groupPercent: 20,
    restarts: 0,
    seed: 5,
  });
  const double = new HistoryDouble(testMarkets);
  for (const event of events) double.fold(event);
  const markets = [marketId.btcPerp, marketId.ethPerp];
  const times = { startUs: null, endUs: null, skip: 0, limit: 100 };
  const types = [IncomeType.insurance];
  const wanted = { markets, isOfMarket: false, types, ...times };
  const stored = new PostgresHistory(sql);
  for (const account of [small, large, maker, SystemAccount.insurance]) {
    const rows = await stored.income({ ...wanted, account });
    assert.deepEqual(rows, await double.income({ ...wanted, account }));
    assert(rows.length > 0 || account === SystemAccount.insurance, `${account} has some`);
  }
  const fees = events.filter((event) => event.kind === EventKind.insuranceSettled);
  const moves = events.filter((event) => event.kind === EventKind.positionMoved);
  assert(fees.length > 0 && moves.length > 0);
  const [own] = moves.filter(({ account }) => account === large);
  const told = await stored.income({ ...wanted, account: large });
  assert(told.some(({ id, amount }) => id === own?.seq && amount === own.pnl));
});
