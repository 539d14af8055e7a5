// Signed history routes of the perpetual surface: orders, fills, income, and liquidations. Rows come from
// SQL. An order still in memory is shown from memory, because its projection may lag the events for a moment.

import {
  fapiAllOrders,
  fapiForceOrders,
  fapiIncome,
  fapiUserTrades,
} from "../../../../../schemas/http/fapi.ts";
import { present } from "../../../../core/assert.ts";
import { incomeRowsMax } from "../../../../core/limits.ts";
import {
  isPerpetual,
  type Market,
  MarketKind,
  type MarketTable,
} from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import type { Asset } from "../../../../core/money/assets.ts";
import {
  type IncomeRecord,
  IncomeType,
  type OrderRecord,
} from "../../../../ports/journal/history-store.ts";
import { bySymbol } from "../../../../services/access/request-weight.ts";
import { orderOfMove } from "../../orders/moved-position.ts";
import { msOf, sideNames, statusName } from "../../orders/order-format.ts";
import { boundsOf, marketOf, marketsOf } from "../../requests/read-request.ts";
import { readRoute, routeGroup } from "../../requests/route.ts";
import { badCombination, refused } from "../../requests/surface-error.ts";
import type { SurfaceView } from "../../requests/surface-view.ts";
import { collateralName } from "../collateral-name.ts";
import { everything, historyRange } from "../history-range.ts";
import { fillText, meanPriceText, orderText } from "../orders/order-text.ts";

const kind = MarketKind.perpetual;

/** The span of an income query without a start time (Binance: seven days). */
const incomeDefaultMs = 7 * 86_400_000;

const incomeTypes: Readonly<Record<string, IncomeType>> = {
  TRANSFER: IncomeType.transfer,
  REALIZED_PNL: IncomeType.realisedPnl,
  COMMISSION: IncomeType.commission,
  FUNDING_FEE: IncomeType.funding,
  INSURANCE_CLEAR: IncomeType.insurance,
  COMMISSION_REBATE: IncomeType.rebate,
};

/**
 * Income types to query: the one with this name, or all that the venue books if no name is given. The venue never books
 * Binance's other types.
 */
function incomeTypesOf(name: string | undefined): readonly IncomeType[] {
  if (name === undefined) return Object.values(IncomeType);
  const type = incomeTypes[name];
  return type === undefined ? [] : [type];
}

/**
 * One row of forceOrders. Liquidation orders and positions taken over by the insurance fund are both shown as limit
 * orders; the price of a taken-over position is its takeover price.
 */
function forceOrderText(order: OrderRecord, market: Market): string {
  const { tickDecimals, lotDecimals, quote } = market;
  return (
    `{"orderId":${order.orderId},"symbol":"${market.alias}","status":"${statusName(order)}"` +
    `,"clientOrderId":"${order.clientId}","price":"${formatScaled(order.price, tickDecimals)}"` +
    `,"avgPrice":"${meanPriceText(order.filledQuote, order.filledQty, market)}"` +
    `,"origQty":"${formatScaled(order.qty, lotDecimals)}"` +
    `,"executedQty":"${formatScaled(order.filledQty, lotDecimals)}"` +
    `,"cumQuote":"${formatScaled(order.filledQuote, quote.decimals)}","timeInForce":"IOC"` +
    `,"type":"LIMIT","reduceOnly":true,"closePosition":false,"side":"${sideNames[order.side]}"` +
    `,"positionSide":"BOTH","stopPrice":"0","workingType":"CONTRACT_PRICE","origType":"LIMIT"` +
    `,"time":${msOf(order.acceptedUs)},"updateTime":${msOf(order.updatedUs)}}`
  );
}

/** Binance's names of the types of income that the venue books. */
export const incomeTypeNames: Readonly<Record<IncomeType, string>> = {
  [IncomeType.transfer]: "TRANSFER",
  [IncomeType.realisedPnl]: "REALIZED_PNL",
  [IncomeType.commission]: "COMMISSION",
  [IncomeType.funding]: "FUNDING_FEE",
  [IncomeType.insurance]: "INSURANCE_CLEAR",
  [IncomeType.rebate]: "COMMISSION_REBATE",
};

/** The asset of an income, which is the margin asset if the row names none. Claimed commission belongs to no market. */
export function assetOfIncome({ market, asset }: IncomeRecord, table: MarketTable): Asset {
  if (asset !== null) return table.asset(asset);
  const margined = market === null ? table.markets.find(isPerpetual) : table.market(market);
  return present(margined, "a venue with income must have a perpetual market").quote;
}

/** One row of income. */
function incomeText(row: IncomeRecord, table: MarketTable, view: SurfaceView): string {
  const market = row.market === null ? null : table.market(row.market);
  const asset = assetOfIncome(row, table);
  const type = incomeTypeNames[row.type];
  const isOfTrade = row.type === IncomeType.realisedPnl || row.type === IncomeType.commission;
  const trade = isOfTrade ? String(row.id) : "";
  return (
    `{"symbol":"${market?.alias ?? ""}","incomeType":"${type}"` +
    `,"income":"${formatScaled(row.amount, asset.decimals)}","asset":"${nameOf(asset, table, view)}"` +
    `,"info":"${trade || type}","time":${msOf(row.tsUs)},"tranId":${row.id},"tradeId":"${trade}"}`
  );
}

