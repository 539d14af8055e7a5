// A user's orders, trades and funding payments, newest first, in pages. A row is in SQL before its command is
// acknowledged, but the state in an order's row may lag for a moment. An order that is still in memory is therefore
// shown from memory. Ids ascend over all markets, so pages of several markets are merged by id.

import type * as z from "zod";
import { incomeQuery, ordersQuery, rowsQuery } from "../../../../../schemas/http/native.ts";
import { incomeRowsMax } from "../../../../core/limits.ts";
import { isPerpetual, type Market, type MarketTable } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import { OrderStatus } from "../../../../core/orders.ts";
import {
  type FillRecord,
  type IncomeRecord,
  IncomeType,
  type MoveRecord,
  type OrderRecord,
  type PaymentRecord,
} from "../../../../ports/journal/history-store.ts";
import { assetOfIncome, incomeTypeNames } from "../../fapi/account/history-routes.ts";
import { meanPriceText } from "../../fapi/orders/order-text.ts";
import { orderOfMove } from "../../orders/moved-position.ts";
import { sideNames } from "../../orders/order-format.ts";
import { routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { refused } from "../../requests/surface-error.ts";
import { nativeFaults } from "../error-map.ts";
import { isoOfUs, pageText } from "../native-context.ts";
import { fillFields, isToldByJournal, listedOrder } from "./order-record.ts";
import { marketNamed } from "./order-request.ts";

/** Lists from the database have the same weight as on the other surfaces. */
const weight = 5;
const incomeWeight = 30;
/** Decimals of a funding rate. */
const rateDecimals = 8;

/** The requested market, or all markets if none is requested. */
function requestedMarkets({ table }: RouteContext, symbol: string | undefined): readonly Market[] {
  if (symbol === undefined) return table.markets;
  return [marketNamed(table, symbol) ?? refused(nativeFaults.unknownSymbol)];
}

/** Open orders in the markets, newest first. */
function openOrders(
  { model }: RouteContext,
  account: number,
  markets: readonly Market[],
): OrderRecord[] {
  const { orders } = model.state;
  const ids = new Set(markets.map(({ id }) => id));
  const open: OrderRecord[] = [];
  for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
    if (ids.has(orders.market[slot] ?? -1)) open.push(model.record(slot, OrderStatus.open));
  }
  return open;
}

/** The newest orders before the cursor, at least one more than `limit` if they exist. */
async function storedOrders(
  { history, model }: RouteContext,
  account: number,
  markets: readonly Market[],
  {
    cursor,
    limit,
    range: { endUs },
  }: { readonly cursor: number | undefined; readonly limit: number; readonly range: Range },
): Promise<OrderRecord[]> {
  // Without a start the store returns the newest rows; those before the start of the range are left out later.
  const newest = { fromOrderId: null, startUs: null, endUs };
  const page = { beforeOrderId: cursor ?? null, limit: limit + 1 };
  const reads = markets.map(({ id: market }) =>
    history.ordersOfAccount({ account, market, ...newest, ...page }),
  );
  const rows = (await Promise.all(reads)).flat();
  const shown = rows.map((row) => model.order(account, row.orderId) ?? row);
  return shown.sort((a, b) => b.orderId - a.orderId);
}

/** Times of a list in microseconds. */
interface Range {
  /** Inclusive. */
  readonly startUs: number;
  /** Exclusive; null for no end. */
  readonly endUs: number | null;
}

/** The range that a query names by its first and its last millisecond. */
function rangeOf({
  start_ms: startMs = 0,
  end_ms: endMs,
}: {
  readonly start_ms?: number | undefined;
  readonly end_ms?: number | undefined;
}): Range {
  return { startUs: startMs * 1000, endUs: endMs === undefined ? null : (endMs + 1) * 1000 };
}

