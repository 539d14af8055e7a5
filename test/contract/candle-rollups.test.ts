// Proves that stored candles, which are written in the same commit as the fills, equal buckets computed from the
// fills, both by SQL and by the fold that the fronts use. The load is random trading over three days, with random
// batch boundaries and writers that restart.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresHistory } from "../../src/adapters/postgres/queries/history/history.ts";
import { EventKind, type Traded, type VenueEvent } from "../../src/core/generated/events.ts";
import { orderValue } from "../../src/core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../src/core/money/amounts.ts";
import { PriceSeries } from "../../src/core/price-series.ts";
import { candleIntervals } from "../../src/core/unix-ms.ts";
import { Candles } from "../../src/engine/market-data/candles.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { journalEvents } from "../support/journal/journal-events.ts";
import { randomEvents } from "../support/journal/journal-tables.ts";
import { marketId, testMarkets } from "../support/machine/test-markets.ts";

const dayMs = 86_400_000;

let database: TestDatabase;
let sql: Sql;
let events: readonly VenueEvent[];

before(async () => {
  database = await createTestDatabase();
  sql = openPostgres(database.options, "queries");
  events = randomEvents({ seed: 31, commands: 4_000, gapUsMax: 130_000_000 });
  const connection = database.options;
  await journalEvents({ connection, events, batchPercent: 8, restarts: 3, seed: 7 });
});

after(async () => {
  await sql.end();
  await database.drop();
});

const isTrade = (event: VenueEvent): event is Traded => event.kind === EventKind.traded;

test("KLN-8 stored candles equal the buckets that the front folds from the same trades", async () => {
  const history = new PostgresHistory(sql);
  const trades = events.filter(isTrade);
  const days = new Set(trades.map(({ tsUs }) => Math.floor(tsUs / 1000 / dayMs)));
  assert(days.size >= 3 && trades.length > 500, "the trades must span several days");
  for (const market of [marketId.ccUsdc, marketId.btcPerp]) {
    for (const { ms } of candleIntervals) {
      const candles = new Candles(ms);
      for (const { market: traded, tsUs, price, qty, takerSide } of trades) {
        if (traded !== market) continue;
        const quote = orderValue(testMarkets.market(market), asPriceTicks(price), asQtyLots(qty));
        candles.add({ tsUs, price, qty, quote, takerSide });
      }
      const folded = candles.since(-1);
      const oldest = folded[0]?.openTimeMs ?? 0;
      assert(folded.length > 1);
      assert.deepEqual((await history.candles(market, ms, oldest)).candles, folded);
    }
  }
});

test("KLN-8 stored candles equal the buckets that SQL computes from the fills", async () => {
  const faults = await sql`
    with intervals (ms) as (values (60000), (3600000), (86400000)),
    computed as (
      select market, ms as interval_ms, ts_us / 1000 / ms * ms as open_time_ms,
             (array_agg(price order by trade_id))[1] as open, max(price) as high, min(price) as low,
             (array_agg(price order by trade_id desc))[1] as close, sum(qty) as volume,
             sum(quote) as quote, count(*) as trade_count,
             coalesce(sum(qty) filter (where taker_side = 0), 0) as taker_buy_volume,
             coalesce(sum(quote) filter (where taker_side = 0), 0) as taker_buy_quote
      from fills cross join intervals group by 1, 2, 3)
    select 'computed' as only_in, * from (select * from computed except all select * from candles) a
    union all
    select 'stored' as only_in, * from (
      select * from candles where market < ${PriceSeries.mark}
      except all select * from computed) b`;
  assert.deepEqual([...faults], []);
  const [stored] = await sql<{ rows: string }[]>`select count(*) as rows from candles`;
  assert(Number(stored?.rows) > 500);
});
