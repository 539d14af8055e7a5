// Orders and trades. Commands are requests, events are their results; both are in the order of their codes.

import { quoteSidesMax } from "../../src/core/limits.ts";
import { listTextMax } from "../../src/core/order-lists.ts";
import {
  account,
  amount,
  anyLots,
  anyNumber,
  anyTicks,
  anyTimeUs,
  basisPoints,
  bit,
  bits16,
  bits32,
  code,
  count8,
  type Field,
  type Fields,
  fee,
  flag,
  inPart,
  longText,
  lots,
  market,
  named,
  optionalCode,
  optionalFlag,
  optionalNumber,
  orderId,
  quoteAmount,
  recordOrNull,
  requestKeyOrNull,
  shownTo,
  text,
  ticks,
  timeUs,
  tradeId,
  words,
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
    "perpetuals: the price at which margin is reserved (the limit; for sells the market price if higher).",
  ),
  marginLots: named(
    "margin_qty",
    lots("perpetuals: lots that need margin; the rest only closes a position. Spot: 0."),
  ),
  isReduceOnly: named("reduce_only", bit("flags", 1)),
  stpMode: code("StpMode"),
  clientId: text("Empty if the client gave none; it is then derived from the order id."),
} satisfies Fields;

const acceptedLayout = [
  ...["orderId", "qty", "marginLots", "price", "marginPrice", "market", "side", "type"],
  ...["timeInForce", "clientIdLength", "flags", "stpMode"],
];

const amended = {
  ...{ orderId: orderId(), market: market(), price: ticks() },
  qty: lots("of the whole order, including its filled part."),
  marginPrice: ticks(),
  isRequeued: named("requeued", flag("True if it lost its queue priority.")),
} satisfies Fields;

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
      "One match. It also closes a fully filled order; no further event follows for that order.",
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
    description: "An order left the book, or stopped waiting, without being fully filled.",
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
        "spot MARKET by amount: the amount to spend or receive; 0 for an order by lots.",
      ),
      goodTillUs: timeUs("when a GTD order expires; else 0."),
      triggerPrice: ticks(
        "conditional: the trigger; 0 for trailing orders. LIMIT and MARKET of perpetuals: the stop loss.",
      ),
      workingPrice: code(
        "WorkingPrice",
        "Conditional: the price with which the trigger is compared.",
      ),
      trailingBps: basisPoints(
        "trailing: how far the price must turn back from its best value to trigger; else 0.",
      ),
      activationPrice: ticks(
        "trailing: the price at which it starts to follow; 0 for immediately. LIMIT and MARKET of perpetuals: " +
          "the take profit.",
      ),
      closesPosition: bit(
        "flags",
        2,
        "Conditional: closes the whole position when it triggers; its quantity is then 0.",
      ),
    },
    layout: [
      ...acceptedLayout,
      ...["goodTillUs", "quoteQty", "triggerPrice", "activationPrice", "trailingBps"],
      "workingPrice",
    ],
  },
  icebergAccepted: {
    code: 62,
    description:
      "An iceberg order was accepted: a spot limit order that shows its book no more than `icebergQty` lots at a time. " +
      "A conditional one waits off the book.",
    fields: {
      ...accepted,
      triggerPrice: ticks("conditional: the trigger; else 0."),
      icebergQty: lots("of one slice; fewer than the quantity."),
    },
    layout: [...acceptedLayout, "icebergQty", "triggerPrice"],
  },
  orderTriggered: {
    code: 20,
    description:
      "A conditional order triggered and went to its book on these terms; fills and close follow in the transaction.",
    fields: {
      orderId: orderId(),
      market: market(),
      price: ticks("its limit, or the protection price of a market order."),
      qty: lots("its quantity, or that of the position it closes."),
      marginPrice: ticks(),
    },
  },
  orderAmended: {
    code: 21,
    description:
      "An open order was amended; fills follow in the transaction if it traded on re-entering the book.",
    fields: amended,
  },
  orderReduced: {
    code: 22,
    description: "Self-trade prevention reduced an order that stays open.",
    fields: { orderId: orderId(), market: market(), qty: lots("removed from its quantity.") },
  },
  countdownSet: {
    code: 23,
    description:
      "A countdown was set or stopped: at its end, all of the account's orders in the market are cancelled.",
    fields: { market: market(), cancelAtUs: timeUs("0: no countdown.") },
  },
  matchPrevented: {
    code: 48,
    description:
      "Self-trade prevention kept two orders of the account from trading; their reductions or closes follow in the " +
      "transaction.",
    fields: {
      market: market(),
      takerOrderId: orderId("The incoming order, whose mode applies."),
      makerOrderId: orderId(),
      stpMode: code("StpMode"),
      price: ticks("the resting order's price, at which they would have traded."),
      takerQty: lots(
        "lost by the incoming order; 0 for an unchanged order and for an order by amount.",
      ),
      makerQty: lots("lost by the resting order; 0 for an unchanged order."),
    },
  },
  orderListAccepted: {
    code: 60,
    description:
      "A list of orders was accepted. The acceptances of its orders follow in the transaction, with consecutive ids.",
    fields: {
      listId: orderId("The id of the list's first order."),
      market: market(),
      listType: code("OrderListType"),
      listClientId: text("Empty if the client gave none; it is then derived from the id."),
    },
  },
  orderReleased: {
    code: 61,
    description:
      "The working order of a list was filled, so its pending conditional order now waits for its trigger and holds its " +
      "cost.",
    fields: {
      orderId: orderId(),
      market: market(),
      qty: lots("of the order, which for one that its working order pays for are known only now."),
    },
  },
  orderPegged: {
    code: 63,
    description:
      "The order just accepted waits, and will take its price from the book when it goes there; `price` of its " +
      "acceptance is the worst one that it may get, or 0 for any.",
    fields: {
      orderId: orderId(),
      market: market(),
      peg: code("Peg"),
    },
  },
  quoteAmended: {
    code: 64,
    description:
      "A mass quote amended one side of a quote. The sides that it amended are in one transaction.",
    fields: {
      ...amended,
      sinceFirst: count8(
        "Events since the first side that the mass quote amended; 0 for that side.",
      ),
      sides: bits32(
        "of the first side: one for each side that was amended, even for bids; else 0.",
      ),
    },
  },
  orderPeggedBehind: {
    code: 65,
    description:
      "The same as `orderPegged`, of an order that takes the price of a level behind the best one.",
    fields: {
      orderId: orderId(),
      market: market(),
      peg: code("Peg"),
      pegOffset: count8("Levels behind the best price, at least 1."),
    },
  },
} as const satisfies EventRows;