/** The perpetuals and the time that a page of rows covers, newest first: the cursor is the time of its last row. */
function perpetualRows(
  context: RouteContext,
  { symbol, cursor, ...times }: z.output<typeof rowsQuery>,
) {
  const markets = requestedMarkets(context, symbol)
    .filter(isPerpetual)
    .map(({ id }) => id);
  const { startUs, endUs } = rangeOf(times);
  const ends = [cursor, endUs ?? undefined].filter((us) => us !== undefined);
  return { markets, startUs, beforeUs: ends.length === 0 ? null : Math.min(...ends) };
}

function isWithin({ startUs, endUs }: Range, tsUs: number): boolean {
  return tsUs >= startUs && (endUs === null || tsUs < endUs);
}

function paymentFields(row: PaymentRecord, market: Market) {
  return {
    symbol: market.symbol,
    rate: formatScaled(row.rate, rateDecimals),
    amount: formatScaled(row.amount, market.quote.decimals),
    position_qty: formatScaled(row.qty, market.lotDecimals),
    mark_price: row.mark === 0 ? null : formatScaled(row.mark, market.tickDecimals),
    time: isoOfUs(row.tsUs),
  };
}

/** A position that moved to or from the account without an order. `result` is what it charged or paid. */
function liquidationFields(row: MoveRecord, market: Market, result: bigint) {
  const { seq, tsUs, isTaken } = row;
  const { side, filledQty, filledQuote } = orderOfMove(row);
  return {
    seq: String(seq),
    type: isTaken ? "DELEVERAGING" : "LIQUIDATION",
    symbol: market.symbol,
    side: sideNames[side],
    price: meanPriceText(filledQuote, filledQty, market),
    qty: formatScaled(filledQty, market.lotDecimals),
    realized_pnl: formatScaled(result, market.quote.decimals),
    time: isoOfUs(tsUs),
  };
}

function incomeFields(row: IncomeRecord, table: MarketTable) {
  const asset = assetOfIncome(row, table);
  // Income of a trade is proved by its trade, of which several entries may be a part.
  const isOfTrade = row.type === IncomeType.realisedPnl || row.type === IncomeType.commission;
  return {
    type: incomeTypeNames[row.type],
    symbol: row.market === null ? null : table.market(row.market).symbol,
    asset: asset.code,
    amount: formatScaled(row.amount, asset.decimals),
    seq: isOfTrade ? null : String(row.id),
    time: isoOfUs(row.tsUs),
  };
}

/** What moves of positions, newest first, have charged or paid, by the number of their entry; none is zero. */
async function resultsOf(
  { history }: RouteContext,
  account: number,
  rows: readonly MoveRecord[],
): Promise<ReadonlyMap<number, bigint>> {
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (newest === undefined || oldest === undefined) return new Map();
  const markets = [...new Set(rows.map(({ market }) => market))];
  const range = { startUs: oldest.tsUs, endUs: newest.tsUs + 1 };
  const page = { skip: 0, limit: incomeRowsMax };
  const types = [IncomeType.insurance];
  const income = await history.income({
    account,
    markets,
    isOfMarket: true,
    types,
    ...range,
    ...page,
  });
  return new Map(income.map(({ id, amount }) => [id, amount]));
}

