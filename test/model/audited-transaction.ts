// What the auditor of a journal has seen of the transaction that it is in.

import type { AcceptedOrder } from "../../src/engine/state/apply/order-posting.ts";
import type { AuditedOrder } from "./audited-book.ts";

/** What the auditor has seen of the current transaction. */
export interface TransactionSoFar {
  events: number;
  order: AuditedOrder | null;
  trades: number;
  isClosed: boolean;
  /** Pending orders of lists that were released. */
  released: number;
  /** `account/market` of a leverage change that began the transaction; empty if there was none. */
  leverage: string;
  /** Whether it is a mass quote so far. */
  isQuotes: boolean;
}

export function emptyTransaction(): TransactionSoFar {
  const nothing = { events: 0, order: null, trades: 0, isClosed: false, released: 0 };
  return { ...nothing, leverage: "", isQuotes: false };
}

/** Whether the transaction has begun with a leverage change of this account and market, just before this event. */
export function followsLeverage(
  { events, leverage }: TransactionSoFar,
  { account, market }: AcceptedOrder,
): boolean {
  return events === 2 && leverage === `${account}/${market}`;
}
