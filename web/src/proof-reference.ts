// The reference under which a proof of an order or trade is requested. Ids in account lists contain a number and a
// time; leaves of an epoch contain only the number.

import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";

/** The number of an order by its id in account lists, as the Binance-style surfaces name it; null for any other text. */
export function orderNumber(id: string): number | null {
  return parsePublicId(PublicIdKind.order, id)?.number ?? null;
}

/** Returns `o-12` for the id of order 12 and `t-3` for that of trade 3; null for any other text. */
export function proofReference(id: string): string | null {
  const order = orderNumber(id);
  if (order !== null) return `o-${order}`;
  const trade = parsePublicId(PublicIdKind.trade, id);
  return trade === null ? null : `t-${trade.number}`;
}

/** A reference in words: a bare number is that of an entry. */
export function spokenReference(reference: string): string {
  return /^\d+$/.test(reference) ? `entry ${reference}` : reference;
}

/** The query of a proof for what a user typed: an entry by its number, or an order or trade; null for any other text. */
export function proofQuery(typed: string): string | null {
  const text = typed.trim();
  if (/^[1-9]\d{0,14}$/.test(text)) return `seq=${text}`;
  const reference = /^[ot]-[1-9]\d{0,14}$/.test(text) ? text : proofReference(text);
  return reference === null ? null : `ref_id=${reference}`;
}
