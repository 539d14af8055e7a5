// Proves that PostgreSQL runs every history statement by an index, on 200,000 rows and with the venue's query
// settings (generic plans, no JIT). A plan must find its first row by an index and stop at its last: no full table
// read, no index scan without a condition, no rows that are read and discarded.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import type { BoundStatement } from "../../src/adapters/postgres/queries/history/bound-statement.ts";
import { eventsAtStatement } from "../../src/adapters/postgres/queries/history/close-reasons.ts";
import {
  liquidationOrdersStatement,
  movesStatement,
} from "../../src/adapters/postgres/queries/history/forced-closes.ts";
import * as statements from "../../src/adapters/postgres/queries/history/history-statements.ts";
import { orderListsStatement } from "../../src/adapters/postgres/queries/history/order-lists.ts";
import { amendmentsStatement } from "../../src/adapters/postgres/queries/history/order-terms.ts";
import { preventedStatement } from "../../src/adapters/postgres/queries/history/prevented-matches.ts";
import { present } from "../../src/core/assert.ts";
import { type IncomeQuery, IncomeType } from "../../src/ports/journal/history-store.ts";
import { addHistoryRows, makerAccount, tradedMarkets } from "../support/database/history-rows.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { marketId } from "../support/machine/test-markets.ts";

const unbounded = { startUs: null, endUs: null };

const trades = 200_000;
const limit = 100;
/**
 * Rows that a scan may read for each row that the statement may return. More than one, because the trades in which the
 * account was maker and those in which it was taker are each read up to the limit before they are merged.
 */
const readsPerRow = 3;

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Cond"?: string;
  readonly "Rows Removed by Filter"?: number;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly Plans?: readonly PlanNode[];
}

let database: TestDatabase;
let sql: Sql;
let middleUs: number;

before(async () => {
  database = await createTestDatabase();
  sql = openPostgres(database.options, "migrations");
  await addHistoryRows(sql, { trades, spanMs: 3 * 86_400_000, say: () => undefined });
  const [middle] = await sql<{ us: string }[]>`
    select ts_us as us from fills where market = 0 and trade_id >= ${trades / 2} limit 1`;
  middleUs = Number(middle?.us);
  await sql.end();
  sql = openPostgres(database.options, "queries");
});

after(async () => {
  await sql.end();
  await database.drop();
});

interface Explained {
  readonly "QUERY PLAN": readonly [{ readonly Plan: PlanNode }];
}

/** Executes a statement by its generic plan and returns the plan with the measured row counts. */
async function planOf({ text, values }: BoundStatement): Promise<PlanNode> {
  const given = values.map((value) => (typeof value === "string" ? `'${value}'` : value));
  // The transaction keeps all statements on one session, where the prepared statement exists.
  return sql.begin(async (session) => {
    await session.unsafe(`prepare asked as ${text}`);
    const requested = given.length === 0 ? "asked" : `asked (${given.join(", ")})`;
    const [row] = await session.unsafe<Explained[]>(
      `explain (analyze, format json) execute ${requested}`,
    );
    await session.unsafe("deallocate asked");
    return present(row, "the plan that EXPLAIN returns")["QUERY PLAN"][0].Plan;
  });
}

/** Returns a plan node and all nodes below it. */
function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Returns what is wrong with a plan that may read at most `rows` rows; empty for a good plan. */
function faultsOf(plan: PlanNode, rows: number): string[] {
  return nodesOf(plan).flatMap((node) => {
    const type = node["Node Type"];
    const isScan = type.endsWith("Scan") && node["Relation Name"] !== undefined;
    const loops = node["Actual Loops"];
    const removed = (node["Rows Removed by Filter"] ?? 0) * loops;
    const faults: string[] = [];
    if (type === "Seq Scan") faults.push(`reads ${node["Relation Name"]} through`);
    else if (isScan && node["Index Cond"] === undefined) faults.push(`${type} without a condition`);
    if (removed > rows) faults.push(`${type} threw ${removed} rows away`);
    if (isScan && node["Actual Rows"] * loops > rows) faults.push(`${type} read too many rows`);
    return faults;
  });
}

interface Case {
  readonly name: string;
  readonly statement: () => BoundStatement;
  /** Rows that the statement may return, if this is not `limit`. */
  readonly rows?: number;
}

const account = makerAccount;
const market = marketId.ccUsdc;
const rareMarket = marketId.ccPerp;
const anyTime = { startUs: null, endUs: null };
const hourUs = 3_600_000_000;