function nameOf({ id, code }: { id: number; code: string }, table: MarketTable, view: SurfaceView) {
  const market = table.markets.find(
    ({ kind, quote }) => kind === MarketKind.perpetual && quote.id === id,
  );
  return market === undefined ? code : collateralName(market, view);
}

function textOf(rows: readonly string[]): string {
  return `[${rows.join(",")}]`;
}

/** The signed history routes of the perpetual surface. */
export const fapiHistoryRoutes = routeGroup((context) => context)([
  readRoute("GET /fapi/v1/allOrders", {
    summary: "Orders of the account, in one market or in all.",
    weight: bySymbol(5, 40),
    reads: fapiAllOrders,
    example: "symbol=BTCUSDT&limit=10",
    answer: async ({ table, history, model, marketClock }, _, params, { account }) => {
      const { symbol, orderId, startTime, endTime, limit } = params;
      const isUnbound = orderId !== undefined && startTime === undefined && endTime === undefined;
      const { floorUs, ...range } = isUnbound
        ? everything
        : historyRange(params, marketClock.nowMs());
      const query = { account, fromOrderId: orderId ?? null, ...range, limit };
      const ofMarkets = await Promise.all(
        marketsOf(table, kind, symbol).map(({ id }) =>
          history.ordersOfAccount({ ...query, market: id }),
        ),
      );
      const orders = ofMarkets.flat().filter(({ acceptedUs }) => acceptedUs >= floorUs);
      orders.sort((a, b) => a.orderId - b.orderId);
      const isNewest = query.fromOrderId === null && range.startUs === null;
      const cut = isNewest ? orders.slice(-limit) : orders.slice(0, limit);
      return textOf(
        cut.map((order) => {
          const market = table.market(order.market);
          return orderText(model.order(account, order.orderId) ?? order, market);
        }),
      );
    },
  }),
  readRoute("GET /fapi/v1/userTrades", {
    summary: "Fills of the account.",
    weight: 5,
    reads: fapiUserTrades,
    example: "symbol=BTCUSDT&limit=10",
    answer: async ({ table, history, marketClock }, { view }, params, { account }) => {
      const market = marketOf(table, kind, params.symbol);
      const { orderId = null, fromId = null, startTime, endTime, limit } = params;
      const hasTimes = startTime !== undefined || endTime !== undefined;
      const isNamed = fromId !== null || orderId !== null;
      if (fromId !== null && hasTimes) refused(badCombination);
      const isUnbound = isNamed && !hasTimes;
      const { floorUs, ...range } = isUnbound
        ? everything
        : historyRange(params, marketClock.nowMs());
      const named = { account, market: market.id, orderId, fromTradeId: fromId };
      const fills = await history.fillsOfAccount({ ...named, ...range, limit });
      return textOf(
        fills.filter(({ tsUs }) => tsUs >= floorUs).map((fill) => fillText(fill, market, view)),
      );
    },
  }),
  readRoute("GET /fapi/v1/income", {
    summary: "Income history: changes of the collateral and their reasons.",
    weight: 30,
    reads: fapiIncome,
    answer: async ({ table, history, marketClock }, { view }, params, { account }) => {
      const { symbol, incomeType, startTime, endTime, page, limit } = params;
      const markets = marketsOf(table, kind, symbol).map(({ id }) => id);
      const types = incomeTypesOf(incomeType);
      const skip = (page - 1) * limit;
      if (types.length === 0 || skip + limit > incomeRowsMax) return "[]";
      // Without a start time, the query covers the seven days before its end. Rows are listed oldest first.
      const startMs = startTime ?? (endTime ?? marketClock.nowMs()) - incomeDefaultMs;
      const rows = await history.income({
        account,
        markets,
        isOfMarket: symbol !== undefined,
        types,
        startUs: Math.max(startMs, 0) * 1000,
        endUs: boundsOf({ endTime }).endUs,
        skip,
        limit,
      });
      return textOf(rows.map((row) => incomeText(row, table, view)));
    },
  }),
  // LIQUIDATION: the venue's liquidation orders for the account, and positions that were taken over from it. ADL:
  // positions that deleveraging moved to the account from another one. Each such move closed a part of the account's
  // own opposite position. A range covers at most seven days; the default is the last seven days. Spec FAP-50.
  readRoute("GET /fapi/v1/forceOrders", {
    summary: "Liquidation orders of the account.",
    weight: bySymbol(20, 50),
    reads: fapiForceOrders,
    answer: async ({ table, history, marketClock }, _, params, { account }) => {
      const { symbol, autoCloseType, limit } = params;
      const markets = marketsOf(table, kind, symbol).map(({ id }) => id);
      const { floorUs, ...range } = historyRange(params, marketClock.nowMs());
      const query = { account, markets, ...range, limit };
      const moved = async (isTaken: boolean) =>
        (await history.positionMoves({ ...query, isTaken })).map(orderOfMove);
      const parts = await Promise.all([
        ...(autoCloseType === "ADL" ? [] : [history.liquidationOrders(query), moved(false)]),
        ...(autoCloseType === "LIQUIDATION" ? [] : [moved(true)]),
      ]);
      const orders = parts.flat().filter(({ acceptedUs }) => acceptedUs >= floorUs);
      orders.sort((a, b) => a.acceptedUs - b.acceptedUs);
      const cut = range.startUs === null ? orders.slice(-limit) : orders.slice(0, limit);
      return textOf(cut.map((order) => forceOrderText(order, table.market(order.market))));
    },
  }),
]);
