// The words of an order: side, type, time in force, status, and the life an order leads.
//
//   (command) ──accepted──▶ open ──fills──▶ partially filled ──last fill──▶ filled
//                            │                     │
//                            └──cancel / expiry────┴──▶ cancelled | expired
//
// Codes are small integers because they travel in fixed records; surfaces render the names.
// A refused command never becomes an order: it has no id, no event and no status here.

export const Side = { buy: 0, sell: 1 } as const;
export type Side = (typeof Side)[keyof typeof Side];

export const OrderType = { limit: 0, market: 1, limitMaker: 2 } as const;
export type OrderType = (typeof OrderType)[keyof typeof OrderType];

/** GTX is post-only: refused when it would trade at once (Binance futures; spot says LIMIT_MAKER). */
export const TimeInForce = { gtc: 0, ioc: 1, fok: 2, gtx: 3 } as const;
export type TimeInForce = (typeof TimeInForce)[keyof typeof TimeInForce];

/**
 * What happens when an incoming order meets a resting one of its own account; the incoming order's
 * mode counts. `skip`, the default, steps over it.
 */
export const StpMode = {
  skip: 0,
  expireTaker: 1,
  expireMaker: 2,
  expireBoth: 3,
  /** Both lose the smaller of the two quantities without trading. */
  decrement: 4,
} as const;
export type StpMode = (typeof StpMode)[keyof typeof StpMode];

/** `open` covers an order with fills too: partially filled is open with a filled quantity. */
export const OrderStatus = { open: 0, filled: 1, cancelled: 2, expired: 3 } as const;
export type OrderStatus = (typeof OrderStatus)[keyof typeof OrderStatus];

/** Why an order left the book without being filled; journaled with the closing event. */
export const CloseReason = {
  /** The owner asked. */
  cancelled: 0,
  /** IOC or MARKET remainder with nothing left to trade with. */
  unfilled: 1,
  /** FOK that could not be filled at once and in full. */
  fillOrKill: 2,
  /** The sweep reached `matchesPerOrderMax` fills. */
  matchesPerOrderMax: 3,
  /** The sweep skipped `ownSkipsMax` resting orders of the same account in a row. */
  ownSkipsMax: 4,
  /** The market was halted or delisted by the operator. */
  marketClosed: 5,
} as const;
export type CloseReason = (typeof CloseReason)[keyof typeof CloseReason];

/** The other side of the book. */
export function opposite(side: Side): Side {
  return side === Side.buy ? Side.sell : Side.buy;
}

/** Cancelled by somebody's will, expired by its own terms. */
export function statusOfClose(reason: CloseReason): OrderStatus {
  return reason === CloseReason.cancelled || reason === CloseReason.marketClosed
    ? OrderStatus.cancelled
    : OrderStatus.expired;
}