function incomeQuery(more: Partial<IncomeQuery>): IncomeQuery {
  const types = Object.values(IncomeType);
  const base = { account, markets: [rareMarket], isOfMarket: false, types, skip: 0, limit };
  return { ...base, ...anyTime, ...more };
}

function fillCases(): Case[] {
  const base = { account, market, orderId: null, fromTradeId: null, ...anyTime, limit };
  const fills = (name: string, more: object): Case => ({
    name: `fills ${name}`,
    statement: () => statements.fillsStatement({ ...base, ...more }),
  });
  return [
    fills("newest", {}),
    fills("newest of a market that trades little", { market: rareMarket }),
    fills("of an account without any", { account: 77 }),
    fills("from an id", { fromTradeId: trades / 2 }),
    fills("before an id", { beforeTradeId: trades / 2 }),
    fills("from a time", { startUs: middleUs }),
    fills("before a time", { endUs: middleUs }),
    fills("between times", { startUs: middleUs, endUs: middleUs + hourUs }),
    fills("of an order", { orderId: trades / 2 - ((trades / 2) % 45) }),
    fills("of an order from an id", { orderId: trades / 2, fromTradeId: 10 }),
    fills("of an unknown order", { orderId: trades * 9 }),
  ];
}

function orderCases(): Case[] {
  const base = { account, market, fromOrderId: null, ...anyTime, limit };
  const orders = (name: string, more: object): Case => ({
    name: `orders ${name}`,
    statement: () => statements.ordersStatement({ ...base, ...more }),
  });
  return [
    orders("newest", {}),
    orders("newest of a market never traded", { market: marketId.cusdUsdc }),
    orders("that are conditional", { isConditional: true }),
    orders("from an id", { fromOrderId: trades / 2 }),
    orders("before an id", { beforeOrderId: trades / 2 }),
    orders("from a time", { startUs: middleUs }),
    orders("before a time", { endUs: middleUs }),
    orders("between times", { startUs: middleUs, endUs: middleUs + hourUs }),
    {
      name: "order by id",
      statement: () => statements.orderByIdStatement(account, trades / 2),
    },
    {
      name: "order by client id",
      statement: () => statements.orderByClientIdStatement(account, "x-TKT5PX2F300"),
    },
  ];
}

function marketCases(): Case[] {
  const none = { fromTradeId: null, beforeTradeId: null, ...anyTime };
  const tape = (name: string, more: object): Case => ({
    name: `trades ${name}`,
    statement: () => statements.tradesStatement({ market, ...none, limit, ...more }),
  });
  const minute = 60_000;
  const fromMs = () => Math.floor(middleUs / 1000);
  const window = () => ({ market, intervalMs: minute, fromMs: fromMs(), limit });
  return [
    tape("newest", {}),
    tape("newest of a market never traded", { market: marketId.cusdUsdc }),
    tape("from an id", { fromTradeId: trades / 2 }),
    tape("before an id", { beforeTradeId: trades / 2 }),
    tape("from a time", { startUs: middleUs }),
    tape("between times", { startUs: middleUs, endUs: middleUs + hourUs }),
    {
      name: "candles since",
      statement: () => statements.candlesSinceStatement(market, minute, Date.now() - 60 * minute),
    },
    {
      name: "candles between",
      statement: () => statements.candlesStatement({ ...window(), toMs: fromMs() + 9 * hourUs }),
    },
    {
      name: "candles folded",
      statement: () => {
        const toMs = fromMs() + limit * minute;
        const width = { widthMs: 5 * minute, anchorMs: 0 };
        return statements.foldedCandlesStatement({ ...window(), toMs, ...width });
      },
    },
    {
      name: "newest candles",
      rows: 5 * limit,
      statement: () => {
        const width = { widthMs: 5 * minute, anchorMs: 0 };
        return statements.newestCandlesStatement({ ...window(), ...width });
      },
    },
    {
      name: "candle before",
      statement: () => statements.candleBeforeStatement(market, minute, fromMs()),
    },
  ];
}

