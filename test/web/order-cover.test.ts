// Proves what an order must have covered, and the quantity that a balance covers: margin, margin floor, loss at the mark.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cutTo, exact } from "../../web/src/markets/exact.ts";
import { floorLeverageOf, type Market, marketOf } from "../../web/src/markets/market.ts";
import {
  blankTicket,
  type Means,
  needFor,
  shareOf,
  type Ticket,
  turnedTo,
} from "../../web/src/markets/order-ticket.ts";
import { countedQuantity } from "../../web/src/member/risk/counted-orders.ts";
import {
  floorText,
  needOf,
  type OpeningTerms,
  shortfallText,
} from "../../web/src/member/risk/order-cover.ts";

const units = (text: string) => exact(text) ?? 0n;
const listing = {
  ...{ symbol: "BTCUSDT", status: "TRADING", baseAsset: "BTC", quoteAsset: "USDT" },
  ...{ requiredMarginPercent: "1", maintMarginPercent: "0.5000" },
  filters: [
    { filterType: "PRICE_FILTER", tickSize: "0.01" },
    { filterType: "LOT_SIZE", stepSize: "0.001", maxQty: "1000.000" },
  ],
};
const market: Market = marketOf(listing, true);
const free: OpeningTerms = {
  leverage: 10,
  floorLeverage: null,
  beside: 0n,
  mark: null,
  reducible: 0n,
  closable: 0n,
  quantityMax: null,
  levels: [],
};

function meansWith(terms: Partial<OpeningTerms>, part: Partial<Means> = {}): Means {
  const opening = { ...free, ...terms };
  const { leverage } = opening;
  return {
    ...{ free: "10000", positionQuantity: "0", best: "60000", reach: null },
    ...{ leverage, opening, ...part },
  };
}

const limit: Ticket = { ...blankTicket, price: "60000" };
const atMarket: Ticket = { ...blankTicket, kind: "MARKET" };

/** The quantity of 100 %; asserts that the balance covers it, and that a tenth more would not be covered if `isFull`. */
function whole(ticket: Ticket, means: Means, isFull = true): string {
  const quantity = shareOf(ticket, market, "100", means) ?? "0";
  const total = (more: bigint) => {
    const text = cutTo((units(quantity) * more) / 10n, 18);
    return needFor(ticket, means, text)?.total ?? 0n;
  };
  assert(total(10n) <= units(means.free ?? "0"), `${quantity} must be covered`);
  if (isFull) assert(total(11n) > units(means.free ?? "0"), `${quantity} must be nearly all`);
  return quantity;
}

test("WEB-85 above the floor's leverage a balance covers no more than at that leverage", () => {
  // 10,000 × 25 ÷ (60,000 × 1.025): a thousandth of the value stays free for the fee.
  assert.equal(whole(limit, meansWith({ leverage: 100, floorLeverage: 25 })), "4.065");
  assert.equal(whole(limit, meansWith({ leverage: 25, floorLeverage: 25 })), "4.065");
  assert.equal(whole(limit, meansWith({ leverage: 10, floorLeverage: 25 })), "1.650");
  assert.equal(whole(limit, meansWith({ leverage: 100 }), false), "15.151");
});

test("WEB-85 the floor of positions in other markets is taken off first", () => {
  const terms = { leverage: 10, floorLeverage: 25, beside: units("4000") };
  assert.equal(whole(limit, meansWith(terms)), "0.990");
  assert.equal(
    shareOf(limit, market, "100", meansWith({ ...terms, beside: units("10001") })),
    null,
  );
  assert.equal(shareOf(limit, market, "50", meansWith(terms)), "0.495");
});

test("WEB-85 a buy above the mark and a sell below it reserve what they lose there", () => {
  // 60,000 ÷ 10 + 60 for the fee + 600 lost at the mark.
  assert.equal(whole(limit, meansWith({ mark: units("59400") })), "1.501");
  assert.equal(whole(limit, meansWith({ mark: units("60600") })), "1.650");
  assert.equal(whole({ ...limit, side: "SELL" }, meansWith({ mark: units("60600") })), "1.501");
  // The margin of a sell is at the best bid, if its limit is lower.
  const levels = [{ price: "61000", quantity: "100" }];
  assert.equal(whole({ ...limit, side: "SELL" }, meansWith({ levels })), "1.623");
  // Of a scale, the worse end counts.
  const scale = { ...limit, kind: "SCALE", price: "59000", lastPrice: "60000" } as const;
  assert.equal(whole(scale, meansWith({ mark: units("59400") })), "1.501");
});

test("WEB-85 a market order is no larger than what the book fills at prices that are covered", () => {
  const level = (price: string, quantity: string) => ({ price, quantity });
  const mark = units("60000");
  const thin = [level("60000", "0.5"), level("60600", "0.5"), level("61200", "10")];
  // At 61,200: 6,120 + 122.4 spare + 1,200 lost at the mark.
  assert.equal(whole(atMarket, meansWith({ mark, levels: thin })), "1.343");
  // 1.500 is covered at 60,000 and at 60,600, but not at 66,000, which is beyond 5 % anyway.
  const gap = [level("60000", "0.5"), level("60600", "0.7"), level("66000", "10")];
  assert.equal(whole(atMarket, meansWith({ mark, levels: gap }), false), "1.200");
  // At the last level less is covered than before it: the order ends before it.
  const steep = [level("60000", "1.4"), level("62900", "10")];
  assert.equal(whole(atMarket, meansWith({ mark, levels: steep }), false), "1.400");
  // With a slippage limit of its own it is a limit order at the bound.
  assert.equal(whole(atMarket, meansWith({ mark, levels: thin }, { bound: "60600" })), "1.487");
});

