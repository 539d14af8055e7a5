// The part of a report about one account: its figures as text, its tables cut at a number of rows, and its charts.

import { typeNames } from "../../adapters/gateway/fapi/orders/order-text.ts";
import { isoOfUs } from "../../adapters/gateway/native/native-context.ts";
import { endReasons, feeAssetOf } from "../../adapters/gateway/native/trading/order-record.ts";
import { msOf, sideNames, statusName } from "../../adapters/gateway/orders/order-format.ts";
import { isPerpetual } from "../../core/markets.ts";
import { formatScaled, meanTicks } from "../../core/money/amounts.ts";
import { OrderStatus, OrderType, tradedType } from "../../core/orders.ts";
import { accountCharts } from "./account-charts.ts";
import type { AccountValues } from "./account-value.ts";
import type { ClientLog } from "./client-log.ts";
import type { ClientView, SeenOrder } from "./client-view.ts";
import { bpsText } from "./figures.ts";
import { untoldLots, untoldOrders } from "./findings.ts";
import { againstBest, againstMid, impact, marketFigures } from "./market-figures.ts";
import type { MarketWatch } from "./market-watch.ts";
import type {
  AccountReport,
  BeliefDifference,
  ClientFigures,
  EquityFigures,
  FillRow,
  LostOrder,
  OrderCounts,
  Reject,
  Rows,
  TakerRow,
  UntoldFill,
} from "./report-form.ts";
import type { Sweep, TrackedFill, TrackedOrder } from "./tracked-orders.ts";

/** Rows of each table: what one can read. */
export const rowsMax = 200;

export interface AccountParts {
  readonly view: ClientView;
  readonly values: AccountValues;
  readonly watches: readonly MarketWatch[];
  readonly endUs: number;
  readonly beliefs: readonly BeliefDifference[] | null;
}

export function accountReport(parts: AccountParts): AccountReport {
  const { view, values, beliefs } = parts;
  const { run, logs } = view;
  return {
    account: run.account,
    orders: orderCounts(view),
    equity: equityFigures(parts),
    markets: marketFigures(run),
    fees: feesOf(run.fills),
    client: clientFigures(view),
    lost_orders: cut(view.lost, lostOrder),
    untold_fills: cut(untoldOrders(view), (one) => untoldFill(view, one)),
    rejects: rejectsOf(logs),
    ends: endsOf([...run.orders.values()]),
    beliefs,
    takers: cut(worstFirst(run.sweeps), takerRow),
    fills: { ...cut(run.fills, fillRow), ...(run.fillsLeft > 0 && { more: fillsMore(parts) }) },
    charts: accountCharts(view, { ...parts, decimals: values.asset.decimals }),
  };
}

function fillsMore({ view: { run } }: AccountParts): number {
  return Math.max(0, run.fills.length - rowsMax) + run.fillsLeft;
}

/** The first rows of a table, and how many there are more. */
function cut<From, To>(all: readonly From[], shown: (one: From) => To): Rows<To> {
  return { rows: all.slice(0, rowsMax).map(shown), more: Math.max(0, all.length - rowsMax) };
}

function orderCounts({ run }: ClientView): OrderCounts {
  let [filled, partly, open] = [0, 0, 0];
  for (const { record } of run.orders.values()) {
    if (record.status === OrderStatus.filled) filled++;
    else if (record.filledQty > 0) partly++;
    if (record.status === OrderStatus.open) open++;
  }
  const counts = { accepted: run.orders.size, filled, partly_filled: partly, open };
  return { ...counts, not_counted: run.ordersLeft };
}

function equityFigures({ view: { run }, values }: AccountParts): EquityFigures {
  const { code, decimals } = values.asset;
  const end = run.equity.points.at(-1)?.last ?? run.equityStart;
  const text = (amount: bigint) => formatScaled(amount, decimals);
  return {
    asset: code,
    start: text(run.equityStart),
    end: text(end),
    deposits: text(run.deposits),
    result: text(end - run.equityStart - run.deposits),
    unpriced: [...values.unpriced],
  };
}

function feesOf(fills: readonly TrackedFill[]): { asset: string; amount: string }[] {
  const sums = new Map<string, { amount: bigint; decimals: number }>();
  for (const { order, side, fee } of fills) {
    const { code, decimals } = feeAssetOf(order.market, side);
    const sum = sums.get(code) ?? { amount: 0n, decimals };
    sums.set(code, { amount: sum.amount + fee, decimals });
  }
  return [...sums].map(([asset, { amount, decimals }]) => {
    return { asset, amount: formatScaled(amount, decimals) };
  });
}