function eventCases(): Case[] {
  const range = () => ({ startUs: middleUs, endUs: Date.now() * 1000 });
  const prevented = { account, market, orderId: 5, fromMatchId: 0, limit };
  const amends = { account, orderId: 5, acceptedUs: middleUs, limit };
  return [
    {
      name: "amendments newest",
      statement: () => amendmentsStatement({ ...amends, fromSeq: null, ...anyTime }),
    },
    {
      name: "amendments from a seq",
      statement: () => amendmentsStatement({ ...amends, fromSeq: 7, ...range() }),
    },
    ...[null, 7].map((matchId) => ({
      name: `prevented matches ${matchId === null ? "of an order" : "by id"}`,
      statement: () => preventedStatement({ ...prevented, matchId }),
    })),
    ...[null, 7].map((fromListId) => ({
      name: `order lists ${fromListId === null ? "newest" : "from an id"}`,
      statement: () =>
        orderListsStatement({ account, fromListId, clientId: null, limit, ...unbounded }),
    })),
    {
      name: "orders by their ids",
      statement: () => statements.ordersByIdsStatement(account, [7, 8, 9]),
      rows: 3,
    },
    { name: "why orders ended", statement: () => eventsAtStatement([middleUs]), rows: 1 },
    { name: "an event", statement: () => statements.eventStatement(account, 7), rows: 1 },
    {
      name: "transfers newest",
      statement: () => statements.movesBetweenWalletsStatement({ account, limit, ...range() }),
    },
  ];
}

/** Statements about liquidations and position moves of an account. */
function closes(name: string, times: { startUs: number | null }): Case[] {
  const query = { account, markets: [], endUs: null, limit, ...times };
  return [
    {
      name: `liquidation orders ${name}`,
      statement: () => liquidationOrdersStatement(query, marketId.btcPerp),
    },
    ...[false, true].map((isTaken) => ({
      name: `moves ${isTaken ? "taken" : "own"} ${name}`,
      statement: () => movesStatement({ ...query, isTaken }, marketId.btcPerp),
    })),
  ];
}

function incomeCases(): Case[] {
  const profits = [IncomeType.realisedPnl];
  const fundings = { markets: [marketId.btcPerp], ...anyTime, limit };
  const fills = (name: string, more: Partial<IncomeQuery>): Case => ({
    name: `income of fills ${name}`,
    statement: () => statements.incomeFillsStatement(incomeQuery(more), rareMarket),
  });
  return [
    fills("from a time", { startUs: middleUs }),
    fills("between times", { startUs: middleUs, endUs: middleUs + hourUs }),
    fills("profits alone", { startUs: middleUs, types: profits }),
    {
      name: "funding payments",
      statement: () => {
        const query = incomeQuery({ startUs: middleUs });
        return statements.fundingPaymentsStatement(query, marketId.btcPerp);
      },
    },
    ...closes("newest", { startUs: null }),
    ...closes("from a time", { startUs: middleUs }),
    ...[false, true].map((isTaken) => ({
      name: `liquidations ${isTaken ? "taken" : "own"}`,
      statement: () => {
        const query = incomeQuery({ startUs: middleUs });
        return statements.liquidationsStatement(query, marketId.btcPerp, isTaken);
      },
    })),
    {
      name: "claims",
      statement: () => statements.claimsStatement(incomeQuery({ startUs: middleUs })),
    },
    {
      name: "funding payments newest",
      statement: () => {
        const query = { account, markets: [marketId.btcPerp, marketId.ethPerp], limit };
        return statements.paymentsStatement({ ...query, beforeUs: null });
      },
    },
    {
      name: "funding payments before a time",
      statement: () => {
        const query = { account, markets: [marketId.btcPerp], limit };
        return statements.paymentsStatement({ ...query, beforeUs: middleUs });
      },
    },
    {
      name: "funding settlements newest",
      statement: () => statements.fundingsStatement(fundings, marketId.btcPerp),
    },
    {
      name: "funding settlements from a time",
      statement: () =>
        statements.fundingsStatement({ ...fundings, startUs: middleUs }, marketId.btcPerp),
    },
    {
      name: "transfers",
      statement: () => statements.transfersStatement(incomeQuery({ startUs: middleUs }), limit),
    },
  ];
}

test("HST-6 every history statement reads little more than it returns", async (t) => {
  assert(tradedMarkets.length > 0 && middleUs > 0);
  const cases = [
    ...fillCases(),
    ...orderCases(),
    ...marketCases(),
    ...incomeCases(),
    ...eventCases(),
  ];
  for (const { name, statement, rows = limit } of cases) {
    await t.test(name, async () => {
      const plan = await planOf(statement());
      assert.deepEqual(faultsOf(plan, rows * readsPerRow), [], JSON.stringify(plan, null, 1));
    });
  }
});

test("the check finds a plan that reads a whole table", async () => {
  const values = [60_001];
  const plan = await planOf({ text: "select * from fills where price = $1 limit 5", values });
  assert.match(faultsOf(plan, 300).join(), /reads fills through/);
  const walked = await planOf({
    text: "select * from orders where price = $1 order by order_id limit 5",
    values,
  });
  assert.match(faultsOf(walked, 300).join(), /without a condition/);
});
