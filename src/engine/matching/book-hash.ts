// The state hash of a book: FNV-1a over its resting orders, bids before asks, in priority order, and its positions.
//
// It covers everything that the next operation can depend on, and nothing that depends on storage. So two
// implementations have equal hashes exactly if they will behave alike. Only books that use the same handles can be
// compared. The hash is never journaled.

/** The hash of an empty book. */
export const emptyBookHash = 0x811c9dc5 | 0;

/** The hashed fields of a resting order. */
export interface HashedOrder {
  price: number;
  account: number;
  slot: number;
  generation: number;
  qty: number;
  postOnly: boolean;
  isReduceOnly: boolean;
  /** Lots that an iceberg order does not show, and the lots of one slice, which counts only if some are hidden. */
  hiddenQty: number;
  icebergQty: number;
}

function mix(hash: number, word: number): number {
  return Math.imul(hash ^ word, 16777619);
}

/** Adds one order to `hash`; the quantity is added as two 32-bit words. */
export function mixOrder(hash: number, order: HashedOrder): number {
  let mixed = mix(hash, order.price);
  mixed = mix(mixed, order.account);
  mixed = mix(mixed, order.slot);
  mixed = mix(mixed, order.generation);
  const hides = order.hiddenQty > 0;
  mixed = mix(mixed, (order.postOnly ? 1 : 0) | (order.isReduceOnly ? 2 : 0) | (hides ? 4 : 0));
  if (hides) mixed = mixLots(mix(mixed, order.icebergQty), order.hiddenQty);
  return mixLots(mixed, order.qty);
}

/** Adds one position to `hash`: the account's slot and its signed lots, not 0. */
export function mixPosition(hash: number, account: number, lots: number): number {
  return mixLots(mix(hash, account), lots);
}

function mixLots(hash: number, lots: number): number {
  return mix(mix(hash, lots | 0), Math.floor(lots / 2 ** 32));
}

/** Ends one side, so that the last bid and the first ask cannot be confused. */
export function mixSideEnd(hash: number): number {
  return mix(hash, 0x5f5f5f5f);
}
