// What lists of orders say in words: the trigger price, a quantity that the order does not have itself, and that another
// order has taken its place. Independent of page and network.

import { autoclosePrefix, deleveragedClientId } from "../../../src/core/liquidation.ts";
import { shown } from "../decimal-text.ts";
import { orderNumber } from "../proof-reference.ts";

/** A client id for an order that the page places instead of another one: at most 36 characters. */
export function replacementId(orderNo: number): string {
  return `replaces-${orderNo}-${crypto.randomUUID().slice(0, 8)}`;
}

/** Number of the order that one with this client id has replaced; null if none is named. */
export function replacedNo(clientId: string): number | null {
  const [, number] = /^replaces-(\d+)-[0-9a-f]{8}$/.exec(clientId) ?? [];
  return number === undefined ? null : Number(number);
}

/** The numbers of all orders that these have replaced. */
export function replacedNos(orders: readonly { readonly client_order_id: string }[]): Set<number> {
  return new Set(orders.flatMap(({ client_order_id: id }) => replacedNo(id) ?? []));
}

interface Ended {
  readonly order_id: string;
  readonly status: string;
}

/** Whether an order was cancelled because the user has put another one in its place. */
function isReplaced(order: Ended, replaced: ReadonlySet<number>): boolean {
  const number = orderNumber(order.order_id);
  return order.status === "CANCELED" && number !== null && replaced.has(number);
}

/** Whether the venue itself has closed a position with the order or move of this client id. */
export function isOfVenue(clientId: string): boolean {
  return clientId.startsWith(autoclosePrefix) || clientId === deleveragedClientId;
}

/** The state of an order in words, in the spelling of the page: "CANCELLED". */
export function statusText(status: string): string {
  return status === "CANCELED" ? "CANCELLED" : status.replace(/_/g, " ");
}

interface Explained extends Ended {
  readonly client_order_id: string;
  readonly expiry_reason?: string | null | undefined;
}

/**
 * Why an order ended: the reason that the venue gives. It gives none for a cancel by the owner, who may have put another
 * order in its place. An order of the venue's own has a liquidation as its reason, however it ended.
 */
export function endReason(order: Explained, replaced: ReadonlySet<number>): string | null {
  if (isOfVenue(order.client_order_id)) return "LIQUIDATION_ORDER";
  const told = order.expiry_reason ?? null;
  if (told !== null || order.status !== "CANCELED") return told;
  return isReplaced(order, replaced) ? "REPLACED" : "CANCELED";
}

/** An order of a list with its times, as texts that sort by time. */
export interface Placed extends Ended {
  readonly symbol: string;
  readonly side: string;
  readonly type: string;
  readonly qty: string;
  readonly expiry_reason: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/**
 * Whether a newer take profit or stop loss of the position took this one's place: one of its kind came while it waited.
 * The venue gives the same reason if its partner was triggered.
 */
export function isReplacedTpSl(order: Placed, orders: readonly Placed[]): boolean {
  if (order.expiry_reason !== "TPSL_REPLACED") return false;
  const { symbol, side, type, order_id: id, created_at: from, updated_at: to } = order;
  return orders.some(
    (other) =>
      other.order_id !== id &&
      [other.symbol, other.side, other.type].join() === [symbol, side, type].join() &&
      Number(other.qty) === 0 &&
      other.created_at > from &&
      other.created_at <= to,
  );
}

interface Triggered {
  readonly type: string;
  readonly take_profit?: string | null | undefined;
  readonly stop_loss?: string | null | undefined;
}

/**
 * The price that triggers a stop or take-profit order; null for other orders, and for a trailing stop, which has none of
 * its own.
 */
export function triggerOf(order: Triggered): string | null {
  if (order.type.startsWith("TAKE_PROFIT")) return order.take_profit ?? null;
  return order.type.startsWith("STOP") ? (order.stop_loss ?? null) : null;
}

interface Sized {
  readonly qty: string;
  /** Null on spot, else a number. */
  readonly leverage: unknown;
}

/** The quantity of an order with `places` decimals, or what decides on it. */
export function sizeText({ qty, leverage }: Sized, places: number): string {
  if (Number(qty) !== 0) return shown(qty, places);
  return leverage === null ? "As bought" : "Entire position";
}
