// All reasons for which the venue refuses a command, numbered in ranges by area. A refusal is a value: it is sent in a
// reply, is never journaled (refusals change nothing), and each surface renders it with its own error map.

export const RejectReason = {
  none: 0,

  // 1xx: the order's own fields
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
  /** This combination of type, time in force and options is invalid, in general or in this market. */
  unsupportedCombination: 111,
  trailingOutOfRange: 112,
  /** GTD with a time in the past or too far ahead. */
  goodTillOutOfRange: 113,
  /** A take profit or stop loss on the wrong side of the entry price. */
  takeProfitWrongSide: 114,
  stopLossWrongSide: 115,
  /** The prices of an OCO are not on both sides of the last price, each on the side that its type needs. */
  listPricesWrong: 116,
  /** A slice that is not smaller than the quantity of its iceberg order. */
  icebergNotBelowQty: 117,
  /** An iceberg order of more than `icebergPartsMax` slices. */
  tooManyIcebergParts: 118,

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
  /** The position plus the orders that would enlarge it is worth more than the leverage allows. */
  positionBeyondLeverage: 212,
  /** The account is being liquidated: only cancels and orders that reduce its positions pass. */
  accountInLiquidation: 213,
  /** The account's spot wallet has money, orders or withdrawals, so it cannot become a mirror of a ledger party. */
  spotWalletInUse: 214,
  withdrawalNotPermitted: 215,
  /** The account, or the venue, has the maximum of withdrawals in progress. */
  tooManyWithdrawals: 216,
  /** The account has held money, or something else keeps it open, so it cannot be closed. */
  accountInUse: 217,
  /** Market-maker protection has triggered in the market; the group must be reset first. */
  groupTriggered: 218,
  /** A window, limit or list of markets that a maker group cannot have. */
  groupTermsInvalid: 219,
  /** A market that is in another maker group of the account. */
  marketInGroup: 220,
  /** The owner has as many maker groups as it may have. */
  tooManyGroups: 226,
  /** The account has the maximum of open order lists in the market. */
  tooManyOrderLists: 225,

  // 3xx: orders and keys that exist already or do not exist
  duplicateClientId: 301,
  unknownOrder: 302,
  wouldTake: 303,
  clientIdReserved: 304,
  unknownKey: 305,
  keyExists: 306,
  tooManyKeys: 307,
  /** A conditional order whose trigger condition is already met. */
  wouldTrigger: 308,
  /** An amend that changes nothing. */
  amendsNothing: 309,
  /** An amend of an order that is not in a book or is being amended, or to a quantity not above the filled one. */
  notAmendable: 310,
  unknownSession: 311,
  tooManySessions: 312,
  /** The account has the maximum of active keys (10). */
  tooManyKeysOfAccount: 313,
  /** The order of an earlier request with this idempotency key is still with its matcher. */
  requestInFlight: 314,
  /** The account, or the venue, has used the maximum of idempotency keys for a day. */
  tooManyRequestKeys: 315,
  /** No withdrawal with this number is in progress; it may have ended. */
  unknownWithdrawal: 316,
  /** A cancel of an order that is not in the required state. */
  cancelRestricted: 317,
  /** An amend that would add lots although the request only allows fewer. */
  amendGrows: 318,
  /** An amend whose side is not the order's. */
  amendWrongSide: 319,
  /** The journal already has this step of a swap. */
  swapMoveKnown: 320,
  /** The key's permissions are no longer those that the change was based on. */
  keyChanged: 321,
  /** The order connection that sent the command was lost or has withdrawn its declaration. */
  connectionEnded: 322,
  /** The account, or the venue, has the maximum of order connections that cancel on disconnect. */
  tooManyConnections: 323,
  /** The account has no maker group with this number. */
  unknownGroup: 324,
  /** The account has sub-accounts, or is one: it can neither be wallet-funded nor change its type. */
  accountInFamily: 325,
  /** The owner has the maximum of sub-accounts. */
  tooManySubAccounts: 326,
  /** Another sub-account of the owner has the label, or it is not 1 to 20 letters, digits, `_`, `-` or `.`. */
  subAccountLabel: 327,

  // 4xx: the venue
  deadlinePassed: 401,
  venueFull: 402,
  stopping: 403,
  /** The insurance fund is below its threshold: only cancels and reduce-only orders pass. */
  tradingPaused: 404,
  /** The perpetual accepts only orders that reduce a position. */
  marketReduceOnly: 405,
  /** The perpetual has no index yet and accepts no position without one. */
  marketWithoutIndex: 406,
  /** The perpetual has the most open interest its operator allows. */
  openInterestFull: 407,
  /** The perpetual has the most open interest that the depth of its index market supports. */
  depthTooThin: 408,
  /** The insurance fund has lost as much in the perpetual as it may in an hour: only reducing orders pass. */
  marketPaused: 409,
  /**
   * Transfers out of the perp wallet are refused while a market of the account's positions or orders has no fresh
   * index.
   */
  indexStale: 410,
  /**
   * The time window of the client's signed request, its timestamp plus its recvWindow, ended before the command reached
   * clearing. Fronts tell it apart from `deadlinePassed`, which is what clearing answers.
   */
  windowPassed: 411,
  /**
   * The key or its account has placed as many orders as it may in 10 s, or in a minute. The leader refuses orders of
   * gateways so; the reply's subject is the limit.
   */
  tooManyOrdersIn10s: 412,
  tooManyOrdersInMinute: 413,

  // 5xx: the gateway that sent the command
  /** The origin was never registered, or it was replaced or forgotten: the gateway must register again. */
  unknownOrigin: 501,
  /** The origin has confirmed that it needs no answer to this command. Only a faulty gateway sends such a command. */
  commandConfirmed: 502,
  /** The origin has too many commands whose results it has not confirmed. */
  originWindowFull: 503,
  /** The venue has the maximum of living origins. */
  tooManyOrigins: 504,
} as const;
export type RejectReason = (typeof RejectReason)[keyof typeof RejectReason];

/** Whether the leader refused a command because of an order limit. */
export function isOrderLimit(reason: RejectReason): boolean {
  return (
    reason === RejectReason.tooManyOrdersIn10s || reason === RejectReason.tooManyOrdersInMinute
  );
}
