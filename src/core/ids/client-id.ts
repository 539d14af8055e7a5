// Client order ids: the pattern clients may use, and the forms that are the venue's own.
// A missing id derives from the order id, so it needs no memory to be found again; that exact form
// and those of liquidations are therefore refused as a client's choice (ORD: reserved client ids).

import { autoclosePrefix, deleveragedClientId } from "../liquidation.ts";

const pattern = /^[.A-Z:/a-z0-9_-]{1,36}$/;
const derived = /^o-\d{20}$/;

/** True for 1–36 of the characters Binance allows. */
export function isClientId(text: string): boolean {
  return pattern.test(text);
}

/** True for the forms that the venue gives itself. */
export function isReservedClientId(text: string): boolean {
  return isDerived(text) || text.startsWith(autoclosePrefix) || text === deleveragedClientId;
}

function isDerived(text: string): boolean {
  return text.length === 22 && derived.test(text);
}

/** The client id of an order whose client gave none: `o-` and 20 digits. */
export function derivedClientId(orderId: number): string {
  return `o-${String(orderId).padStart(20, "0")}`;
}

/** The order id behind a derived client id, or 0 for any other text. */
export function orderIdOfDerived(clientId: string): number {
  if (!isDerived(clientId)) return 0;
  const id = Number(clientId.slice(2));
  return Number.isSafeInteger(id) ? id : 0;
}
