// Parameters of the perpetual surface (/fapi), as texts from query and form. As on spot, unlisted parameters are
// ignored, except by routes that place or change orders, which refuse them. Some parameters are listed although the
// venue does not support them: they would change an order's meaning, so a route refuses them with an error of its own.

import * as z from "zod";
import { candlesKept, tapeLength } from "../../src/core/limits.ts";
import { timeInForceNames } from "../../src/core/orders.ts";
import {
  anyText,
  clientOrderId,
  decimalText,
  orderReference,
  rowLimit,
  side,
  symbolText,
  truth,
  wholeNumber,
} from "./common.ts";

/** The level of the book that gives an order its price, in place of `price`. */
const priceMatch = z.enum([
  "NONE",
  "OPPONENT",
  "OPPONENT_5",
  "OPPONENT_10",
  "OPPONENT_20",
  "QUEUE",
  "QUEUE_5",
  "QUEUE_10",
  "QUEUE_20",
]);

export const fapiOrder = z.object({
  symbol: symbolText,
  side,
  type: z.enum([
    "LIMIT",
    "MARKET",
    "STOP",
    "STOP_MARKET",
    "TAKE_PROFIT",
    "TAKE_PROFIT_MARKET",
    "TRAILING_STOP_MARKET",
  ]),
  /** GTE_GTC is for conditional orders with `closePosition`, which then end with their position. */
  timeInForce: z.enum([...timeInForceNames("futures"), "GTE_GTC"]).optional(),
  quantity: decimalText.optional(),
  price: decimalText.optional(),
  reduceOnly: truth.optional(),
  closePosition: truth.optional(),
  positionSide: z.enum(["BOTH", "LONG", "SHORT"]).optional(),
  newClientOrderId: z.string().optional(),
  newOrderRespType: z.enum(["ACK", "RESULT"]).optional(),
  /** Only on an order connection that has declared it, where an order may ask to stay. */
  cancelOnDisconnect: truth.optional(),
  /** Clients send zero to mean that there is no stop price. */
  stopPrice: decimalText.optional(),
  activationPrice: decimalText.optional(),
  callbackRate: decimalText.optional(),
  workingType: z.enum(["CONTRACT_PRICE", "MARK_PRICE"]).optional(),
  priceProtect: truth.optional(),
  priceMatch: priceMatch.optional(),
  selfTradePreventionMode: z
    .enum(["NONE", "EXPIRE_TAKER", "EXPIRE_MAKER", "EXPIRE_BOTH"])
    .optional(),
  /**
   * Expiry of a GTD order in milliseconds UTC; 0 for none. Clearing checks that the date is not too far in the future.
   */
  goodTillDate: wholeNumber.refine((ms) => Number.isSafeInteger(ms * 1000)).optional(),
});
export type FapiOrderParameters = z.output<typeof fapiOrder>;

/** A conditional order with the parameter names of Binance's algo service. */
export const fapiAlgoOrder = fapiOrder.extend({
  algoType: z.literal("CONDITIONAL").default("CONDITIONAL"),
  triggerPrice: decimalText.optional(),
  activatePrice: decimalText.optional(),
  clientAlgoId: z.string().optional(),
});
export const fapiOpenAlgoOrders = z.object({
  symbol: symbolText.optional(),
  algoType: z.literal("CONDITIONAL").optional(),
  algoId: wholeNumber.optional(),
});
export const fapiAlgoQuery = z.object({
  symbol: symbolText.optional(),
  algoId: wholeNumber.optional(),
  clientAlgoId: clientOrderId.optional(),
});

export const fapiAmend = z.object({
  ...orderReference,
  side,
  quantity: decimalText,
  price: decimalText.optional(),
  priceMatch: priceMatch.optional(),
});
export type FapiAmendParameters = z.output<typeof fapiAmend>;