/** One order of a list: present if the bit `mask` of the flags is set. */
function leg(mask: number): Field {
  return recordOrNull(
    "ListLeg",
    { byte: "flags", mask },
    {
      side: code("Side"),
      type: code("OrderType"),
      timeInForce: code("TimeInForce"),
      price: anyTicks(
        "0 for types that trade at the market, and for a pegged order without a limit.",
      ),
      qty: anyLots(),
      triggerPrice: anyTicks("conditional: the trigger; else 0."),
      icebergQty: anyLots("limit orders: shown at a time; 0 to show the whole quantity."),
      peg: code("Peg", "Limit orders that wait: from which price of the book they take theirs."),
      pegOffset: count8("Levels behind that price."),
    },
    "Null if the list has no such order.",
  );
}

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
      price: anyTicks(
        "0 for types that trade at the market, and for a pegged order without a limit.",
      ),
      qty: anyLots("0 if `quoteQty` or `closesPosition` determines the quantity."),
      isReduceOnly: bit("flags", 1, "Perpetuals: it only reduces a position."),
      closesPosition: bit(
        "flags",
        2,
        "Conditional: closes the whole position when it triggers; its quantity is then 0.",
      ),
      reusesClientId: bit(
        "flags",
        32,
        "It replaces an order that was just cancelled, and may have its client id.",
      ),
      stpMode: code("StpMode"),
      workingPrice: code(
        "WorkingPrice",
        "Conditional: the price with which the trigger is compared.",
      ),
      quoteQty: inPart(
        "special",
        amount("spot MARKET by amount: of the quote, to spend or receive; 0 for an order by lots."),
      ),
      goodTillUs: inPart("special", anyTimeUs("when a GTD order expires; else 0.")),
      triggerPrice: inPart(
        "special",
        anyTicks(
          "conditional: the trigger; 0 for trailing orders. LIMIT and MARKET of perpetuals: the stop loss.",
        ),
      ),
      activationPrice: inPart(
        "special",
        anyTicks(
          "trailing: the price at which it starts to follow; 0 for immediately. LIMIT and MARKET of " +
            "perpetuals: the take profit.",
        ),
      ),
      trailingBps: inPart(
        "special",
        anyNumber(
          "Trailing: how far the price must turn back from its best value to trigger, in basis points; else 0.",
        ),
      ),
      icebergQty: inPart(
        "special",
        anyLots("spot limit orders: shown at a time; 0 to show the whole quantity."),
      ),
      peg: inPart(
        "special",
        code("Peg", "Spot stop-limit orders: from which price of the book they take theirs."),
      ),
      pegOffset: inPart("special", count8("Levels behind that price.")),
      clientId: text("1–36 characters chosen by the client; if empty, the venue derives one."),
      attached: recordOrNull(
        "OrderAttachments",
        { byte: "flags", mask: 8 },
        {
          key: { ...requestKeyOrNull(""), bit: { byte: "flags", mask: 16 } },
          leverage: anyNumber(),
          connection: optionalNumber(""),
        },
        "Null for an order without attachments.",
      ),
    },
    layout: [
      ...["price", "qty", "market", "side", "type", "timeInForce", "flags", "stpMode"],
      "workingPrice",
    ],
    // An order whose `special` fields are all zero has no bytes for them.
    parts: { special: { byte: "flags", mask: 4 } },
  },
  cancelOrder: {
    code: 2,
    description: "Cancels an open order.",
    fields: {
      market: market(),
      ...orderRef,
      clientId: text(),
      onlyIf: optionalCode("CancelCondition", 0, "Absent: regardless of fills."),
    },
  },
  cancelAllOrders: {
    code: 3,
    description: "Cancels all open orders of the account in the market.",
    fields: { market: market() },
  },
  cancelOrders: {
    code: 38,
    description:
      "Cancels the account's open orders in some markets, of a side, or in a band of limit prices.",
    fields: {
      markets: bits16("one for each market, by its number."),
      side: optionalCode("Side", 2, "Null or absent for both sides.", true),
      minPrice: anyTicks("0 for no lower bound."),
      maxPrice: anyTicks("0 for no upper bound."),
      group: anyNumber("A maker group whose orders are meant, instead of `markets`; 0 for none."),
    },
  },
  massQuote: {
    code: 41,
    description:
      "Sets the two-sided quotes of a maker in a market: places, amends or cancels the order of each named side.",
    fields: {
      market: market(),
      connection: optionalNumber(
        "The order connection that sent it, if that cancels on disconnect; 0 or absent for none.",
      ),
      sides: bits32("the sides that the command names: two for each quote, the bid's first."),
      quotes: words(
        2 * quoteSidesMax,
        "Ticks and open lots of each side, in the order of `sides`; 0 lots for no order.",
      ),
    },
  },
  amendOrder: {
    code: 14,
    description: "Changes price and whole quantity of an open limit order, which keeps its id.",
    fields: {
      market: market(),
      ...orderRef,
      price: anyTicks("0 keeps the price."),
      qty: anyLots("of the whole order, including its filled part."),
      clientId: text(),
      side: optionalCode(
        "Side",
        2,
        "The side that the client expects the order to have; null or absent if not stated.",
        true,
      ),
      growsNot: optionalFlag("True for an amend that may only reduce the quantity."),
      connection: optionalNumber(
        "The order connection that sent it, if that cancels on disconnect; 0 or absent for none.",
      ),
    },
  },
  setCountdown: {
    code: 15,
    description:
      "Cancels all orders of the account in the market at `cancelAtUs`, unless it is renewed.",
    fields: { market: market(), cancelAtUs: anyTimeUs("0 stops it.") },
  },
  placeList: {
    code: 45,
    description:
      "Places a list of orders. The working order comes first, then the stop loss of an OCO, then its other order.",
    fields: {
      market: market(),
      listType: code("OrderListType"),
      stpMode: code("StpMode"),
      first: leg(1),
      second: leg(2),
      third: leg(4),
      clientIds: longText(
        listTextMax,
        "The client ids of the list and of its orders, separated by spaces; an empty one is derived.",
      ),
      connection: optionalNumber(
        "The order connection that sent it, if that cancels on disconnect; 0 or absent for none.",
      ),
    },
  },
};
