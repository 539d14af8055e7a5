// Parameters of the spot surface (/api/v3), as texts from query and form. Unlisted parameters are ignored, as on
// Binance, except by routes that place or change orders, which refuse them. Some parameters are listed although the
// venue does not support them: they would change an order's meaning, so a route refuses them with an error of its own.

import * as z from "zod";
import { depthLevelsMax, tapeLength } from "../../src/core/limits.ts";
import { pegOffsetMax, timeInForceNames } from "../../src/core/orders.ts";
import {
  anyText,
  clientOrderId,
  decimalText,
  orderReference,
  rowLimit,
  side,
  symbolText,
  truth,
  unixMs,
  wholeNumber,
  zoneOffset,
} from "./common.ts";

/** A number that clients send as zero for none, because the venue does not offer what it would ask for. */
export const zeroText = z.string().regex(/^0(\.0*)?$/);

/** Lists only markets in this state; naming a market that is in another state is an error. */
const symbolStatus = z.enum(["TRADING", "HALT", "BREAK"]).optional();

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const spotOrder = z.object({
  symbol: symbolText,
  side,
  type: z.enum([
    "LIMIT",
    "MARKET",
    "LIMIT_MAKER",
    "STOP_LOSS",
    "STOP_LOSS_LIMIT",
    "TAKE_PROFIT",
    "TAKE_PROFIT_LIMIT",
  ]),
  timeInForce: z.enum(timeInForceNames("spot")).optional(),
  quantity: decimalText.optional(),
  quoteOrderQty: decimalText.optional(),
  price: decimalText.optional(),
  stopPrice: decimalText.optional(),
  newClientOrderId: clientOrderId.optional(),
  newOrderRespType: z.enum(["ACK", "RESULT", "FULL"]).optional(),
  /** Only on an order connection that has declared it, where an order may ask to stay. */
  cancelOnDisconnect: truth.optional(),
  selfTradePreventionMode: z
    .enum(["NONE", "EXPIRE_TAKER", "EXPIRE_MAKER", "EXPIRE_BOTH", "DECREMENT"])
    .optional(),
  /** Ids of the client's own strategies: read and discarded. */
  strategyId: wholeNumber.optional(),
  strategyType: wholeNumber.optional(),
  pegPriceType: z.enum(["PRIMARY_PEG", "MARKET_PEG"]).optional(),
  pegOffsetType: z.enum(["PRICE_LEVEL"]).optional(),
  pegOffsetValue: wholeNumber
    .refine((levels) => levels >= 1 && levels <= pegOffsetMax)
    .meta({ api: { type: "integer", minimum: 1, maximum: pegOffsetMax } })
    .optional(),
  /** Clients send zero for none; trailing orders are not offered. */
  trailingDelta: zeroText.optional(),
  icebergQty: decimalText.optional(),
});
export type SpotOrderParameters = z.output<typeof spotOrder>;

export const spotOrderTest = spotOrder.extend({ computeCommissionRates: truth.default(false) });

export const spotCancelReplace = spotOrder.extend({
  cancelReplaceMode: z.enum(["STOP_ON_FAILURE", "ALLOW_FAILURE"]),
  cancelOrderId: wholeNumber.optional(),
  cancelOrigClientOrderId: clientOrderId.optional(),
  cancelNewClientOrderId: clientOrderId.optional(),
  cancelRestrictions: anyText.optional(),
  /**
   * Only DO_NOTHING is offered: if the new order exceeds a rate limit, the request is refused before anything is
   * cancelled.
   */
  orderRateLimitExceededMode: z.enum(["DO_NOTHING"]).optional(),
});
export type SpotCancelReplaceParameters = z.output<typeof spotCancelReplace>;

export const spotAmend = z.object({
  ...orderReference,
  newClientOrderId: clientOrderId.optional(),
  newQty: decimalText,
});

