// Proves the order ticket's arithmetic, checks and messages, for markets with coarse steps and for markets with steps
// finer than the smallest amount of money.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nativeErrors } from "../../src/adapters/gateway/native/error-map.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import { exact } from "../../web/src/markets/exact.ts";
import { type Market, marketOf } from "../../web/src/markets/market.ts";
import { estimateOf, type Holding } from "../../web/src/markets/order-estimate.ts";
import { type OrderKind, orderKinds } from "../../web/src/markets/order-kinds.ts";
import { orderRequest } from "../../web/src/markets/order-requests.ts";
import {
  blankTicket,
  limitHint,
  type Means,
  quantityOf,
  shareOf,
  type Ticket,
  ticketFault,
} from "../../web/src/markets/order-ticket.ts";
import type { OpeningTerms } from "../../web/src/member/risk/order-cover.ts";

function marketIn(tickSize: string, stepSize: string, isPerpetual = false): Market {
  const filters = [
    { filterType: "PRICE_FILTER", tickSize },
    { filterType: "LOT_SIZE", stepSize },
  ];
  const listing = { symbol: "AAABBB", status: "TRADING", baseAsset: "AAA", quoteAsset: "BBB" };
  const margins = { requiredMarginPercent: "10", maintMarginPercent: "0.5000" };
  return marketOf({ ...listing, ...margins, filters }, isPerpetual);
}

const ticket: Ticket = { ...blankTicket, price: "7" };
const nothing: Means = {
  free: undefined,
  positionQuantity: undefined,
  best: undefined,
  reach: null,
  leverage: 5,
};
const opening: OpeningTerms = {
  ...{ leverage: 5, floorLeverage: null, beside: 0n, mark: null, reducible: 0n, closable: 0n },
  ...{ quantityMax: null, levels: [] },
};
const units = (text: string) => exact(text) ?? 0n;
const tiers = [{ rate: units("0.005"), valueMax: units("1000000"), offset: 0n }];

function backedBy(collateral: string, quantity = "0", cost = "0"): Holding {
  return { quantity: units(quantity), cost: units(cost), behind: units(collateral) };
}

/**
 * Returns the quantity for `percent` of a free balance of 100.12345678 or, for a reduce-only order, of a position of
 * 3.33333333. Quantities are multiples of `step`.
 */
function share(step: string, part: Partial<Ticket>, percent: number, isPerpetual = false) {
  const means = {
    ...{ ...nothing, free: "100.12345678", positionQuantity: "3.33333333", best: "7" },
    ...(isPerpetual && { opening }),
  };
  const market = marketIn("0.01", step, isPerpetual);
  const quantity = shareOf({ ...ticket, ...part }, market, String(percent), means);
  if (quantity !== null) {
    assert.equal(ticketFault({ ...ticket, quantity }, market, means, 0), null);
  }
  return quantity;
}

const steps = ["1", "0.1", "0.001", "0.0000001"];

/** Before the log-in. */
const rates = undefined;

test("WEB-19 a part of the available balance is rounded down to steps of any size", () => {
  const told = (part: Partial<Ticket>, percent: number, isPerpetual = false) =>
    steps.map((step) => share(step, part, percent, isPerpetual));
  // 100.12345678 / 7 = 14.303350968…
  assert.deepEqual(told({}, 100), ["14", "14.3", "14.303", "14.3033509"]);
  // An order for a quantity that trades at the market reserves 5 % more than its value: 25.0308… / 7.35.
  assert.deepEqual(told({ kind: "MARKET", price: "" }, 25), ["3", "3.4", "3.405", "3.4055597"]);
  assert.deepEqual(told({ side: "SELL" }, 100), ["100", "100.1", "100.123", "100.1234567"]);
  assert.deepEqual(told({ side: "SELL" }, 75), ["75", "75.0", "75.092", "75.0925925"]);
  const reducing = { side: "SELL", isReduceOnly: true } as const;
  assert.deepEqual(told(reducing, 50, true), ["1", "1.6", "1.666", "1.6666666"]);
  // At leverage five, a thousandth of the value stays reserved for the fee: 100.12345678 * 5 / 7.035.
  assert.deepEqual(told({}, 100, true), ["71", "71.1", "71.160", "71.1609500"]);
});

test("WEB-97 a share of the balance for a TWAP leaves the 5 % that market orders reserve, or up to the user's own limit", () => {
  const twap = { kind: "TWAP", price: "" } as const;
  const all = { ...nothing, free: "735", best: "7" };
  const market = marketIn("0.01", "1");
  assert.equal(shareOf({ ...ticket, ...twap }, market, "100", all), "100");
  assert.equal(shareOf({ ...ticket, ...twap }, market, "100", { ...all, bound: "7" }), "105");
  assert.equal(shareOf({ ...ticket, ...twap, side: "SELL" }, market, "100", all), "735");
});

