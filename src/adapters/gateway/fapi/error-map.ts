// Messages of the perpetual surface for refusals of clearing; this is the only file with these messages. Refusals
// that differ from spot have Binance's futures codes. Insufficient balance remains -2010, because docs/spec/errors.md
// says so and clients recognise that text.

import { perpetualValueMin } from "../../../core/limits.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { precisionExceeded, type SurfaceError } from "../requests/surface-error.ts";
import { spotErrors } from "../spot/error-map.ts";

function refused(code: number, msg: string): SurfaceError {
  return { status: 400, code, msg };
}

/** A client order id the venue does not accept. */
export const badClientId = refused(-4015, "Client order id is not valid.");

/** A leverage outside 1 to 100. The message quotes the client's text, cut to 16 characters. */
export function badLeverage(text: string): SurfaceError {
  return refused(-4028, `Leverage ${text.slice(0, 16)} is not valid`);
}

/** LONG or SHORT on a venue with one-way positions. */
export const badPositionSide = refused(
  -4061,
  "Order's position side does not match user's setting.",
);

/** A conditional order on the ordinary order route in strict mode. */
export const onlyByAlgo = refused(
  -4120,
  "Order type not supported for this endpoint. Please use the Algo Order API endpoints instead.",
);

/** Price matching of an order that is not a limit order. */
export const onlyLimitMatches = refused(-5038, "Price match only supports order type: LIMIT.");

/** The book has fewer levels than the one that an order is to match. */
export const noLevelToMatch = refused(-5041, "No depth matches this BBO order.");

/** A batch with too many elements. */
export const tooManyInBatch = refused(-4082, "Invalid number of batch orders.");

/** Errors for a request to change a setting to the value it already has. */
export const unchanged = {
  marginType: refused(-4046, "No need to change margin type."),
  positionSide: refused(-4059, "No need to change position side."),
  multiAssets: refused(-4171, "No need to change multi-assets margin mode."),
} as const;

/** The perpetual surface's error for each refusal of clearing. */
export const fapiErrors: Readonly<Record<RejectReason, SurfaceError>> = {
  ...spotErrors,
  [RejectReason.priceNotPositive]: refused(-4013, "Price less than min price."),
  [RejectReason.priceOffTick]: precisionExceeded,
  [RejectReason.priceTooHigh]: refused(-4002, "Price greater than max price."),
  [RejectReason.qtyNotPositive]: refused(-4003, "Quantity less than or equal to zero."),
  [RejectReason.qtyOffLot]: precisionExceeded,
  [RejectReason.qtyTooLarge]: refused(-4005, "Quantity greater than max quantity."),
  [RejectReason.notionalTooSmall]: {
    ...spotErrors[RejectReason.notionalTooSmall],
    onCompat: {
      code: -4164,
      msg: `Order's notional must be no smaller than ${perpetualValueMin} (unless you choose reduce only).`,
    },
  },
  [RejectReason.leverageOutOfRange]: refused(-4028, "Leverage is not valid"),
  [RejectReason.duplicateClientId]: refused(-4116, "ClientOrderId is duplicated."),
  [RejectReason.wouldTake]: refused(
    -5022,
    "Due to the order could not be executed as maker, the Post Only order will be rejected.",
  ),
  [RejectReason.clientIdReserved]: badClientId,
  [RejectReason.trailingOutOfRange]: refused(-2007, "Invalid callBack rate."),
  [RejectReason.goodTillOutOfRange]: refused(-5040, "Invalid goodTillDate."),
  [RejectReason.nothingToReduce]: {
    status: 422,
    code: -2022,
    msg: "ReduceOnly Order is rejected.",
  },
  [RejectReason.positionBeyondLeverage]: refused(
    -2027,
    "Exceeded the maximum allowable position at current leverage.",
  ),
  [RejectReason.tooManyConditionalOrders]: refused(-4045, "Reach max stop order limit."),
  [RejectReason.marketReduceOnly]: refused(
    -4400,
    "Futures Trading Quantitative Rules violated, only reduceOnly order is allowed, please try again later.",
  ),
  [RejectReason.accountInLiquidation]: refused(-2023, "User in liquidation mode now."),
  [RejectReason.wouldTrigger]: {
    status: 422,
    code: -2021,
    msg: "Order would immediately trigger.",
  },
  [RejectReason.amendsNothing]: refused(-5027, "No need to modify the order."),
  [RejectReason.notAmendable]: refused(-5028, "This order cannot be modified."),
};