export const spotCancel = z.object({
  ...orderReference,
  newClientOrderId: clientOrderId.optional(),
  cancelRestrictions: anyText.optional(),
});

export const spotDepth = z.object({
  symbol: symbolText,
  limit: rowLimit(100, depthLevelsMax),
  symbolStatus,
});

export const spotReferenceCalculation = z.object({ symbol: symbolText, symbolStatus });

export const spotTrades = z.object({ symbol: symbolText, limit: rowLimit(500, tapeLength) });

export const spotHistoricalTrades = z.object({
  symbol: symbolText,
  limit: rowLimit(500, tapeLength),
  fromId: wholeNumber.optional(),
});

export const spotAggTrades = z.object({
  symbol: symbolText,
  fromId: wholeNumber.optional(),
  startTime: unixMs.optional(),
  endTime: unixMs.optional(),
  limit: rowLimit(500, 1000),
});

export const spotKlines = z.object({
  symbol: symbolText,
  interval: anyText,
  startTime: unixMs.optional(),
  endTime: unixMs.optional(),
  timeZone: zoneOffset.default(0),
  limit: rowLimit(500, 1000),
});

const tickerType = z.enum(["FULL", "MINI"]).default("FULL");

export const spotDayTicker = z.object({
  symbol: symbolText.optional(),
  symbols: anyText.optional(),
  type: tickerType,
  symbolStatus,
});

export const spotTradingDay = z.object({
  symbol: symbolText.optional(),
  symbols: anyText.optional(),
  timeZone: zoneOffset.default(0),
  type: tickerType,
  symbolStatus,
});

/** Minutes 1 to 59, hours 1 to 23, days 1 to 7; parsed to milliseconds. */
const windowSize = z
  .string()
  .regex(/^([1-9]|[1-5]\d)m$|^([1-9]|1\d|2[0-3])h$|^[1-7]d$/)
  .transform((text) => Number(text.slice(0, -1)) * unitMs[text.slice(-1) as "m" | "h" | "d"])
  .default(unitMs.d)
  .meta({
    api: {
      type: "string",
      pattern: "^([1-9]|[1-5][0-9])m$|^([1-9]|1[0-9]|2[0-3])h$|^[1-7]d$",
      default: "1d",
    },
  });

export const spotWindowTicker = z.object({
  symbol: symbolText.optional(),
  symbols: anyText.optional(),
  windowSize,
  type: tickerType,
  symbolStatus,
});

export const spotSymbols = z.object({
  symbol: symbolText.optional(),
  symbols: anyText.optional(),
  symbolStatus,
});

export const spotExchangeInfo = z.object({
  symbol: symbolText.optional(),
  symbols: anyText.optional(),
  permissions: anyText.optional(),
  symbolStatus,
  showPermissionSets: truth.default(true),
});

export const spotAllOrders = z.object({
  symbol: symbolText,
  orderId: wholeNumber.optional(),
  startTime: unixMs.optional(),
  endTime: unixMs.optional(),
  limit: rowLimit(500, 1000),
});

export const spotAmendments = z.object({
  symbol: symbolText,
  orderId: wholeNumber,
  fromExecutionId: wholeNumber.default(0),
  limit: rowLimit(500, 1000),
});

/** One prevented match by its id, or those of an order; the route checks the combination. */
export const spotPreventedMatches = z.object({
  symbol: symbolText,
  preventedMatchId: wholeNumber.optional(),
  orderId: wholeNumber.optional(),
  fromPreventedMatchId: wholeNumber.optional(),
  limit: rowLimit(500, 1000),
});

export const spotAccount = z.object({ omitZeroBalances: truth.default(false) });

export const spotMyTrades = z.object({
  symbol: symbolText,
  orderId: wholeNumber.optional(),
  startTime: unixMs.optional(),
  endTime: unixMs.optional(),
  fromId: wholeNumber.optional(),
  limit: rowLimit(500, 1000),
});
