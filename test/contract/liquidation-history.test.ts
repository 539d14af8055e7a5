// Proves that the history port lists what liquidations did to an account, both over PostgreSQL and over the fake.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresHistory } from "../../src/adapters/postgres/queries/history/history.ts";
import { SystemAccount, Wallet } from "../../src/core/accounts.ts";
import { EventKind } from "../../src/core/generated/events.ts";
import { MoveCause } from "../../src/core/liquidation.ts";
import { IncomeType } from "../../src/ports/journal/history-store.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { journalEvents } from "../support/journal/journal-events.ts";
import { crashTo, openLongs, tickSecond } from "../support/machine/small-crash.ts";
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

const markets = [marketId.btcPerp, marketId.ethPerp];

/** Lets prices fall, first while the insurance fund has no money to take over positions, then while it has. */
async function crash() {
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
  const late = venue.fund(6030n * oneUsdc);
  venue.sell(maker, marketId.btcPerp, 5_300_000, 1000);
  venue.buy(late, marketId.btcPerp, 5_300_000, 1000);
  venue.credit(SystemAccount.insurance, Wallet.perp, 0, 100_000n * oneUsdc);
  crashTo(venue, maker, 4_600_000);
  tickSecond(venue);
  const { events } = venue;
  const connection = database.options;
  await journalEvents({ connection, events, batchPercent: 20, restarts: 0, seed: 5 });
  const fake = new FakeHistory(testMarkets);
  for (const event of events) fake.fold(event);
  return { events, fake, small, large, late, maker, all: [small, large, late, maker] };
}

test("RSK-14 RSK-47 FAP-29 FAP-50 both history stores report the same about liquidations", async (t) => {
  const { events, fake, small, large, late, maker, all } = await crash();
  const stored = new PostgresHistory(sql);
  const fees = events.filter((event) => event.kind === EventKind.insuranceSettled);
  const moves = events.filter((event) => event.kind === EventKind.positionMoved);
  assert(fees.length > 0 && moves.length > 0);

  await t.test(
    "fees, shortfalls and moved positions are income of both accounts concerned",
    async () => {
      const times = { startUs: null, endUs: null, skip: 0, limit: 100 };
      const wanted = { markets, isOfMarket: false, types: [IncomeType.insurance], ...times };
      for (const account of [...all, SystemAccount.insurance]) {
        const rows = await stored.income({ ...wanted, account });
        assert.deepEqual(rows, await fake.income({ ...wanted, account }));
        assert(
          rows.length > 0 || account === SystemAccount.insurance,
          `account ${account} has no income`,
        );
      }
      const [own] = moves.filter(({ account }) => account === large);
      const told = await stored.income({ ...wanted, account: large });
      assert(told.some(({ id, amount }) => id === own?.seq && amount === own.pnl));
    },
  );

  await t.test(
    "liquidation orders are the orders that the venue placed for the account",
    async () => {
      const wanted = { markets, startUs: null, endUs: null, limit: 100 };
      for (const account of all) {
        const rows = await stored.liquidationOrders({ ...wanted, account });
        assert.deepEqual(rows, await fake.liquidationOrders({ ...wanted, account }));
        assert(rows.length === 0 || account !== maker, "the maker must have no liquidation orders");
      }
      const [first, ...others] = await stored.liquidationOrders({ ...wanted, account: small });
      assert(first !== undefined && first.filledQty > 0);
      const from = { ...wanted, account: small, startUs: first.acceptedUs + 1 };
      assert.deepEqual(await stored.liquidationOrders(from), others);
      const until = { ...wanted, account: small, endUs: first.acceptedUs + 1 };
      assert.deepEqual(await stored.liquidationOrders(until), [first]);
      const elsewhere = { ...wanted, account: small, markets: [marketId.ethPerp] };
      assert.deepEqual(await stored.liquidationOrders(elsewhere), []);
    },
  );

  await t.test(
    "a takeover is reported to the account that lost the position, a deleveraging to the account that got it",
    async () => {
      const wanted = { markets, startUs: null, endUs: null, limit: 100 };
      for (const account of all) {
        for (const isTaken of [false, true]) {
          const query = { ...wanted, account, isTaken };
          assert.deepEqual(await stored.positionMoves(query), await fake.positionMoves(query));
        }
      }
      const lost = await stored.positionMoves({ ...wanted, account: large, isTaken: false });
      const got = await stored.positionMoves({ ...wanted, account: maker, isTaken: true });
      assert.deepEqual(
        lost.map(({ seq, cause }) => [seq, cause]),
        got.map(({ seq }) => [seq, MoveCause.deleveraging]),
      );
      assert(lost.length > 0);
      const [taken] = await stored.positionMoves({ ...wanted, account: late, isTaken: false });
      assert.equal(taken?.cause, MoveCause.takeover);
      const before = { ...wanted, account: large, isTaken: false, endUs: lost[0]?.tsUs ?? 0 };
      assert.deepEqual(await stored.positionMoves(before), []);
      assert.equal((await stored.positionMoves({ ...before, endUs: null, limit: 1 })).length, 1);
    },
  );
});
