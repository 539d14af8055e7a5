// Orders and trades. Commands are requests, events are their results; in the order of their codes.

import {
  account,
  amount,
  anyLots,
  anyNumber,
  anyTicks,
  anyTimeUs,
  basisPoints,
  bit,
  code,
  type Fields,
  fee,
  flag,
  inPart,
  lots,
  market,
  named,
  optionalCode,
  optionalFlag,
  orderId,
  quoteAmount,
  recordOrNull,
  requestKeyOrNull,
  shownTo,
  text,
  ticks,
  timeUs,
  tradeId,
} from "./fields.ts";
import type { CommandRows, EventRows } from "./rows.ts";

const accepted = {
  orderId: orderId(),
  market: market(),
  side: code("Side"),
  type: code("OrderType"),
  timeInForce: code("TimeInForce"),
  price: ticks("the limit; for MARKET the protection price at which the sweep stops."),
  qty: lots(),
  marginPrice: ticks(
    "perpetuals: where margin is reserved (the limit, or for sells the market if higher).",
  ),
  marginLots: named(
    "margin_qty",
    lots("perpetuals: those that need margin, the rest only closes a position. Spot: 0."),
  ),
  isReduceOnly: named("reduce_only", bit("flags", 1)),
  stpMode: code("StpMode"),
  clientId: text("Empty when the client gave none: it is then derived from the order id."),
} satisfies Fields;

const acceptedLayout = [
  ...["orderId", "qty", "marginLots", "price", "marginPrice", "market", "side", "type"],
  ...["timeInForce", "clientIdLength", "flags", "stpMode"],
];

export const orderEvents = {
  orderAccepted: {
    code: 16,
    description: "An order was accepted.",
    fields: accepted,
    layout: acceptedLayout,
  },
  traded: {
    code: 17,
    description:
      "One match. A fully filled order closes by it; no further event follows for that order.",
    fields: {
      tradeId: tradeId(),
      market: market(),
      takerSide: code("Side"),
      takerOrderId: orderId(),
      makerOrderId: orderId(),
      makerAccount: shownTo("maker", "account", account()),
      price: ticks(),
      qty: lots(),
      takerFee: shownTo(
        "taker",
        "fee",
        fee("the asset received (spot) or the margin asset (perpetuals)."),
      ),
      makerFee: shownTo("maker", "fee", fee()),
      takerPnl: shownTo(
        "taker",
        "pnl",
        quoteAmount("perpetuals: realised profit before fees. Spot: 0."),
      ),
      makerPnl: shownTo("maker", "pnl", quoteAmount()),
    },
    layout: [
      ...["tradeId", "takerOrderId", "makerOrderId", "qty", "takerFee", "makerFee"],
      ...["takerPnl", "makerPnl", "price", "makerAccount", "market", "takerSide"],
    ],
    hasSides: true,
  },
  orderClosed: {
    code: 18,
    description: "An order left the book unfilled in whole or part.",
    fields: { orderId: orderId(), market: market(), reason: code("CloseReason") },
  },
  specialAccepted: {
    code: 19,
    description:
      "An order with an expiry, an amount instead of lots, or a trigger. A conditional one waits off the book: " +
      "`price` is its limit or 0, and on perpetuals it holds no margin until it triggers.",
    fields: {
      ...accepted,
      quoteQty: quoteAmount(
        "spot MARKET by amount: what to spend or to raise; 0 for an order by lots.",
      ),
      goodTillUs: timeUs("when a GTD order expires; else 0."),
      triggerPrice: ticks(
        "conditional: where it triggers; 0 for trailing orders. LIMIT and MARKET of perpetuals: the stop loss.",
      ),
      workingPrice: code("WorkingPrice", "Conditional: what its trigger watches."),
      trailingBps: basisPoints(
        "trailing: distance from the best price at which it triggers; else 0.",
      ),
      activationPrice: ticks(
        "trailing: what must be reached before it follows the price; 0 for at once. LIMIT and MARKET of " +
          "perpetuals: the take profit.",
      ),
      closesPosition: bit(
        "flags",
        2,
        "Conditional: closes the whole position it finds when it triggers; its quantity is then 0.",
      ),
    },
    layout: [
      ...acceptedLayout,
      ...["goodTillUs", "quoteQty", "triggerPrice", "activationPrice", "trailingBps"],
      "workingPrice",
    ],
  },
  orderTriggered: {
    code: 20,
    description:
      "A conditional order went to its book, on these terms; its fills and close follow in the transaction.",
    fields: {
      orderId: orderId(),
      market: market(),
      price: ticks("its limit, or the protection price of a market order."),
      qty: lots("its quantity, or those of the position it closes."),
      marginPrice: ticks(),
    },
  },
  orderAmended: {
    code: 21,
    description:
      "An open order has new terms; fills follow in the transaction where it came back to the book and traded.",
    fields: {
      orderId: orderId(),
      market: market(),
      price: ticks(),
      qty: lots("of the whole order, its filled part included."),
      marginPrice: ticks(),
      isRequeued: named("requeued", flag("True if it has lost its place in the queue.")),
    },
  },
  orderReduced: {
    code: 22,
    description: "Self-trade prevention took lots off an order that stays open.",
    fields: {
      orderId: orderId(),
      market: market(),
      qty: lots("taken off its quantity."),
    },
  },
  countdownSet: {
    code: 23,
    description: "When all of the account's orders in the market are cancelled.",
    fields: { market: market(), cancelAtUs: timeUs("0: not by a countdown.") },
  },
  matchPrevented: {
    code: 48,
    description:
      "Two orders of the account met and did not trade. What either lost by it follows in the transaction.",
    fields: {
      market: market(),
      takerOrderId: orderId("The incoming order, whose mode decided."),
      makerOrderId: orderId(),
      stpMode: code("StpMode"),
      price: ticks("the resting order's, at which they would have traded."),
      takerQty: lots("lost by it; 0 for an order that stays as it was, and for one by amount."),
      makerQty: lots(),
    },
  },
} as const satisfies EventRows;