test("WEB-85 a share exceeds neither the largest position of the leverage nor the largest order", () => {
  assert.equal(whole(limit, meansWith({ quantityMax: units("0.8") }), false), "0.800");
  assert.equal(whole(limit, meansWith({}, { free: "100000000" }), false), "1000.000");
});

test("WEB-85 what only closes needs nothing, and the rest of an order only its own margin", () => {
  const terms = { ...free, closable: units("2") };
  const order = { side: "SELL", price: units("60000"), quantity: units("2") } as const;
  assert.equal(needOf(order, terms), null);
  const more = needOf({ ...order, quantity: units("2.5") }, terms);
  assert.equal(more?.margin, units("3000"));
});

test("WEB-155 all there is closes the position, and opens what the balance covers beyond it", () => {
  const flip = { ...limit, side: "SELL" } as const;
  // 2 of the position, and 10,000 ÷ 6,060 beyond it.
  assert.equal(whole(flip, meansWith({ closable: units("2") })), "3.650");
  // A balance that covers nothing still closes.
  const none = { free: "0" };
  assert.equal(whole(flip, meansWith({ closable: units("2") }, none), false), "2.000");
  const levels = [{ price: "60000", quantity: "100" }];
  const sweep = { ...atMarket, side: "SELL" } as const;
  assert.equal(whole(sweep, meansWith({ closable: units("2"), levels })), "3.633");
  assert.equal(whole(sweep, meansWith({ closable: units("2"), levels }, none), false), "2.000");
  // 600 lost at the mark for each, also of what closes: (10,000 − 1,200) ÷ 6,660.
  const mark = units("60600");
  assert.equal(whole(flip, meansWith({ closable: units("2"), mark })), "3.321");
  // The leverage limits what is opened, and never what is closed.
  const most = { closable: units("2"), quantityMax: units("1") };
  assert.equal(whole(flip, meansWith(most), false), "2.000");
});

test("WEB-155 orders that reduce only, and those that wait for a trigger, are not counted", () => {
  const order = (type: string, reduceOnly = false) => {
    return { qty: "0.5", filled_qty: "0.1", terms: { type, reduceOnly } };
  };
  const counted = (...orders: ReturnType<typeof order>[]) =>
    cutTo(
      countedQuantity(orders, ({ terms }) => terms),
      1,
    );
  assert.equal(counted(order("LIMIT"), order("LIMIT")), "0.8");
  assert.equal(counted(order("LIMIT", true)), "0.0");
  for (const type of ["STOP", "STOP_MARKET", "TAKE_PROFIT", "TAKE_PROFIT_MARKET"]) {
    assert.equal(counted(order(type)), "0.0", type);
  }
  assert.equal(counted(order("TRAILING_STOP_MARKET")), "0.0");
  // Terms that are not read yet are no reason to open more than there is.
  assert.equal(
    countedQuantity([order("LIMIT", true)], () => undefined),
    units("0.4"),
  );
});

test("WEB-86 a shortfall names margin, floor and loss reserve, each with its amount", () => {
  const terms = {
    ...free,
    ...{ leverage: 100, floorLeverage: 25, beside: units("100"), mark: units("60400") },
  };
  const order = { side: "BUY", price: units("60450"), quantity: units("2.3") } as const;
  const need = needOf(order, terms);
  assert(need !== null);
  assert.equal(
    shortfallText(need, units("5000"), terms),
    "It needs 5,776.40 USDC: margin 1,390.35, margin floor of 4 % 4,271.05, loss reserve 115.00. " +
      "You have 5,000.00 available.",
  );
  assert.equal(shortfallText(need, units("5776.4"), terms), "");
  const plain = needOf(order, free);
  assert(plain !== null);
  assert.equal(shortfallText(plain, 0n, free), "It needs 13,903.50 USDC. You have 0.00 available.");
});

test("WEB-86 the floor is the one that the venue lists, and only above it a leverage gains nothing", () => {
  assert.equal(floorLeverageOf(listing), null);
  assert.equal(floorLeverageOf({ ...listing, openingMarginPercent: "4.00" }), 25);
  assert.equal(floorText(25, 25), "");
  assert.equal(floorText(100, null), "");
  assert.match(floorText(26, 25), /opening needs at least 4 % of the value: above 25× you cannot/);
});

test("WEB-87 the trigger of another kind never becomes the activation price of a trailing stop", () => {
  const stop: Ticket = { ...blankTicket, kind: "TAKE_PROFIT_LIMIT", trigger: "2940" };
  assert.equal(turnedTo("TRAILING", stop, market).trigger, "");
  const trailing: Ticket = { ...stop, kind: "TRAILING" };
  assert.equal(turnedTo("STOP_MARKET", trailing, market).trigger, "");
  assert.equal(turnedTo("LIMIT", trailing, market).trigger, "");
  assert.equal("trigger" in turnedTo("STOP_MARKET", stop, market), false);
});
