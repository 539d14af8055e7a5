// Parameters of order lists on the spot surface. The parameters of each order of a list have a prefix.

import * as z from "zod";
import { timeInForceNames } from "../../src/core/orders.ts";
import {
  clientOrderId,
  decimalText,
  rowLimit,
  side,
  symbolText,
  unixMs,
  wholeNumber,
} from "./common.ts";
import { spotOrder, zeroText } from "./spot.ts";

const { newOrderRespType, selfTradePreventionMode, cancelOnDisconnect } = spotOrder.shape;

/** Parameters of every list. */
const ofList = {
  symbol: symbolText,
  listClientOrderId: clientOrderId.optional(),
  newOrderRespType,
  selfTradePreventionMode,
  cancelOnDisconnect,
};

const legShape = {
  Type: spotOrder.shape.type,
  ClientOrderId: clientOrderId.optional(),
  Price: decimalText.optional(),
  StopPrice: decimalText.optional(),
  TimeInForce: z.enum(timeInForceNames("spot")).optional(),
  TrailingDelta: zeroText.optional(),
  IcebergQty: decimalText.optional(),
  StrategyId: wholeNumber.optional(),
  StrategyType: wholeNumber.optional(),
  PegPriceType: spotOrder.shape.pegPriceType,
  PegOffsetType: spotOrder.shape.pegOffsetType,
  PegOffsetValue: spotOrder.shape.pegOffsetValue,
};
type LegShape = typeof legShape;

/** The parameters of one order of a list: those of `legShape`, each with the prefix before its name. */
function leg<Prefix extends string>(prefix: Prefix) {
  const named = Object.entries(legShape).map(([name, schema]) => [prefix + name, schema]);
  return Object.fromEntries(named) as {
    [Name in keyof LegShape as `${Prefix}${Name}`]: LegShape[Name];
  };
}

export const spotOco = z.object({
  ...ofList,
  side,
  quantity: decimalText,
  ...leg("above"),
  ...leg("below"),
});

/** A working order waits for no trigger. */
const { workingStopPrice: _stop, workingTrailingDelta: _trailing, ...working } = leg("working");

export const spotOto = z.object({
  ...ofList,
  workingSide: side,
  workingQuantity: decimalText,
  ...working,
  pendingSide: side,
  pendingQuantity: decimalText,
  ...leg("pending"),
});

export const spotOtoco = z.object({
  ...ofList,
  workingSide: side,
  workingQuantity: decimalText,
  ...working,
  pendingSide: side,
  pendingQuantity: decimalText,
  ...leg("pendingAbove"),
  ...leg("pendingBelow"),
});

/** The pending orders sell what the working order buys, so they have no quantity. */
export const spotOpo = spotOto.omit({ pendingQuantity: true });

export const spotOpoco = spotOtoco.omit({ pendingQuantity: true });

/** The older form of an OCO: a LIMIT_MAKER order, and a STOP_LOSS or, with `stopLimitPrice`, a STOP_LOSS_LIMIT order. */
export const spotOldOco = z.object({
  ...ofList,
  side,
  quantity: decimalText,
  limitClientOrderId: clientOrderId.optional(),
  price: decimalText,
  limitStrategyId: wholeNumber.optional(),
  limitStrategyType: wholeNumber.optional(),
  limitIcebergQty: decimalText.optional(),
  trailingDelta: zeroText.optional(),
  stopClientOrderId: clientOrderId.optional(),
  stopPrice: decimalText,
  stopStrategyId: wholeNumber.optional(),
  stopStrategyType: wholeNumber.optional(),
  stopLimitPrice: decimalText.optional(),
  stopIcebergQty: decimalText.optional(),
  stopLimitTimeInForce: z.enum(timeInForceNames("spot")).optional(),
});

export const spotListCancel = z.object({
  symbol: symbolText,
  orderListId: wholeNumber.optional(),
  listClientOrderId: clientOrderId.optional(),
  newClientOrderId: clientOrderId.optional(),
});

export const spotListQuery = z.object({
  orderListId: wholeNumber.optional(),
  origClientOrderId: clientOrderId.optional(),
});

export const spotAllLists = z.object({
  fromId: wholeNumber.optional(),
  startTime: unixMs.optional(),
  endTime: unixMs.optional(),
  limit: rowLimit(500, 1000),
});