function clientFigures(view: ClientView): ClientFigures {
  const sum = (of: (log: ClientLog) => number) => view.logs.reduce((all, log) => all + of(log), 0);
  const events = { arrived: 0, twice: 0, out_of_order: 0, dropped: 0 };
  let found = 0;
  for (const { evidence } of view.seen) {
    const { fillEvents, sentMs, isAnswered, toldMs } = evidence;
    events.arrived += fillEvents.arrived;
    events.twice += fillEvents.twice;
    events.out_of_order += fillEvents.lateOrder;
    events.dropped += fillEvents.dropped;
    if (sentMs !== null && !isAnswered && toldMs !== null) found++;
  }
  return {
    is_observed: view.isObserved,
    requests: sum(({ requests }) => requests),
    lost_answers: sum(({ lostAnswers }) => lostAnswers),
    unanswered: sum(({ unanswered }) => unanswered),
    found_out: found,
    fill_events: events,
  };
}

function lostOrder({ order, evidence }: SeenOrder): LostOrder {
  const { record } = order;
  return {
    ...namesOf(order),
    ...{ side: sideNames[record.side], type: typeNames[record.type], price: priceOf(order) },
    qty: qtyOf(order, record.qty),
    filled_qty: qtyOf(order, record.filledQty),
    status: endText(order),
    at: isoOfUs(record.acceptedUs),
    fault: evidence.fault,
  };
}

function untoldFill(view: ClientView, one: SeenOrder): UntoldFill {
  const { order } = one;
  const { record } = order;
  return {
    ...namesOf(order),
    side: sideNames[record.side],
    filled_qty: qtyOf(order, record.filledQty),
    told_qty: qtyOf(order, view.toldLots(one)),
    untold_qty: qtyOf(order, untoldLots(view, [one])),
  };
}

function namesOf({ record, market }: TrackedOrder) {
  const { orderId, clientId } = record;
  return { order_id: orderId, client_order_id: clientId, market: market.symbol };
}

function qtyOf({ market }: TrackedOrder, lots: number): string {
  return formatScaled(lots, market.lotDecimals);
}

function priceOf({ record, market }: TrackedOrder): string | null {
  const isMarket = tradedType(record.type) === OrderType.market;
  return isMarket ? null : formatScaled(record.price, market.tickDecimals);
}

function endText({ record, reason }: TrackedOrder): string {
  const name = reason === null ? undefined : endReasons[reason];
  return name === undefined ? statusName(record) : `${statusName(record)} ${name}`;
}

/** Most frequent first; the same refusal of several keys is one row. */
function rejectsOf(logs: readonly ClientLog[]): Rows<Reject> {
  const all = logs.flatMap(({ refusals }) => refusals.map((one) => ({ ...one })));
  return cut(
    all.sort((one, other) => other.count - one.count),
    (one) => one,
  );
}

function endsOf(orders: readonly TrackedOrder[]): { reason: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const order of orders) counts.set(endText(order), (counts.get(endText(order)) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => ({ reason, count }))
    .sort((one, other) => other.count - one.count);
}

function worstFirst(sweeps: readonly Sweep[]): Sweep[] {
  return [...sweeps].sort((one, other) => (againstMid(other) ?? 0) - (againstMid(one) ?? 0));
}

function takerRow(sweep: Sweep): TakerRow {
  const { order, bid, ask, value, lots } = sweep;
  const { market } = order;
  const best = sweep.side === 0 ? ask : bid;
  const hasMid = bid > 0 && ask > 0;
  return {
    ...{ order_id: order.record.orderId, market: market.symbol, side: sideNames[sweep.side] },
    at: isoOfUs(sweep.atUs),
    qty: qtyOf(order, lots),
    avg_price: formatScaled(meanTicks(value, lots, market.tickLot, 100n), market.tickDecimals + 2),
    // The middle may lie between two ticks.
    mid: hasMid ? formatScaled(5 * (bid + ask), market.tickDecimals + 1) : null,
    best: best > 0 ? formatScaled(best, market.tickDecimals) : null,
    slippage_bps: bpsText(againstMid(sweep)),
    against_best_bps: bpsText(againstBest(sweep)),
    impact_1s_bps: bpsText(impact(sweep, sweep.after1s)),
    impact_10s_bps: bpsText(impact(sweep, sweep.after10s)),
  };
}

function fillRow(fill: TrackedFill): FillRow {
  const { order, arrival, side } = fill;
  const { market } = order;
  const asset = feeAssetOf(market, side);
  const isFirst = order.firstMadeUs === fill.atUs;
  return {
    trade_id: fill.tradeId,
    ...namesOf(order),
    at: isoOfUs(fill.atUs),
    role: fill.isMaker ? "maker" : "taker",
    side: sideNames[side],
    price: formatScaled(fill.price, market.tickDecimals),
    qty: qtyOf(order, fill.lots),
    fee: formatScaled(fill.fee, asset.decimals),
    fee_asset: asset.code,
    realized_pnl: isPerpetual(market) ? formatScaled(fill.pnl, market.quote.decimals) : null,
    ahead_qty: arrival === null ? null : qtyOf(order, arrival.aheadLots),
    ahead_orders: arrival?.aheadOrders ?? null,
    waited_ms: arrival === null || !isFirst ? null : msOf(fill.atUs - arrival.atUs),
  };
}
