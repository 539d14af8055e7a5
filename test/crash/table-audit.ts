// Compares the relational tables and the API with the journal's facts. The tables must have the journal's orders and
// fills, each once, and its balances; the API must show its orders. Some rows (order states, balances) are written a
// moment after their events, so the audit waits for them.

import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresConnectionOptions, Sql } from "../../src/adapters/postgres/connection.ts";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { type Wallet, walletCount } from "../../src/core/accounts.ts";
import { formatScaled } from "../../src/core/money/amounts.ts";
import { OrderFlag } from "../../src/engine/state/orders/order-table.ts";
import { halfListFaults } from "./audit.ts";
import { marketOf, orderPath, saysGone } from "./crash-market.ts";
import type { JournalFacts, OrderFacts } from "./journal-facts.ts";
import type { TradingClient } from "./signed-client.ts";
import type { ToldHistory } from "./told-history.ts";

/** Longest wait in ms until rows and journal match; long, because deposits are credited even while clients pause. */
const settleMsMax = 120_000;

interface SeqRow {
  readonly first: string | null;
  readonly last: string | null;
  readonly count: string;
}

interface OrderRow {
  readonly order_id: string;
  readonly account: number;
  readonly price: string;
  readonly qty: string;
  readonly filled_qty: string;
  readonly status: number;
}

interface BalanceRow {
  readonly account: number;
  readonly wallet: number;
  readonly asset: number;
  readonly total: string;
  readonly reserved: string;
}

/**
 * Checks that the journal has no gap and that orders, fills and balances in the tables equal the journal's. Returns
 * one line per fault.
 */
