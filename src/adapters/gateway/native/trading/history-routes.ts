// A user's orders, trades and funding payments, newest first, in pages. A row is in SQL before its command is
// acknowledged, but the state in an order's row may lag for a moment. An order that is still in memory is therefore
// shown from memory. Ids ascend over all markets, so pages of several markets are merged by id.

import { ordersQuery, rowsQuery } from "../../../../../schemas/http/native.ts";
import { isPerpetual, type Market } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import { OrderStatus } from "../../../../core/orders.ts";
import type {
  FillRecord,
  OrderRecord,
  PaymentRecord,
} from "../../../../ports/journal/history-store.ts";
import { routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { refused } from "../../requests/surface-error.ts";
import { nativeFaults } from "../error-map.ts";
import { isoOfUs, pageText } from "../native-context.ts";
import { fillFields, listedOrder } from "./order-record.ts";
import { marketNamed } from "./order-request.ts";

/** Lists from the database have the same weight as on the other surfaces. */
const weight = 5;
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
  { cursor, limit }: { readonly cursor: number | undefined; readonly limit: number },
): Promise<OrderRecord[]> {
  const range = { fromOrderId: null, startUs: null, endUs: null };
  const page = { beforeOrderId: cursor ?? null, limit: limit + 1 };
  const reads = markets.map(({ id: market }) =>
    history.ordersOfAccount({ account, market, ...range, ...page }),
  );
  const rows = (await Promise.all(reads)).flat();
  const shown = rows.map((row) => model.order(account, row.orderId) ?? row);
  return shown.sort((a, b) => b.orderId - a.orderId);
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

/** The lists of a user's own history. */
export const historyRoutes = routeGroup((context) => context)([
  sessionRoute("GET /v1/orders/me", {
    summary: "The user's orders, newest first.",
    reads: ordersQuery,
    example: "?status=open",
    weight,
    answer: async (context, _, { symbol, status, cursor, limit }, { account }) => {
      const markets = requestedMarkets(context, symbol);
      const open = openOrders(context, account, markets);
      const page = { cursor, limit: limit + open.length };
      const orders = status === "open" ? open : await storedOrders(context, account, markets, page);
      const before = cursor ?? Number.POSITIVE_INFINITY;
      const fit = orders.filter(
        (order) =>
          order.orderId < before && (status !== "closed" || order.status !== OrderStatus.open),
      );
      const show = (order: OrderRecord) => listedOrder(order, context.model.state);
      return pageText(fit, limit, show, ({ orderId }) => orderId);
    },
  }),
  sessionRoute("GET /v1/trades/me", {
    summary: "The user's trades, newest first.",
    reads: rowsQuery,
    weight,
    answer: async (context, _, { symbol, cursor = null, limit }, { account }) => {
      const { table, history } = context;
      const range = { orderId: null, fromTradeId: null, startUs: null, endUs: null };
      const page = { beforeTradeId: cursor, limit: limit + 1 };
      const reads = requestedMarkets(context, symbol).map(({ id: market }) =>
        history.fillsOfAccount({ account, market, ...range, ...page }),
      );
      const fills = (await Promise.all(reads)).flat().sort((a, b) => b.tradeId - a.tradeId);
      const show = (fill: FillRecord) => fillFields(fill, table.market(fill.market));
      return pageText(fills, limit, show, ({ tradeId }) => tradeId);
    },
  }),
  sessionRoute("GET /v1/funding/me", {
    summary: "Funding paid and received, newest first.",
    reads: rowsQuery,
    weight,
    answer: async (context, _, { symbol, cursor: beforeUs = null, limit }, { account }) => {
      const { history, table } = context;
      const markets = requestedMarkets(context, symbol)
        .filter(isPerpetual)
        .map(({ id }) => id);
      const query = { account, markets, beforeUs, limit: limit + 1 };
      const rows = markets.length === 0 ? [] : await history.fundingPayments(query);
      const show = (row: PaymentRecord) => paymentFields(row, table.market(row.market));
      return pageText(rows, limit, show, ({ tsUs }) => tsUs);
    },
  }),
]);