export const fapiBatch = z.object({ batchOrders: anyText });
export const fapiBatchCancel = z.object({
  symbol: symbolText,
  orderIdList: anyText.optional(),
  origClientOrderIdList: anyText.optional(),
  orderidlist: anyText.optional(),
  origclientorderidlist: anyText.optional(),
});

/** Milliseconds until all orders are cancelled, at most a week; 0 disarms the countdown. */
export const fapiCountdown = z.object({
  symbol: symbolText,
  countdownTime: wholeNumber
    .refine((ms) => ms <= 604_800_000)
    .meta({ api: { type: "integer", minimum: 0, maximum: 604_800_000 } }),
});

export const fapiDepth = z.object({ symbol: symbolText, limit: rowLimit(500, 1000) });

export const fapiTrades = z.object({ symbol: symbolText, limit: rowLimit(500, tapeLength) });
export const fapiHistoricalTrades = z.object({
  symbol: symbolText,
  limit: rowLimit(500, 1000),
  fromId: wholeNumber.optional(),
});

export const fapiAggregates = z.object({
  symbol: symbolText,
  fromId: wholeNumber.optional(),
  startTime: wholeNumber.optional(),
  endTime: wholeNumber.optional(),
  limit: rowLimit(500, 1000),
});

const klineWindow = { interval: z.string(), limit: rowLimit(500, candlesKept) };
export const fapiKlines = z.object({ symbol: z.string(), ...klineWindow });
export const fapiIndexKlines = z.object({ pair: z.string(), ...klineWindow });
export const fapiContinuousKlines = z.object({
  pair: z.string(),
  contractType: z.literal("PERPETUAL"),
  ...klineWindow,
});

export const fapiLeverage = z.object({
  symbol: symbolText,
  leverage: z.string().meta({ api: { type: "integer", minimum: 1, maximum: 100 } }),
});

/** Margin is always cross: ISOLATED is not accepted. */
export const fapiMarginType = z.object({ symbol: symbolText, marginType: z.literal("CROSSED") });
export const fapiDualSide = z.object({ dualSidePosition: truth });
export const fapiMultiAssets = z.object({ multiAssetsMargin: truth });

const times = { startTime: wholeNumber.optional(), endTime: wholeNumber.optional() };

export const fapiAllOrders = z.object({
  symbol: symbolText.optional(),
  orderId: wholeNumber.optional(),
  ...times,
  limit: rowLimit(500, 1000),
});
export const fapiAlgoList = z.object({
  symbol: symbolText,
  algoId: wholeNumber.optional(),
  ...times,
  limit: rowLimit(500, 1000),
});
export const fapiUserTrades = z.object({
  symbol: symbolText,
  orderId: wholeNumber.optional(),
  ...times,
  fromId: wholeNumber.optional(),
  limit: rowLimit(500, 1000),
});
export const fapiFundingRate = z.object({
  symbol: symbolText.optional(),
  ...times,
  limit: rowLimit(100, 1000),
});

const dataSpan = { period: z.string(), limit: rowLimit(30, 500), ...times };
export const fapiMarketData = z.object({ symbol: symbolText, ...dataSpan });
export const fapiBasis = z.object({
  pair: symbolText,
  contractType: z.enum(["PERPETUAL", "CURRENT_QUARTER", "NEXT_QUARTER"]),
  ...dataSpan,
});

/** Amendments of one order, by the venue's id or by the client's. */
export const fapiAmendments = z.object({ ...orderReference, ...times, limit: rowLimit(50, 100) });

export const fapiIncome = z.object({
  symbol: symbolText.optional(),
  incomeType: z
    .string()
    .regex(/^[A-Z_]{1,40}$/)
    .optional(),
  ...times,
  page: wholeNumber.refine((page) => page >= 1).default(1),
  limit: rowLimit(100, 1000),
});
export const fapiForceOrders = z.object({
  symbol: symbolText.optional(),
  autoCloseType: z.enum(["LIQUIDATION", "ADL"]).optional(),
  ...times,
  limit: rowLimit(50, 100),
});