test("WEB-21 the liquidation price counts the greatest fee that the order can pay", () => {
  const of = (part: Partial<Ticket>) =>
    estimateOf(
      { ...ticket, quantity: "10", ...part },
      marketIn("0.001", "1", true),
      nothing,
      backedBy("14"),
      tiers,
      { maker: "0.01", taker: "0.02" },
    )?.liquidation;
  // (70 - 14 + fee) / (10 * 0.995), with 1.4 for a taker and 0.7 for an order that only makes.
  assert.equal(of({}), "5.768");
  assert.equal(of({ lifetime: "GTX" }), "5.698");
});

test("WEB-19 a step that is not a power of ten is respected, and less than one step leaves the field empty", () => {
  assert.equal(share("0.25", {}, 100), "14.25");
  assert.equal(share("50", {}, 100), null);
  assert.equal(share("1", {}, 0), null);
});

test("WEB-19 amounts finer than the smallest unit of money are computed exactly", () => {
  const market = marketIn("0.0000001", "0.0000001");
  const means = { ...nothing, free: "0.00000030" };
  assert.equal(shareOf({ ...ticket, side: "SELL" }, market, "100", means), "0.0000003");
  const value = (part: Partial<Ticket>) =>
    estimateOf({ ...ticket, ...part }, market, nothing, backedBy("0"), tiers, rates)?.value;
  assert.equal(value({ price: "0.0000003", quantity: "10000000.0000001" }), "3.000000");
  assert.equal(value({ price: "60000", quantity: "0.0000001" }), "0.006000");
});

test("WEB-32 a quantity in money or in percent becomes whole steps of the base asset", () => {
  const market = marketIn("0.01", "0.001");
  const means = { ...nothing, free: "100", best: "8" };
  const told = (part: Partial<Ticket>) => quantityOf({ ...ticket, ...part }, market, means);
  assert.equal(told({ unit: "quote", quantity: "50" }), "7.142");
  assert.equal(told({ unit: "quote", quantity: "50", kind: "MARKET" }), "6.250");
  assert.equal(told({ unit: "percent", quantity: "12.5" }), "1.785");
  assert.equal(told({ unit: "quote", quantity: "0.001" }), null);
  const fault = (part: Partial<Ticket>) =>
    ticketFault({ ...ticket, ...part }, market, { ...means, best: undefined }, 0);
  assert.equal(fault({ unit: "percent", quantity: "101" }), "Quantity: at most 100 %");
  assert.equal(
    fault({ unit: "quote", quantity: "0.001" }),
    "Quantity: below one step of 0.001 AAA",
  );
  assert.match(fault({ unit: "quote", quantity: "5", kind: "MARKET" }) ?? "", /enter it in AAA$/);
});

test("WEB-21 a liquidation price has as many decimals as the market's tick", () => {
  const of = (tick: string, part: Partial<Ticket> = {}, holding = backedBy("14")) =>
    estimateOf(
      { ...ticket, quantity: "10", ...part },
      marketIn(tick, "1", true),
      nothing,
      holding,
      tiers,
      rates,
    );
  // (70 - 14) / (10 * 0.995) = 5.62814070…
  assert.deepEqual(
    ["1", "0.1", "0.001", "0.00000001"].map((tick) => of(tick)?.liquidation),
    ["5", "5.6", "5.628", "5.62814070"],
  );
  assert.deepEqual(of("0.01"), {
    quantity: "10",
    traded: "10.000000000000000000",
    value: "70.000000",
    fullValue: "70.000000",
    fill: null,
    after: { quantity: exact("10"), cost: exact("70") },
    margin: "14.000000",
    liquidation: "5.62",
    whyNone: "",
  });
  // The margin of a third of a millionth is locked as a whole millionth.
  const third = { ...ticket, price: "1", quantity: "0.000001" };
  const market = marketIn("1", "0.000001", true);
  const means = { ...nothing, leverage: 3 };
  assert.equal(estimateOf(third, market, means, backedBy("9"), tiers, rates)?.margin, "0.000001");
});

test("WEB-21 without a liquidation price the ticket says why", () => {
  const why = (part: Partial<Ticket>, holding: Holding) =>
    estimateOf(
      { ...ticket, quantity: "10", ...part },
      marketIn("0.01", "1", true),
      nothing,
      holding,
      tiers,
      rates,
    )?.whyNone;
  assert.equal(why({}, backedBy("0")), "not enough margin");
  const early = estimateOf(
    { ...ticket, quantity: "10" },
    marketIn("0.01", "1", true),
    nothing,
    backedBy("0"),
    [],
    rates,
  );
  assert.deepEqual([early?.liquidation, early?.whyNone], [null, ""]);
  assert.equal(why({}, backedBy("80")), "your equity covers it");
  assert.equal(why({ side: "SELL" }, backedBy("14", "10", "60")), "no position left");
  // At 3, a long of 10 at 6 has lost more than the 20 behind it: no order at 3 is filled before it is liquidated.
  const lost = "your position is liquidated before the order's price";
  assert.equal(why({ price: "3" }, backedBy("20", "10", "60")), lost);
  assert.equal(why({ price: "3", side: "SELL" }, backedBy("20", "10", "60")), lost);
});

