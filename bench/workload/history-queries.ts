// Measures history queries on an old venue: a separate database with a given number of trades, and every kind of query
// that a client can send, for random accounts, markets and times of the whole history. The time is measured around
// calls of the HistoryStore port, so it includes the statement, the server, transport and parsing.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { migrate } from "../../src/adapters/postgres/migrate.ts";
import { PostgresHistory } from "../../src/adapters/postgres/queries/history/history.ts";
import { startEmbeddedPostgres } from "../../src/adapters/postgres/server/embedded-postgres.ts";
import { type HistoryStore, IncomeType } from "../../src/ports/journal/history-store.ts";
import { Latencies, type LatencySummary } from "../../src/tools/load/latencies.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import {
  accountOf,
  addHistoryRows,
  makerAccount,
  marketOf,
} from "../../test/support/database/history-rows.ts";
import { marketId } from "../../test/support/machine/test-markets.ts";

export interface HistoryRun {
  readonly trades: number;
  readonly spanMs: number;
  /** Number of queries of each kind. */
  readonly queries: number;
  readonly say: (message: string) => void;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const none = { startUs: null, endUs: null };

/** Draws the parameters of a query. */
class Chances {
  readonly #random = new SeededRandom(11);
  readonly #run: HistoryRun;
  readonly #startMs: number;

  constructor(run: HistoryRun) {
    this.#run = run;
    this.#startMs = Date.now() - run.spanMs;
  }

  id(): number {
    return 1000 + this.#random.below(this.#run.trades - 1000);
  }

  /** Returns a time at least `beforeEndMs` before the newest trade. */
  momentMs(beforeEndMs: number): number {
    return this.#startMs + this.#random.below(this.#run.spanMs - beforeEndMs);
  }

  market(): number {
    return marketOf(this.id());
  }

  /** Returns the market maker's account for half of the queries, and a random one for the rest. */
  account(): number {
    return this.#random.below(2) === 0 ? makerAccount : accountOf(this.id());
  }
}

type Query = (history: HistoryStore, chances: Chances) => Promise<unknown>;

const accountQueries: Readonly<Record<string, Query>> = {
  "fills, newest 500": (history, chances) =>
    history.fillsOfAccount(ownQuery(chances, { orderId: null, fromTradeId: null })),
  "fills, a day": (history, chances) =>
    history.fillsOfAccount(
      ownQuery(chances, { orderId: null, fromTradeId: null, ...span(chances, dayMs) }),
    ),
  "fills, from an id": (history, chances) =>
    history.fillsOfAccount(ownQuery(chances, { orderId: null, fromTradeId: chances.id() })),
  "fills, of an order": (history, chances) => {
    const orderId = chances.id();
    const owner = { account: accountOf(orderId), market: marketOf(orderId), orderId };
    return history.fillsOfAccount(ownQuery(chances, { ...owner, fromTradeId: null }));
  },
  "orders, newest 500": (history, chances) =>
    history.ordersOfAccount(ownQuery(chances, { fromOrderId: null })),
  "orders, a day": (history, chances) =>
    history.ordersOfAccount(ownQuery(chances, { fromOrderId: null, ...span(chances, dayMs) })),
  "orders, from an id": (history, chances) =>
    history.ordersOfAccount(ownQuery(chances, { fromOrderId: chances.id() })),
  "order, by id": (history, chances) => {
    const orderId = chances.id();
    return history.orderById(accountOf(orderId), orderId);
  },
  "order, by client id": (history, chances) => {
    const orderId = 3 * Math.ceil(chances.id() / 3);
    return history.orderByClientId(accountOf(orderId), `x-TKT5PX2F${orderId}`);
  },
  "income, a week": (history, chances) =>
    history.income({
      account: chances.account(),
      markets: [marketId.btcPerp, marketId.ethPerp, marketId.ccPerp],
      isOfMarket: false,
      types: Object.values(IncomeType),
      ...span(chances, 7 * dayMs),
      skip: 0,
      limit: 100,
    }),
};

const marketQueries: Readonly<Record<string, Query>> = {
  "trades, newest 1000": (history, chances) =>
    history.trades({ ...tapeQuery(chances), fromTradeId: null }),
  "trades, from an id": (history, chances) =>
    history.trades({ ...tapeQuery(chances), fromTradeId: chances.id() }),
  "trades, an hour": (history, chances) =>
    history.trades({ ...tapeQuery(chances), fromTradeId: null, ...span(chances, hourMs) }),
  "candles, 500 of 1m": (history, chances) => {
    const fromMs = chances.momentMs(500 * 60_000);
    const range = { fromMs, toMs: fromMs + 500 * 60_000 };
    return history.candlesBetween({
      market: chances.market(),
      intervalMs: 60_000,
      ...range,
      limit: 500,
    });
  },
  "candles, 500 of 5m": (history, chances) => history.foldedCandles(folded(chances, 5, 500)),
  "candles, 500 of 15m": (history, chances) => history.foldedCandles(folded(chances, 15, 500)),
  "candle, before a moment": (history, chances) =>
    history.candleBefore(chances.market(), 60_000, chances.momentMs(0)),
};

function ownQuery<T extends object>(chances: Chances, more: T) {
  const [account, market] = [chances.account(), chances.market()];
  return { account, market, ...none, limit: 500, ...more };
}

function tapeQuery(chances: Chances) {
  return { market: chances.market(), beforeTradeId: null, ...none, limit: 1000 };
}

function span(chances: Chances, ms: number): { startUs: number; endUs: number } {
  const startMs = chances.momentMs(ms);
  return { startUs: startMs * 1000, endUs: (startMs + ms) * 1000 };
}

function folded(chances: Chances, minutes: number, rows: number) {
  const widthMs = minutes * 60_000;
  const fromMs = Math.floor(chances.momentMs(rows * widthMs) / widthMs) * widthMs;
  const range = { fromMs, toMs: fromMs + rows * widthMs };
  return { market: chances.market(), intervalMs: 60_000, ...range, widthMs, anchorMs: 0 };
}

/** Measures the latency of each kind of query, one kind after the other. */
export async function measureHistory(run: HistoryRun): Promise<Map<string, LatencySummary>> {
  const dataDir = await mkdtemp(join(tmpdir(), "rialto-history-"));
  try {
    const server = await startEmbeddedPostgres({ dataDir, holderFile: null, log: () => undefined });
    try {
      const loader = openPostgres(server.connection, "migrations");
      await migrate(loader);
      await addHistoryRows(loader, run);
      await loader.end();
      const sql = openPostgres(server.connection, "queries");
      const summaries = await measureAll(sql, run);
      await sql.end();
      return summaries;
    } finally {
      await server.stop("fast");
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measureAll(sql: Sql, run: HistoryRun): Promise<Map<string, LatencySummary>> {
  const history = new PostgresHistory(sql);
  const chances = new Chances(run);
  const summaries = new Map<string, LatencySummary>();
  for (const [name, send] of Object.entries({ ...accountQueries, ...marketQueries })) {
    const latencies = new Latencies();
    for (let query = 0; query < run.queries; query++) {
      const startedMs = performance.now();
      await send(history, chances);
      latencies.record(performance.now() - startedMs);
    }
    const summary = latencies.summary();
    run.say(`${name}: p50 ${summary.p50Ms} ms, p99 ${summary.p99Ms} ms`);
    summaries.set(name, summary);
  }
  return summaries;
}
