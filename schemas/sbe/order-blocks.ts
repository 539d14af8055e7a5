// Fields that several SBE templates of spot orders and order lists share, in the order of the published schema.

import { code, decimal, exponent, type Fields, flag, group, text, time, whole } from "./fields.ts";

/** Exponents of prices and of quantities. */
export const exponents: Fields = {
  priceExponent: exponent(),
  qtyExponent: exponent(),
};

/** An order that was accepted. */
export const acknowledged: Fields = {
  orderId: whole("int64"),
  orderListId: whole("int64", { isOptional: true, absent: -1 }),
  transactTime: time(),
};

/** Terms of an order, and how far it is filled. */
export const terms: Fields = {
  price: decimal("priceExponent"),
  origQty: decimal("qtyExponent"),
  executedQty: decimal("qtyExponent"),
  cummulativeQuoteQty: decimal("priceExponent"),
  status: code("orderStatus"),
  timeInForce: code("timeInForce"),
  orderType: code("orderType", { path: "type" }),
  side: code("orderSide"),
  stopPrice: decimal("priceExponent", { isOptional: true }),
  trailingDelta: whole("int64", { isOptional: true }),
  trailingTime: time({ isOptional: true }),
};

/** How an order is handled beside its terms. */
export const handling: Fields = {
  strategyId: whole("int64", { isOptional: true }),
  strategyType: whole("int32", { isOptional: true }),
  orderCapacity: code("orderCapacity"),
  workingFloor: code("floor"),
  selfTradePreventionMode: code("selfTradePreventionMode"),
};

/** Where the price of a pegged order comes from. */
export const peg: Fields = {
  pegPriceType: code("pegPriceType", { isOptional: true }),
  pegOffsetType: code("pegOffsetType", { isOptional: true }),
  pegOffsetValue: whole("uint8", { isOptional: true }),
  peggedPrice: decimal("priceExponent", { isOptional: true }),
};

/** An order that was cancelled. */
export const cancelled: Fields = {
  ...acknowledged,
  ...terms,
  icebergQty: decimal("qtyExponent", { isOptional: true }),
  ...handling,
  preventedQuantity: decimal("qtyExponent"),
  usedSor: flag(),
  origQuoteOrderQty: decimal("priceExponent"),
  ...peg,
};

/** An order that was placed. */
export const placed: Fields = {
  ...acknowledged,
  ...terms,
  workingTime: time({ isOptional: true, absent: -1 }),
  icebergQty: decimal("qtyExponent", { isOptional: true }),
  ...handling,
  tradeGroupId: whole("int64", { isOptional: true }),
  preventedQuantity: decimal("qtyExponent"),
  usedSor: flag(),
  origQuoteOrderQty: decimal("priceExponent"),
  ...peg,
  expiryReason: code("expiryReason", { isOptional: true }),
};

/** Fills of an order; quantities and prices have the exponents of its block. */
export const fills = group(32, {
  commissionExponent: exponent(),
  matchType: code("matchType"),
  price: decimal("priceExponent"),
  qty: decimal("qtyExponent"),
  commission: decimal("commissionExponent"),
  tradeId: whole("int64", { isOptional: true }),
  allocId: whole("int64", { isOptional: true }),
  commissionAsset: text(8, { isOptional: true }),
});

export const preventedMatches = group(32, {
  preventedMatchId: whole("int64"),
  makerOrderId: whole("int64", { isOptional: true }),
  price: decimal("priceExponent", { isOptional: true }),
  takerPreventedQuantity: decimal("qtyExponent", { isOptional: true }),
  makerPreventedQuantity: decimal("qtyExponent", { isOptional: true }),
  makerSymbol: text(8, { isOptional: true }),
});

/** An order of an order list. */
export const listed: Fields = {
  orderId: whole("int64"),
  symbol: text(8),
  clientOrderId: text(8),
};