test("WEB-21 the estimate counts the position that the account has, and its other positions", () => {
  const of = (part: Partial<Ticket>, holding: Holding) =>
    estimateOf(
      { ...ticket, quantity: "10", ...part },
      marketIn("0.01", "1", true),
      nothing,
      holding,
      tiers,
      rates,
    )?.liquidation;
  // A long of 10 at 6 and one of 10 at 7: (130 - 30) / (20 * 0.995).
  assert.equal(of({}, backedBy("30", "10", "60")), "5.02");
  // Half of the long is sold at 7, which leaves what the half cost less the profit: (60 - 35 - 14) / (5 * 0.995).
  assert.equal(of({ side: "SELL", quantity: "5" }, backedBy("14", "10", "60")), "2.21");
  // A reduce-only order never turns the position around: it closes it.
  const reducing = { side: "SELL", quantity: "50", isReduceOnly: true } as const;
  assert.equal(of(reducing, backedBy("14", "10", "60")), null);
});

test("WEB-23 no order of the ticket names a leverage, whatever its kind", () => {
  const full = { ...ticket, quantity: "1", trigger: "8", takeProfit: "9", stopLoss: "5" };
  for (const isPerpetual of [true, false]) {
    const market = marketIn("0.01", "0.001", isPerpetual);
    for (const kind of Object.keys(orderKinds) as OrderKind[]) {
      const sent = JSON.stringify(orderRequest({ ...full, kind }, market, nothing, null));
      assert.doesNotMatch(sent, /leverage/i, kind);
    }
  }
});

const bounded = marketOf(
  {
    symbol: "BTCUSDT",
    status: "TRADING",
    baseAsset: "BTC",
    quoteAsset: "USDT",
    filters: [
      { filterType: "PRICE_FILTER", tickSize: "0.01", maxPrice: "1000000.00" },
      { filterType: "LOT_SIZE", stepSize: "0.001", maxQty: "1000.000" },
      { filterType: "MIN_NOTIONAL", notional: "5.00" },
      { filterType: "PERCENT_PRICE", multiplierUp: "1.0500", multiplierDown: "0.9500" },
    ],
  },
  true,
);

test("WEB-5 an error of the ticket names the field and the values it accepts", () => {
  const faultOf = (part: Partial<Ticket>) =>
    ticketFault({ ...ticket, price: "60000", quantity: "0.1", ...part }, bounded, nothing, 0);
  assert.equal(faultOf({}), null);
  assert.equal(faultOf({ quantity: "" }), "Enter a quantity");
  assert.equal(faultOf({ price: "" }), "Enter a price");
  assert.equal(faultOf({ kind: "MARKET", price: "" }), null);
  assert.equal(faultOf({ quantity: "0.0005" }), "Quantity: use a multiple of 0.001");
  assert.equal(faultOf({ price: "-5" }), "Price: enter a number above 0");
  assert.equal(faultOf({ quantity: "abc" }), "Quantity: enter a number");
  assert.equal(faultOf({ quantity: "0" }), "Quantity: enter a number above 0");
  assert.equal(faultOf({ quantity: "1000.001" }), "Quantity: at most 1,000.000");
  assert.equal(faultOf({ price: "1000000.01" }), "Price: at most 1,000,000.00");
  assert.equal(faultOf({ takeProfit: "61000.001" }), "Take profit: use a multiple of 0.01");
  assert.equal(faultOf({ stopLoss: "x" }), "Stop loss: enter a number");
  assert.equal(faultOf({ kind: "STOP_MARKET" }), "Enter a trigger price");
  assert.equal(
    faultOf({ kind: "TRAILING", callback: "21" }),
    "Trailing distance: from 0.1 to 20 %",
  );
  assert.equal(faultOf({ lifetime: "GTD" }), "Enter a date");
  const past = { lifetime: "GTD", goodTill: "1969-01-01T00:00" } as const;
  assert.equal(faultOf(past), "Good till: choose a time in the future");
  assert.equal(
    faultOf({ ...past, goodTill: "1999-01-01T00:00" }),
    "Good till: at most a year ahead",
  );
  assert.equal(
    faultOf({ kind: "SCALE", lastPrice: "61000", parts: "21" }),
    "Number of orders: from 2 to 20",
  );
  assert.equal(faultOf({ kind: "TWAP", minutes: "0" }), "Minutes: from 1 to 1440");
});

test("WEB-5 a refusal because of a limit also shows the limit", () => {
  const hint = (message: string, mark: string | undefined = "60000.00") =>
    limitHint(message, bounded, mark);
  assert.equal(
    hint(nativeErrors[RejectReason.priceOutsideBand].msg),
    "at least 57,000.00, at most 63,000.00",
  );
  assert.equal(limitHint(nativeErrors[RejectReason.priceOutsideBand].msg, bounded, undefined), "");
  assert.equal(hint(nativeErrors[RejectReason.qtyTooLarge].msg), "at most 1,000.000");
  assert.equal(hint(nativeErrors[RejectReason.notionalTooSmall].msg), "at least 5 USDT");
  assert.equal(hint("unknown symbol"), "");
});
