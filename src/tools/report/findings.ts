// What is wrong with a run, in words: the most important first. Each finding names the orders that it is about.

import { sideNames } from "../../adapters/gateway/orders/order-format.ts";
import { LiquidationStage } from "../../core/liquidation.ts";
import type { Market } from "../../core/markets.ts";
import { formatScaled } from "../../core/money/amounts.ts";
import { OrderStatus, OrderType, tradedType } from "../../core/orders.ts";
import type { ClientView, SeenOrder } from "./client-view.ts";
import type { BeliefDifference, Finding, Severity } from "./report-form.ts";
import { type SentAgain, sentAgain } from "./sent-again.ts";
import type { TrackedOrder } from "./tracked-orders.ts";

/** Orders that one finding names. */
const ordersNamedMax = 200;
const severities: readonly Severity[] = ["error", "warning", "note"];

/** The findings about one account. */
export function findingsOf(
  view: ClientView,
  beliefs: readonly BeliefDifference[] | null,
): Finding[] {
  const { account } = view.run;
  const about = (severity: Severity, kind: string, text: string, more: Partial<Finding> = {}) => ({
    ...{ severity, kind, account, market: null, text, orders: [] },
    ...more,
  });
  return [
    ...sentAgain(view.seen).map((group) => againFinding(account, group)),
    ...lostFindings(view),
    ...untoldFindings(view),
    ...liquidationFindings(view).map((text) => about("error", "liquidated", text)),
    ...(beliefs ?? []).map((one) => about("error", "belief", beliefText(one))),
    ...eventFindings(view).map((text) => about("note", "fill-events", text)),
    ...activityFindings(view).map((text) => about("note", "activity", text)),
  ];
}

/** Errors first; among equals as they were found. */
export function byImportance(findings: readonly Finding[]): Finding[] {
  const rank = ({ severity }: Finding) => severities.indexOf(severity);
  return [...findings].sort((one, other) => rank(one) - rank(other));
}

function againFinding(account: number, group: SentAgain): Finding {
  const [first] = group;
  const times = group.length;
  const market = first?.order.market;
  const lots = sumOf(group, ({ record }) => record.qty);
  const filled = sumOf(group, ({ record }) => record.filledQty);
  const open = group.filter(isOpen).length;
  const spanMs = (group.at(-1)?.evidence.sentMs ?? 0) - (first?.evidence.sentMs ?? 0);
  const qty = (count: number) => (market === undefined ? "" : qtyText(count, market));
  const terms = first === undefined ? "" : termsText(first.order);
  const held = filled === lots ? `you hold ${times}× ${terms}` : `${times}× ${terms}`;
  const text =
    `Sent again after an unknown answer: ${held}. ` +
    `The answer to the first order was lost${faultText(first)}, and the program sent the same order again ` +
    `within ${secondsText(spanMs)} without asking by client order id. All ${times} exist: ${qty(lots)} accepted, ` +
    `${qty(filled)} filled${open > 0 ? `, ${open} still open` : ""}.`;
  return {
    ...{ severity: "error", kind: "sent-again", account, text },
    market: market?.symbol ?? null,
    orders: idsOf(group),
  };
}

function lostFindings(view: ClientView): Finding[] {
  const { account } = view.run;
  return byMarket(view.lost).map(([market, lost]) => {
    const open = lost.filter(isOpen);
    const filled = lost.filter(({ order }) => order.record.filledQty > 0);
    const isHarmless = open.length + filled.length === 0;
    const lots = sumOf(lost, ({ record }) => record.filledQty);
    const text =
      `The program lost track of ${counted(lost.length, "order")} in ${market.symbol}: the answer never ` +
      `arrived${faultText(lost[0])}, and nothing told it of ${lost.length === 1 ? "the order" : "them"} later. ` +
      (isHarmless
        ? "None was filled, and none is open."
        : `${open.length} still open, ${filled.length} filled, in part or whole, with ${qtyText(lots, market)} in all.`);
    return {
      ...{ severity: isHarmless ? "warning" : "error", kind: "lost-order", account, text },
      ...{ market: market.symbol, orders: idsOf(lost) },
    };
  });
}

function untoldFindings(view: ClientView): Finding[] {
  const { account } = view.run;
  const untold = untoldOrders(view);
  return byMarket(untold).map(([market, orders]) => {
    const signed = untoldLots(view, orders);
    const lastUs = Math.max(...orders.map(({ order }) => order.record.updatedUs));
    const hasRead = view.hasReadAccountAfter(lastUs);
    const differs = `differs by ${signed > 0 ? "+" : ""}${qtyText(signed, market)} from`;
    const text =
      `${counted(orders.length, "order")} in ${market.symbol} ${orders.length === 1 ? "has" : "have"} fills that the ` +
      `program was never told: its position ${signed === 0 ? "happens to be" : differs} what its ` +
      `answers and events say${hasRead ? ". It has read its positions or balances since" : ""}.`;
    return {
      ...{ severity: hasRead ? "note" : "error", kind: "untold-fill", account, text },
      ...{ market: market.symbol, orders: idsOf(orders) },
    };
  });
}

