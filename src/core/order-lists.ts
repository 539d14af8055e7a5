// Order lists: two or three orders of one account in one spot market that are placed, journaled and cancelled together.
//
//   OCO     stop, other                 one cancels the other: when one trades or triggers, the other expires
//   OTO     working, pending            one triggers the other: the pending order waits until the working one is filled
//   OTOCO   working, then an OCO        the working order triggers an OCO
//   OPO     working, pending            an OTO whose pending order sells what the working order buys
//   OPOCO   working, then an OCO        an OTOCO whose pending orders sell what the working order buys
//
// The orders of a list have consecutive ids, and the list's id is that of its first order. So every thread finds the
// list of an order, and the orders of a list, without an index.

import { assert } from "./assert.ts";
import { clientIdBytesMax, listOrdersMax } from "./limits.ts";
import type { OrderType, Peg, Side, TimeInForce } from "./orders.ts";

export const OrderListType = { oco: 0, oto: 1, otoco: 2, opo: 3, opoco: 4 } as const;
export type OrderListType = (typeof OrderListType)[keyof typeof OrderListType];

/** The terms of one order of a list, as a client asks for them. */
export interface ListLeg {
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  /** Ticks; 0 for types that trade at the market, and for a pegged order without a limit. */
  readonly price: number;
  /** Lots; 0 for an order that sells what the working order buys. */
  readonly qty: number;
  /** Conditional: the trigger in ticks; else 0. */
  readonly triggerPrice: number;
  /** Lots that an iceberg order shows at a time; 0 to show the whole quantity. */
  readonly icebergQty: number;
  /** From which price of the book the order takes its own when it goes there, at its trigger or once it is active. */
  readonly peg: Peg;
  /** If it is pegged: levels behind the best price of that side. */
  readonly pegOffset: number;
}

/** Number of orders in a list. */
export function legCountOf(type: OrderListType): number {
  return type === OrderListType.otoco || type === OrderListType.opoco ? 3 : 2;
}

/** Whether the first order of the list is a working order, whose fill triggers the others. */
export function hasWorkingOrder(type: OrderListType): boolean {
  return type !== OrderListType.oco;
}

/** Whether the last two orders of the list cancel each other. */
export function hasPair(type: OrderListType): boolean {
  return type !== OrderListType.oto && type !== OrderListType.opo;
}

/** Whether the pending orders of the list sell what its working order buys, and have no quantity before. */
export function isPaidByWorking(type: OrderListType): boolean {
  return type === OrderListType.opo || type === OrderListType.opoco;
}

const derivedDigits = 20;
const derivedForm = /^l-\d{20}$/;

/** Whether the client id of a list has the form of those that the venue derives. Clients may not use that form. */
export function isReservedListClientId(text: string): boolean {
  return derivedForm.test(text);
}

/** The client id of a list sent without one: `l-` and 20 digits. */
export function derivedListClientId(listId: number): string {
  assert(listId > 0, "a list must have the id of its first order");
  return `l-${String(listId).padStart(derivedDigits, "0")}`;
}

/** The list's id in a derived client id, or 0 for any other text. */
export function listIdOfDerived(clientId: string): number {
  if (!isReservedListClientId(clientId)) return 0;
  const id = Number(clientId.slice(2));
  return Number.isSafeInteger(id) ? id : 0;
}

/** Open order lists of one account in one market (Binance: MAX_NUM_ORDER_LISTS 20). */
export const orderListsPerMarketPerAccountMax = 20;

/**
 * Smallest number of order lists that a front remembers; the largest is twice as many. Older ones are read from SQL.
 */
export const closedListsKept = 16_384;

/** Characters of the client ids of an order list and of its orders, with the spaces between them. */
export const listTextMax = (listOrdersMax + 1) * (clientIdBytesMax + 1) - 1;

/** Separates the texts of `placeList`. No client id contains it. */
const separator = " ";

/** The client ids of a list and then of its orders, as the text of `placeList`; an empty one is derived by the venue. */
export function joinClientIds(ids: readonly string[]): string {
  return ids.join(separator);
}

/** The client ids in the text of `placeList`. */
export function splitClientIds(text: string): string[] {
  return text.split(separator);
}
