// The one list of domain refusals, in bands by area. A refusal is a value: it travels in a reply,
// is never journaled (refusals change nothing) and each surface renders it in its own error map.

export const RejectReason = {
  none: 0,

  // 1xx: the order's own figures
  unknownMarket: 101,
  marketNotTrading: 102,
  priceNotPositive: 103,
  priceOffTick: 104,
  priceTooHigh: 105,
  priceOutsideBand: 106,
  qtyNotPositive: 107,
  qtyOffLot: 108,
  qtyTooLarge: 109,
  notionalTooSmall: 110,
  /** Type, time in force and options that do not go together, or not in this market. */
  unsupportedCombination: 111,
  trailingOutOfRange: 112,
  /** GTD that names a time already past, or too far away. */
  goodTillOutOfRange: 113,
  /** A take profit, or stop loss, that is already behind the entry. */
  takeProfitWrongSide: 114,
  stopLossWrongSide: 115,

  // 2xx: the account
  unknownAccount: 201,
  accountFrozen: 202,
  notEnrolled: 203,
  insufficientBalance: 204,
  tooManyOpenOrders: 205,
  leverageOutOfRange: 206,
  amountNotPositive: 207,
  walletNotAllowed: 208,
  tooManyAccounts: 209,
  /** Reduce-only with nothing to reduce. */
  nothingToReduce: 210,
  tooManyConditionalOrders: 211,
  /** The position, with what its orders would add, is worth more than its leverage allows. */
  positionBeyondLeverage: 212,
  /** The account is being liquidated: only cancels and what reduces its positions pass. */
  accountInLiquidation: 213,
  /** Its spot wallet holds money, orders or withdrawals: it cannot become a mirror. */
  spotWalletInUse: 214,
  withdrawalNotPermitted: 215,
  /** As many withdrawals under way as the account may have, or all may. */
  tooManyWithdrawals: 216,
  /** It has had money, or has something that keeps it open: it cannot be closed. */
  accountInUse: 217,

  // 3xx: orders and keys that exist already or not at all
  duplicateClientId: 301,
  unknownOrder: 302,
  wouldTake: 303,
  clientIdReserved: 304,
  unknownKey: 305,
  keyExists: 306,
  tooManyKeys: 307,
  /** A conditional order whose trigger is already met. */
  wouldTrigger: 308,
  /** An amend that changes nothing. */
  amendsNothing: 309,
  /** An amend of an order that is not a limit order, or to less than it has filled. */
  notAmendable: 310,
  unknownSession: 311,
  tooManySessions: 312,
  /** The account has as many active keys as it may (specification: 10). */
  tooManyKeysOfAccount: 313,
  /** The order of an earlier request with this idempotency key is still with its matcher. */
  requestInFlight: 314,
  /** The account has used as many idempotency keys in a day as are remembered, or all have. */
  tooManyRequestKeys: 315,
  /** None under way with this number: it has ended. */
  unknownWithdrawal: 316,
  /** A cancel of an order that is not in the state it is restricted to. */
  cancelRestricted: 317,
  /** An amend to more lots, which may only take lots off. */
  amendGrows: 318,
  /** An amend that names the other side than its order has. */
  amendWrongSide: 319,
  /** The journal has this step of a swap. */
  swapMoveKnown: 320,
  /** The permissions of the key are no longer those that the change rests on. */
  keyChanged: 321,

  // 4xx: the venue
  deadlinePassed: 401,
  venueFull: 402,
  stopping: 403,
  /** The insurance fund is below its threshold: only cancels and reduce-only orders pass. */
  tradingPaused: 404,
  /** The perpetual takes only what reduces a position now. */
  marketReduceOnly: 405,
  /** The perpetual has no index yet, and takes no position without one. */
  marketWithoutIndex: 406,
  /** The perpetual has as much open interest as its operator allows. */
  openInterestFull: 407,
  /** The perpetual has as much open interest as the quotes behind its index bear. */
  depthTooThin: 408,
  /** The insurance fund lost in the perpetual what it may in an hour: only what reduces passes. */
  marketPaused: 409,
  /** Money stays behind positions and orders whose market has no fresh index. */
  indexStale: 410,
} as const;
export type RejectReason = (typeof RejectReason)[keyof typeof RejectReason];
