// SBE templates of the market data streams.

import { decimal, exponent, flag, group, message, text, time, whole } from "./fields.ts";

const levels = group(16, { price: decimal("priceExponent"), qty: decimal("qtyExponent") });

/** Events of market data streams. */
export const streamEvents = {
  TradesStreamEvent: message(10000, {
    eventTime: time(),
    transactTime: time(),
    priceExponent: exponent(),
    qtyExponent: exponent(),
    trades: group(32, {
      id: whole("int64"),
      price: decimal("priceExponent"),
      qty: decimal("qtyExponent"),
      isBuyerMaker: flag(),
    }),
    symbol: text(8),
  }),
  BestBidAskStreamEvent: message(10001, {
    eventTime: time(),
    bookUpdateId: whole("int64"),
    priceExponent: exponent(),
    qtyExponent: exponent(),
    bidPrice: decimal("priceExponent"),
    bidQty: decimal("qtyExponent"),
    askPrice: decimal("priceExponent"),
    askQty: decimal("qtyExponent"),
    symbol: text(8),
  }),
  DepthSnapshotStreamEvent: message(10002, {
    eventTime: time(),
    bookUpdateId: whole("int64"),
    priceExponent: exponent(),
    qtyExponent: exponent(),
    bids: levels,
    asks: levels,
    symbol: text(8),
  }),
  DepthDiffStreamEvent: message(10003, {
    eventTime: time(),
    firstBookUpdateId: whole("int64"),
    lastBookUpdateId: whole("int64"),
    priceExponent: exponent(),
    qtyExponent: exponent(),
    bids: levels,
    asks: levels,
    symbol: text(8),
  }),
} as const;