export async function tableFaults(
  connection: PostgresConnectionOptions,
  facts: JournalFacts,
): Promise<string[]> {
  const sql = openPostgres(connection, "queries");
  try {
    const untilMs = Date.now() + settleMsMax;
    let late = await lateRowFaults(sql, facts);
    while (late.length > 0 && Date.now() < untilMs) {
      await sleep(100);
      // Settlement continues while clients pause, so read the journal again: the rows may be newer than the facts.
      await facts.readOn(connection);
      late = await lateRowFaults(sql, facts);
    }
    return [...(await journalFaults(sql, facts)), ...(await fillFaults(sql, facts)), ...late];
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function journalFaults(sql: Sql, facts: JournalFacts): Promise<string[]> {
  const [row] = await sql<SeqRow[]>`
    select min(seq) as first, max(seq) as last, count(*) as count from journal
    where seq <= ${facts.state.seq}`;
  const isGapless = row?.first === "1" && row.last === row.count;
  return isGapless ? [] : [`journal: seq ${row?.first} to ${row?.last} in ${row?.count} rows`];
}

async function fillFaults(sql: Sql, facts: JournalFacts): Promise<string[]> {
  const rows = await sql<{ trade_id: string; price: string; qty: string }[]>`
    select trade_id, price, qty from fills order by trade_id`;
  const faults = rows.flatMap(({ trade_id, price, qty }) => {
    const trade = facts.trades.get(Number(trade_id));
    const isSame = trade !== undefined && `${trade.price} ${trade.qty}` === `${price} ${qty}`;
    return isSame ? [] : [`fills: trade ${trade_id} differs from the journal`];
  });
  if (rows.length !== facts.trades.size) {
    faults.push(`fills: ${rows.length} rows, but the journal has ${facts.trades.size}`);
  }
  return faults;
}

/**
 * Compares the rows that the venue writes after the journal: terms and states of orders, and balances. Finds
 * lists that have not gone on yet.
 */
async function lateRowFaults(sql: Sql, facts: JournalFacts): Promise<string[]> {
  const orders = await sql<OrderRow[]>`
    select order_id, account, price, qty, filled_qty, status from orders`;
  const faults = orders.flatMap((row) => {
    const order = facts.orders.get(Number(row.order_id));
    const expected =
      order === undefined
        ? "no such order"
        : `${order.price} ${order.qty} ${order.filledQty} ${statusOf(order)}`;
    const found = `${row.price} ${row.qty} ${row.filled_qty} ${row.status}`;
    return found === expected ? [] : [`orders: ${row.order_id} is ${found}, not ${expected}`];
  });
  if (orders.length !== facts.orders.size) {
    faults.push(`orders: ${orders.length} rows, but the journal has ${facts.orders.size}`);
  }
  const balances = await sql<BalanceRow[]>`
    select account, wallet, asset, total, reserved from balances`;
  const late = balances.flatMap((row) => balanceFaults(row, facts));
  return [...faults, ...late, ...halfListFaults(facts.state)];
}

function balanceFaults(row: BalanceRow, { state }: JournalFacts): string[] {
  const wallet = row.wallet as Wallet;
  if (row.wallet >= walletCount) return [`balances: there is no wallet ${row.wallet}`];
  const total = state.balances.total(row.account, wallet, row.asset);
  const reserved = state.balances.reserved(row.account, wallet, row.asset);
  const isSame = String(total) === row.total && String(reserved) === row.reserved;
  return isSame
    ? []
    : [
        `balances: account ${row.account}, asset ${row.asset} differs from the journal; its total is ${row.total}`,
      ];
}

/** Reasons that count as cancelled: by the owner, because the market closed, because the connection was lost. */
const cancelReasons: readonly number[] = [0, 5, 14];

/**
 * Returns the status code of src/core/orders.ts: 0 open, 1 filled, 2 cancelled, 3 expired, 4 expired by self-trade
 * prevention.
 */
function statusOf({ qty, filledQty, closed }: OrderFacts): number {
  if (closed[0]?.reason === 9) return 4;
  if (closed.length > 0) return cancelReasons.includes(closed[0]?.reason ?? 0) ? 2 : 3;
  return qty > 0 && filledQty === qty ? 1 : 0;
}

const statusNames = (filledQty: number): readonly string[] => [
  filledQty > 0 ? "PARTIALLY_FILLED" : "NEW",
  "FILLED",
  "CANCELED",
  "EXPIRED",
  "EXPIRED_IN_MATCH",
];

function statusNameOf(order: OrderFacts, { state: { orders } }: JournalFacts): string {
  const slot = orders.slotOf(order.accepted.orderId);
  if (slot >= 0 && orders.has(slot, OrderFlag.pending)) return "PENDING_NEW";
  return statusNames(order.filledQty)[statusOf(order)] ?? "";
}

type QueriedTrader = {
  readonly client: Pick<TradingClient, "read">;
  readonly history: ToldHistory;
};

/** What the API said of an order, and what the journal said of it before. */
interface OrderAnswer {
  readonly clientId: string;
  readonly found: string;
  readonly expected: string;
  /** What the journal says of it, as far as it has been read. */
  readonly expectedNow: () => string;
}

/**
 * Asks the API once for the orders of each trader after the `known` ones. On a busy machine a connection may be lost
 * meanwhile, which cancels its orders (COD-11), so an answer may have the state of the journal before or after it. One that
 * is older than both is a fault.
 */
export async function freshAnswerFaults(
  traders: readonly QueriedTrader[],
  known: readonly number[],
  facts: JournalFacts,
  connection: PostgresConnectionOptions,
): Promise<string[]> {
  const asked = traders.map(({ client, history }, index) => {
    const fresh = [...history.orders.keys()].slice(known[index]);
    return answersTo(client, history, fresh, facts);
  });
  const answers = (await Promise.all(asked)).flat();
  const differing = answers.filter(({ found, expected }) => found !== expected);
  if (differing.length > 0) await facts.readOn(connection);
  return differing
    .filter(({ found, expectedNow }) => found !== expectedNow())
    .map(({ clientId, found, expected }) => `${clientId}: the API says ${found}, not ${expected}`);
}

/**
 * Queries each client order id over the API. An order in the journal must be found with the same figures; any other
 * must be unknown, even if the client had a report of it before.
 */
async function answersTo(
  client: Pick<TradingClient, "read">,
  history: ToldHistory,
  clientIds: readonly string[],
  facts: JournalFacts,
): Promise<OrderAnswer[]> {
  const answers: OrderAnswer[] = [];
  for (const clientId of clientIds) {
    const symbol = history.orders.get(clientId)?.symbol ?? "";
    const market = marketOf(symbol);
    const query = `symbol=${symbol}&origClientOrderId=${clientId}`;
    const expectedNow = () => {
      const order = facts.orders.get(facts.idsOf(history.account, clientId)[0] ?? 0);
      if (order === undefined) return "unknown";
      const executed = Number(formatScaled(order.filledQty, market.lotDecimals));
      return `200 ${order.accepted.orderId} ${statusNameOf(order, facts)} ${executed}`;
    };
    const answer = await client.read(orderPath(market), query);
    const body = answer.body as { orderId?: number; status?: string; executedQty?: string };
    const found =
      answer.status === 200
        ? `200 ${body.orderId} ${body.status} ${Number(body.executedQty)}`
        : saysGone(answer)
          ? "unknown"
          : `${answer.status} ${JSON.stringify(body)}`;
    answers.push({ clientId, found, expected: expectedNow(), expectedNow });
  }
  return answers;
}
