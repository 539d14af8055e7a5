// Messages of the spot surface for refusals of clearing; this is the only file with these messages. Statuses and codes:
// docs/spec/errors.md.

import { RateTier } from "../../../core/accounts.ts";
import { connectionsPerAccountMax } from "../../../core/connection-limits.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { limitsOf } from "../../../services/access/rate-limiter.ts";
import {
  authErrors,
  illegalParameter,
  notExecuted,
  orderUnknown,
  type SurfaceError,
  tooManyRequests,
  unexpected,
  unsupportedCombination,
} from "../requests/surface-error.ts";

function filterFailure(filter: string): SurfaceError {
  return { status: 400, code: -1013, msg: `Filter failure: ${filter}` };
}

function orderRejected(msg: string): SurfaceError {
  return { status: 422, code: -2010, msg };
}

function amendRejected(msg: string): SurfaceError {
  return { status: 422, code: -2038, msg };
}

/** The limits that a refusal names if the leader's reply does not name others. */
const standard = limitsOf(RateTier.standard);

const disabled = orderRejected("This action is disabled on this account.");

/** The book has fewer levels than the one that an order is to be pegged to. */
export const noLevelToPegTo = orderRejected("The book has no price level to peg this order to.");

/** The spot surface's error for each refusal of clearing. `none` is not a refusal; looking it up is a bug. */
export const spotErrors: Readonly<Record<RejectReason, SurfaceError>> = {
  [RejectReason.none]: unexpected,
  [RejectReason.unknownMarket]: illegalParameter("symbol"),
  [RejectReason.marketNotTrading]: orderRejected("Market is closed."),
  [RejectReason.priceNotPositive]: filterFailure("PRICE_FILTER"),
  [RejectReason.priceOffTick]: filterFailure("PRICE_FILTER"),
  [RejectReason.priceTooHigh]: filterFailure("PRICE_FILTER"),
  [RejectReason.priceOutsideBand]: filterFailure("PERCENT_PRICE"),
  [RejectReason.qtyNotPositive]: filterFailure("LOT_SIZE"),
  [RejectReason.qtyOffLot]: filterFailure("LOT_SIZE"),
  [RejectReason.qtyTooLarge]: filterFailure("LOT_SIZE"),
  [RejectReason.notionalTooSmall]: filterFailure("NOTIONAL"),
  [RejectReason.unsupportedCombination]: unsupportedCombination,
  [RejectReason.trailingOutOfRange]: filterFailure("TRAILING_DELTA"),
  [RejectReason.goodTillOutOfRange]: illegalParameter("goodTillDate"),
  [RejectReason.takeProfitWrongSide]: unsupportedCombination,
  [RejectReason.stopLossWrongSide]: unsupportedCombination,
  [RejectReason.listPricesWrong]: orderRejected(
    "The relationship of the prices for the orders is not correct.",
  ),
  [RejectReason.icebergNotBelowQty]: orderRejected("IcebergQty exceeds QTY."),
  [RejectReason.tooManyIcebergParts]: filterFailure("ICEBERG_PARTS"),
  [RejectReason.tooManyOrderLists]: filterFailure("MAX_NUM_ORDER_LISTS"),
  [RejectReason.unknownAccount]: authErrors.keyUnknown,
  [RejectReason.accountFrozen]: orderRejected(
    "Account is frozen; new orders are not accepted, cancels are.",
  ),
  [RejectReason.notEnrolled]: {
    status: 422,
    code: -2012,
    msg: "Complete wallet enrollment (MemberAuth) before trading.",
  },
  [RejectReason.insufficientBalance]: orderRejected(
    "Account has insufficient balance for requested action.",
  ),
  [RejectReason.tooManyOpenOrders]: filterFailure("MAX_NUM_ORDERS"),
  [RejectReason.leverageOutOfRange]: illegalParameter("leverage"),
  [RejectReason.amountNotPositive]: illegalParameter("amount"),
  [RejectReason.walletNotAllowed]: disabled,
  [RejectReason.tooManyAccounts]: disabled,
  [RejectReason.nothingToReduce]: disabled,
  [RejectReason.positionBeyondLeverage]: disabled,
  [RejectReason.tooManyConditionalOrders]: filterFailure("MAX_NUM_ALGO_ORDERS"),
  [RejectReason.accountInLiquidation]: orderRejected("Account is being liquidated."),
  [RejectReason.duplicateClientId]: orderRejected("Duplicate order sent."),
  [RejectReason.unknownOrder]: orderUnknown,
  [RejectReason.wouldTake]: orderRejected("Order would immediately match and take."),
  [RejectReason.clientIdReserved]: illegalParameter("newClientOrderId"),
  [RejectReason.unknownKey]: authErrors.keyUnknown,
  [RejectReason.keyExists]: disabled,
  [RejectReason.keyChanged]: disabled,
  [RejectReason.tooManyKeys]: disabled,
  [RejectReason.wouldTrigger]: orderRejected("Order would trigger immediately."),
  [RejectReason.amendsNothing]: amendRejected(
    "The requested action would change no state; rejecting.",
  ),
  [RejectReason.notAmendable]: amendRejected("This order cannot be amended."),
  [RejectReason.unknownSession]: authErrors.keyUnknown,
  [RejectReason.tooManySessions]: disabled,
  [RejectReason.tooManyKeysOfAccount]: disabled,
  [RejectReason.requestInFlight]: orderRejected(
    "The last mass quote of this market is still in flight.",
  ),
  [RejectReason.tooManyRequestKeys]: disabled,
  [RejectReason.spotWalletInUse]: disabled,
  [RejectReason.withdrawalNotPermitted]: disabled,
  [RejectReason.tooManyWithdrawals]: disabled,
  [RejectReason.accountInUse]: disabled,
  [RejectReason.accountInFamily]: disabled,
  [RejectReason.tooManySubAccounts]: disabled,
  [RejectReason.subAccountLabel]: illegalParameter("subAccountString"),
  [RejectReason.unknownWithdrawal]: disabled,
  [RejectReason.groupTriggered]: orderRejected(
    "Market maker protection has triggered; reset the group to place orders.",
  ),
  [RejectReason.groupTermsInvalid]: illegalParameter("symbols"),
  [RejectReason.marketInGroup]: orderRejected("A market is in another group of the account."),
  [RejectReason.tooManyGroups]: orderRejected(
    "The accounts of this owner have as many groups of market maker protection as they may have.",
  ),
  [RejectReason.unknownGroup]: illegalParameter("group"),
  [RejectReason.cancelRestricted]: {
    status: 422,
    code: -2011,
    msg: "Order was not canceled due to cancel restrictions.",
  },
  [RejectReason.amendGrows]: amendRejected("Order amend (quantity increase) is not supported."),
  [RejectReason.amendWrongSide]: illegalParameter("side"),
  [RejectReason.swapMoveKnown]: disabled,
  [RejectReason.connectionEnded]: orderRejected(
    "The connection that sent the order counts as lost; log on again.",
  ),
  [RejectReason.tooManyConnections]: {
    status: 400,
    code: -1034,
    msg: `Too many connections cancel on disconnect; the limit is ${connectionsPerAccountMax} per account.`,
  },
  [RejectReason.deadlinePassed]: notExecuted,
  [RejectReason.windowPassed]: authErrors.outsideWindow,
  [RejectReason.tooManyOrdersIn10s]: tooManyRequests(standard.ordersPer10s, "orders10s"),
  [RejectReason.tooManyOrdersInMinute]: tooManyRequests(standard.ordersPerMinute, "orders1m"),
  [RejectReason.venueFull]: notExecuted,
  [RejectReason.stopping]: notExecuted,
  [RejectReason.unknownOrigin]: notExecuted,
  [RejectReason.commandConfirmed]: unexpected,
  [RejectReason.originWindowFull]: notExecuted,
  [RejectReason.tooManyOrigins]: notExecuted,
  [RejectReason.tradingPaused]: orderRejected("Trading is paused."),
  [RejectReason.marketReduceOnly]: orderRejected("Only reduceOnly orders are allowed."),
  [RejectReason.marketWithoutIndex]: orderRejected("The market has no index price yet."),
  [RejectReason.marketPaused]: orderRejected("Trading is paused in this market."),
  [RejectReason.indexStale]: orderRejected(
    "Transfers are paused while a market you have a position or order in has no fresh index.",
  ),
  [RejectReason.openInterestFull]: orderRejected(
    "The order would exceed the market's open interest limit.",
  ),
  [RejectReason.depthTooThin]: orderRejected(
    "The order would exceed the open interest that the market's depth allows.",
  ),
};
