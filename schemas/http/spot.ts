// Parameters of the spot surface (/api/v3), as texts from query and form. Parameters that are not
// listed are ignored, as Binance does; those that would change an order's meaning and are not
// offered are listed, so that a route can refuse them instead of dropping them.

import * as z from "zod";
import { depthLevelsMax, tapeLength } from "../../src/core/limits.ts";
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

export const spotOrder = z.object({
  symbol: symbolText,
  side,
  type: z.enum(["LIMIT", "MARKET", "LIMIT_MAKER"]),
  timeInForce: z.enum(["GTC", "IOC", "FOK"]).optional(),
  quantity: decimalText.optional(),
  price: decimalText.optional(),
  newClientOrderId: clientOrderId.optional(),
  newOrderRespType: z.enum(["ACK", "RESULT", "FULL"]).optional(),
  selfTradePreventionMode: z.literal("NONE").optional(),
  quoteOrderQty: decimalText.optional(),
  /** Never offered here: any value is illegal. */
  stopPrice: z.never().optional(),
  trailingDelta: z.never().optional(),
  icebergQty: z.never().optional(),
});
export type SpotOrderParameters = z.output<typeof spotOrder>;

export const spotCancel = z.object({
  ...orderReference,
  newClientOrderId: clientOrderId.optional(),
  cancelRestrictions: anyText.optional(),
});
export type SpotCancelParameters = z.output<typeof spotCancel>;

export const spotDepth = z.object({ symbol: symbolText, limit: rowLimit(100, depthLevelsMax) });

export const spotTrades = z.object({ symbol: symbolText, limit: rowLimit(500, tapeLength) });

export const spotSymbols = z.object({
  symbol: symbolText.optional(),
  symbols: anyText.optional(),
});

export const spotExchangeInfo = z.object({
  symbol: symbolText.optional(),
  symbols: anyText.optional(),
  permissions: anyText.optional(),
  symbolStatus: z.enum(["TRADING", "HALT", "BREAK"]).optional(),
  showPermissionSets: truth.default(true),
});
export type SpotExchangeInfoParameters = z.output<typeof spotExchangeInfo>;

export const spotAccount = z.object({ omitZeroBalances: truth.default(false) });

export const spotMyTrades = z.object({
  symbol: symbolText,
  orderId: wholeNumber.optional(),
  startTime: wholeNumber.optional(),
  endTime: wholeNumber.optional(),
  fromId: wholeNumber.optional(),
  limit: rowLimit(500, 1000),
});
export type SpotMyTradesParameters = z.output<typeof spotMyTrades>;