const orderRef = {
  orderId: anyNumber("The venue's id, or 0 to find the order by `clientId`."),
} satisfies Fields;

export const orderCommands: CommandRows = {
  placeOrder: {
    code: 1,
    description: "Places an order.",
    fields: {
      market: market(),
      side: code("Side"),
      type: code("OrderType"),
      timeInForce: code("TimeInForce"),
      price: anyTicks("0 for types that trade at the market."),
      qty: anyLots("0 where `quoteQty` or `closesPosition` says how much."),
      isReduceOnly: bit("flags", 1, "Perpetuals: it only ever makes a position smaller."),
      closesPosition: bit(
        "flags",
        2,
        "Conditional: closes the whole position it finds when it triggers; its quantity is then 0.",
      ),
      stpMode: code("StpMode"),
      workingPrice: code("WorkingPrice", "Conditional: what its trigger watches."),
      quoteQty: inPart(
        "special",
        amount(
          "spot MARKET by amount: of the quote, to spend or to raise; 0 for an order by lots.",
        ),
      ),
      goodTillUs: inPart("special", anyTimeUs("when a GTD order expires; else 0.")),
      triggerPrice: inPart(
        "special",
        anyTicks(
          "conditional: where it triggers; 0 for trailing orders. LIMIT and MARKET of perpetuals: the stop loss.",
        ),
      ),
      activationPrice: inPart(
        "special",
        anyTicks(
          "trailing: what must be reached before it follows the price; 0 for at once. LIMIT and MARKET of " +
            "perpetuals: the take profit.",
        ),
      ),
      trailingBps: inPart(
        "special",
        anyNumber(
          "Trailing: distance from the best price at which it triggers, in basis points; else 0.",
        ),
      ),
      clientId: text("1–36 characters of the client's choosing, or empty: the venue derives one."),
      attached: recordOrNull(
        "OrderAttachments",
        { byte: "flags", mask: 8 },
        {
          key: { ...requestKeyOrNull(""), bit: { byte: "flags", mask: 16 } },
          leverage: anyNumber(),
        },
        "Null for an order that comes alone.",
      ),
    },
    layout: [
      ...["price", "qty", "market", "side", "type", "timeInForce", "flags", "stpMode"],
      "workingPrice",
    ],
    // A plain order carries no bytes for special options.
    parts: { special: { byte: "flags", mask: 4 } },
  },
  cancelOrder: {
    code: 2,
    description: "Cancels an open order.",
    fields: {
      market: market(),
      ...orderRef,
      clientId: text(),
      onlyIf: optionalCode("CancelCondition", 0, "Absent: whatever it has traded."),
    },
  },
  cancelAllOrders: {
    code: 3,
    description: "Cancels all open orders of the account in the market.",
    fields: { market: market() },
  },
  amendOrder: {
    code: 14,
    description: "Changes price and whole quantity of an open limit order, which keeps its id.",
    fields: {
      market: market(),
      ...orderRef,
      price: anyTicks("0 to leave the price as it is."),
      qty: anyLots("of the whole order, its filled part included."),
      clientId: text(),
      side: optionalCode(
        "Side",
        2,
        "The side its owner takes it to have; null or absent where none is named.",
        true,
      ),
      growsNot: optionalFlag("True for an amend that may only take lots off."),
    },
  },
  setCountdown: {
    code: 15,
    description:
      "All orders of the account in the market are cancelled at `cancelAtUs` unless it is set anew.",
    fields: { market: market(), cancelAtUs: anyTimeUs("0 switches it off.") },
  },
};