/** The lists of a user's own history. */
export const historyRoutes = routeGroup((context) => context)([
  sessionRoute("GET /v1/orders/me", {
    summary: "The user's orders, newest first.",
    reads: ordersQuery,
    example: "?status=open",
    weight,
    answer: async (context, _, { symbol, status, cursor, limit, ...times }, { account }) => {
      const markets = requestedMarkets(context, symbol);
      const range = rangeOf(times);
      const open = openOrders(context, account, markets);
      const page = { cursor, limit: limit + open.length, range };
      const orders = status === "open" ? open : await storedOrders(context, account, markets, page);
      const before = cursor ?? Number.POSITIVE_INFINITY;
      const fit = orders.filter(
        (order) =>
          order.orderId < before &&
          isWithin(range, order.acceptedUs) &&
          (status !== "closed" || order.status !== OrderStatus.open),
      );
      const ended = fit.slice(0, limit).filter(isToldByJournal);
      const closes = ended.length === 0 ? null : await context.history.closeReasons(ended);
      const show = (order: OrderRecord) =>
        listedOrder(order, context.model.state, closes?.get(order.orderId));
      return pageText(fit, limit, show, ({ orderId }) => orderId);
    },
  }),
  sessionRoute("GET /v1/trades/me", {
    summary: "The user's trades, newest first.",
    reads: rowsQuery,
    weight,
    answer: async (context, _, { symbol, cursor = null, limit, ...times }, { account }) => {
      const { table, history } = context;
      const range = rangeOf(times);
      const newest = { orderId: null, fromTradeId: null, startUs: null, endUs: range.endUs };
      const page = { beforeTradeId: cursor, limit: limit + 1 };
      const reads = requestedMarkets(context, symbol).map(({ id: market }) =>
        history.fillsOfAccount({ account, market, ...newest, ...page }),
      );
      const fills = (await Promise.all(reads))
        .flat()
        .filter(({ tsUs }) => tsUs >= range.startUs)
        .sort((a, b) => b.tradeId - a.tradeId);
      const show = (fill: FillRecord) => fillFields(fill, table.market(fill.market));
      return pageText(fills, limit, show, ({ tradeId }) => tradeId);
    },
  }),
  sessionRoute("GET /v1/funding/me", {
    summary: "Funding paid and received, newest first.",
    reads: rowsQuery,
    weight,
    answer: async (context, _, params, { account }) => {
      const { history, table } = context;
      const { limit } = params;
      const { markets, startUs, beforeUs } = perpetualRows(context, params);
      const query = { account, markets, beforeUs, limit: limit + 1 };
      const newest = markets.length === 0 ? [] : await history.fundingPayments(query);
      const rows = newest.filter(({ tsUs }) => tsUs >= startUs);
      const show = (row: PaymentRecord) => paymentFields(row, table.market(row.market));
      return pageText(rows, limit, show, ({ tsUs }) => tsUs);
    },
  }),
  // What liquidation orders sold in the book is among the trades.
  sessionRoute("GET /v1/liquidations/me", {
    summary: "Positions that the venue closed without a trade, newest first.",
    reads: rowsQuery,
    weight,
    answer: async (context, _, params, { account }) => {
      const { history, table } = context;
      const { limit } = params;
      const { markets, startUs, beforeUs } = perpetualRows(context, params);
      const query = { account, markets, startUs: null, endUs: beforeUs, limit: limit + 1 };
      const moves = await Promise.all(
        [false, true].map((isTaken) => history.positionMoves({ ...query, isTaken })),
      );
      const rows = moves
        .flat()
        .filter(({ tsUs }) => tsUs >= startUs)
        .sort((a, b) => b.seq - a.seq)
        .slice(0, limit + 1);
      const results = await resultsOf(context, account, rows);
      const show = (row: MoveRecord) =>
        liquidationFields(row, table.market(row.market), results.get(row.seq) ?? 0n);
      return pageText(rows, limit, show, ({ tsUs }) => tsUs);
    },
  }),
  // From the oldest on, so that a client that sums them up by day can continue where it stopped.
  sessionRoute("GET /v1/income/me", {
    summary: "Changes of the user's perp wallet with their reasons, oldest first.",
    reads: incomeQuery,
    example: "?limit=10",
    weight: incomeWeight,
    answer: async ({ history, table }, _, { cursor: skip = 0, limit, ...times }, { account }) => {
      const markets = table.markets.filter(isPerpetual).map(({ id }) => id);
      const types = Object.values(IncomeType);
      const room = incomeRowsMax - skip - 1;
      // An empty last page would look like the end of the list.
      if (room <= 0) refused(nativeFaults.incomeCut);
      const shown = Math.min(limit, room);
      const query = { account, markets, isOfMarket: false, types, ...rangeOf(times), skip };
      const rows = await history.income({ ...query, limit: shown + 1 });
      return pageText(
        rows,
        shown,
        (row) => incomeFields(row, table),
        () => skip + shown,
      );
    },
  }),
]);
