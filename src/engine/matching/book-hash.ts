// The state hash of a book: FNV-1a over the resting orders, bids before asks, in priority order, and
// the positions it keeps.
//
// It covers what the next operation can depend on and nothing of how a book stores it, so two books
// built differently agree exactly when they would go on alike. It is for comparing books that use
// the same handles; it is never journaled.

/** The hash of an empty book. */
export const emptyBookHash = 0x811c9dc5 | 0;

/** What the hash sees of one resting order. */
export interface HashedOrder {
  price: number;
  account: number;
  slot: number;
  generation: number;
  qty: number;
  postOnly: boolean;
  isReduceOnly: boolean;
}

function mix(hash: number, word: number): number {
  return Math.imul(hash ^ word, 16777619);
}

/** `hash` with one more order behind it; the quantity goes in whole, as two 32-bit words. */
export function mixOrder(hash: number, order: HashedOrder): number {
  let mixed = mix(hash, order.price);
  mixed = mix(mixed, order.account);
  mixed = mix(mixed, order.slot);
  mixed = mix(mixed, order.generation);
  mixed = mix(mixed, (order.postOnly ? 1 : 0) | (order.isReduceOnly ? 2 : 0));
  return mixLots(mixed, order.qty);
}

/** `hash` with one more position behind it: signed lots, not 0. */
export function mixPosition(hash: number, account: number, lots: number): number {
  return mixLots(mix(hash, account), lots);
}

function mixLots(hash: number, lots: number): number {
  return mix(mix(hash, lots | 0), Math.floor(lots / 2 ** 32));
}

/** Ends one side, so that an order cannot move from the last bid to the first ask unnoticed. */
export function mixSideEnd(hash: number): number {
  return mix(hash, 0x5f5f5f5f);
}
