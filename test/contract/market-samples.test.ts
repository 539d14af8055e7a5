// Proves that the samples of perpetual markets in the database equal the state that the same events produce.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresMarketSamples } from "../../src/adapters/postgres/queries/history/market-samples.ts";
import { firstCustomerAccount, Wallet } from "../../src/core/accounts.ts";
import { sampleIntervalMs } from "../../src/core/market-samples.ts";
import { asPriceTicks, asQtyLots, notional } from "../../src/core/money/amounts.ts";
import { apply } from "../../src/engine/state/apply/apply.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { journalEvents } from "../support/journal/journal-events.ts";
import { randomEvents } from "../support/journal/journal-tables.ts";
import { marketId, testMarkets } from "../support/machine/test-markets.ts";

let database: TestDatabase;
let sql: Sql;
let state: VenueState;
let store: PostgresMarketSamples;

const market = marketId.btcPerp;
const anyTime = { startMs: null, endMs: null };

before(async () => {
  database = await createTestDatabase();
  sql = openPostgres(database.options, "queries");
  const events = randomEvents({ seed: 21, commands: 2_000, gapUsMax: 500_000, fundingPercent: 2 });
  state = new VenueState(testMarkets);
  for (const event of events) apply(state, event);
  const connection = database.options;
  await journalEvents({ connection, events, batchPercent: 20, restarts: 0, seed: 1 });
  store = new PostgresMarketSamples(sql);
});
after(async () => {
  await sql.end();
  await database.drop();
});

interface Holder {
  readonly account: number;
  readonly lots: bigint;
  readonly equity: bigint;
}

function holders(): Holder[] {
  const { accounts, positions, balances, table } = state;
  const mark = asPriceTicks(state.mark[market] ?? 0);
  const { tickLot } = table.market(market);
  const all: Holder[] = [];
  for (let slot = 1; slot < accounts.next; slot++) {
    const account = accounts.at(slot);
    if (account < firstCustomerAccount) continue;
    const lots = BigInt(positions.qty(account, market));
    if (lots === 0n) continue;
    const value = notional(mark, asQtyLots(Math.abs(Number(lots))), tickLot);
    const profit = (lots < 0n ? -value : value) - positions.entryValue(account, market);
    all.push({ account, lots, equity: balances.total(account, Wallet.perp, 0) + profit });
  }
  return all.sort((a, b) => Number(b.equity - a.equity) || a.account - b.account);
}

function divisionOf(some: readonly Holder[]) {
  const longs = some.filter(({ lots }) => lots > 0n);
  const shorts = some.filter(({ lots }) => lots < 0n);
  const sum = (rows: readonly Holder[]) => rows.reduce((lots, row) => lots + row.lots, 0n);
  return {
    longAccounts: longs.length,
    shortAccounts: shorts.length,
    longLots: sum(longs),
    shortLots: -sum(shorts),
  };
}

test("FAP-44 FAP-59 a market sample equals the positions, balances and prices at its time", async () => {
  const atMs = 12 * sampleIntervalMs;
  await store.take(atMs);
  const all = holders();
  assert(
    all.length >= 5 && (state.mark[market] ?? 0) > 0,
    `only ${all.length} accounts hold a position, or the market has no mark`,
  );
  const samples = await store.samples({ market, periodMs: sampleIntervalMs, ...anyTime, limit: 5 });
  assert.deepEqual(samples, [
    {
      atMs,
      openLots: BigInt(state.positions.openInterest(market)),
      mark: state.mark[market],
      index: state.index[market],
      all: divisionOf(all),
      top: divisionOf(all.slice(0, Math.ceil(all.length / 5))),
    },
  ]);
  const none = await store.samples({
    market: marketId.ethPerp,
    periodMs: sampleIntervalMs,
    ...anyTime,
    limit: 5,
  });
  const flat = { longAccounts: 0, shortAccounts: 0, longLots: 0n, shortLots: 0n };
  assert.deepEqual(none, [{ atMs, openLots: 0n, mark: 0, index: 0, all: flat, top: flat }]);
  const spot = { market: marketId.ccUsdc, periodMs: sampleIntervalMs, ...anyTime, limit: 5 };
  assert.deepEqual(await store.samples(spot), []);
});

test("FAP-44 samples are read by period and time, taken once, and deleted when they are old", async () => {
  const turn = (count: number) => count * sampleIntervalMs;
  for (const count of [13, 14, 15, 24]) await store.take(turn(count));
  await store.take(turn(12));
  const turnsOf = async (more: object) => {
    const base = { market, periodMs: sampleIntervalMs, ...anyTime, limit: 500 };
    const samples = await store.samples({ ...base, ...more });
    return samples.map(({ atMs }) => atMs / sampleIntervalMs);
  };
  assert.deepEqual(await turnsOf({}), [12, 13, 14, 15, 24]);
  assert.deepEqual(await turnsOf({ periodMs: 3 * sampleIntervalMs }), [12, 15, 24]);
  assert.deepEqual(await turnsOf({ limit: 2 }), [15, 24]);
  assert.deepEqual(await turnsOf({ startMs: turn(13), limit: 2 }), [13, 14]);
  assert.deepEqual(await turnsOf({ startMs: turn(13) + 1, endMs: turn(15) }), [14, 15]);
  assert.deepEqual(await turnsOf({ endMs: turn(15) - 1, limit: 1 }), [14]);
  await store.drop(turn(14));
  assert.deepEqual(await turnsOf({}), [14, 15, 24]);
});