/** Orders with fills of which the program was not told, of those that the log names. */
export function untoldOrders(view: ClientView): SeenOrder[] {
  return view.seen.filter((one) => view.toldLots(one) < one.order.record.filledQty);
}

/** Signed lots of fills that the program was not told. */
export function untoldLots(view: ClientView, orders: readonly SeenOrder[]): number {
  let sum = 0;
  for (const one of orders) {
    const lots = one.order.record.filledQty - view.toldLots(one);
    sum += one.order.record.side === 0 ? lots : -lots;
  }
  return sum;
}

function liquidationFindings({ run }: ClientView): string[] {
  const [first] = run.liquidations;
  if (first === undefined) return [];
  const isTaken = run.liquidations.some(({ stage }) => stage >= LiquidationStage.takeover);
  const at = new Date(first.atUs / 1000).toISOString();
  const end = isTaken
    ? "positions were taken over at the bankruptcy price"
    : "positions were reduced";
  return [`The account was liquidated from ${at} on: its orders were cancelled, and ${end}.`];
}

function beliefText({ what, name, believed, true: real }: BeliefDifference): string {
  const told = (value: unknown) => (value === null ? "nothing" : String(value));
  return `Believed of ${what} ${name}: ${told(believed)}. True: ${told(real)}.`;
}

function eventFindings({ seen }: ClientView): string[] {
  let [twice, late, dropped] = [0, 0, 0];
  for (const { evidence } of seen) {
    twice += evidence.fillEvents.twice;
    late += evidence.fillEvents.lateOrder;
    dropped += evidence.fillEvents.dropped;
  }
  return [
    ...(twice > 0
      ? [`${counted(twice, "event")} of fills came twice: a program must count each trade id once.`]
      : []),
    ...(late > 0 ? [`${counted(late, "event")} of fills came after a later one.`] : []),
    ...(dropped > 0 ? [`${counted(dropped, "event")} of fills did not arrive.`] : []),
  ];
}

function activityFindings(view: ClientView): string[] {
  const { run } = view;
  const isIdle = run.orders.size === 0;
  const requests = view.logs.reduce((sum, log) => sum + log.requests, 0);
  const found = view.seen.filter(({ evidence }) => {
    return evidence.sentMs !== null && !evidence.isAnswered && evidence.toldMs !== null;
  }).length;
  const unobserved = run.orders.size - view.seen.length;
  return [
    ...(isIdle && requests === 0 ? ["The account has sent no orders."] : []),
    ...(isIdle && requests > 0
      ? [`The account has sent ${counted(requests, "request")}, and no order of it was accepted.`]
      : []),
    ...(found > 0
      ? [
          `The answers to ${counted(found, "order")} were lost, and the program found out about ${found === 1 ? "it" : "them"} later.`,
        ]
      : []),
    ...(unobserved > 0
      ? [
          `${counted(unobserved, "order")} went past the address with faults: what the program was told of ${unobserved === 1 ? "it" : "them"} is not known.`,
        ]
      : []),
  ];
}

function byMarket(orders: readonly SeenOrder[]): [Market, SeenOrder[]][] {
  const groups = new Map<Market, SeenOrder[]>();
  for (const one of orders) {
    const { market } = one.order;
    const group = groups.get(market);
    if (group === undefined) groups.set(market, [one]);
    else group.push(one);
  }
  return [...groups];
}

function isOpen({ order }: SeenOrder): boolean {
  return order.record.status === OrderStatus.open;
}

function sumOf(orders: readonly SeenOrder[], of: (order: TrackedOrder) => number): number {
  return orders.reduce((sum, { order }) => sum + of(order), 0);
}

function idsOf(orders: readonly SeenOrder[]): number[] {
  return orders.slice(0, ordersNamedMax).map(({ order }) => order.record.orderId);
}

function termsText({ record, market }: TrackedOrder): string {
  const isMarket = tradedType(record.type) === OrderType.market;
  const price = isMarket ? "at market" : `at ${formatScaled(record.price, market.tickDecimals)}`;
  return `${sideNames[record.side]} ${qtyText(record.qty, market)} ${price}`;
}

function qtyText(lots: number, market: Market): string {
  return `${formatScaled(lots, market.lotDecimals)} ${market.symbol}`;
}

function faultText(one: SeenOrder | undefined): string {
  const fault = one?.evidence.fault ?? null;
  return fault === null ? "" : ` (${fault})`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function secondsText(ms: number): string {
  return `${(Math.ceil(ms / 100) / 10).toFixed(1)} s`;
}
