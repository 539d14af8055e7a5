// Proves what the ticket says of an order before it is sent: what the book would fill, the fees, and why the venue would
// refuse it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketBandBps } from "../../src/core/limits.ts";
import { exact } from "../../web/src/markets/exact.ts";
import { marketOf } from "../../web/src/markets/market.ts";
import { estimateOf } from "../../web/src/markets/order-estimate.ts";
import { guardedPrices, guardFault, noGuards } from "../../web/src/markets/order-guards.ts";
import { orderRequest } from "../../web/src/markets/order-requests.ts";
import {
  blankTicket,
  filledShare,
  type Means,
  quantityOf,
  type Ticket,
} from "../../web/src/markets/order-ticket.ts";
import { marketReach } from "../../web/src/markets/ticket/book-fill.ts";
import { feesOf } from "../../web/src/markets/ticket/fees.ts";
import { farPriceNote, lateStopNote } from "../../web/src/markets/ticket/order-warnings.ts";
import { ticketNote } from "../../web/src/markets/ticket/ticket-notes.ts";
import type { OpeningTerms } from "../../web/src/member/risk/order-cover.ts";
import { costLines, summaryOf } from "../../web/src/views/trade/order-summary.ts";

function marketIn(isPerpetual: boolean) {
  const [baseAsset, quoteAsset] = ["CBTC", "USDC"];
  const filters = [
    { filterType: "PRICE_FILTER", tickSize: "0.01" },
    { filterType: "LOT_SIZE", stepSize: "0.0001" },
    { filterType: "ICEBERG_PARTS", limit: 10 },
    { filterType: "NOTIONAL", minNotional: "10.00000000" },
    { filterType: "PERCENT_PRICE", multiplierUp: "5", multiplierDown: "0.2" },
  ];
  const margins = { requiredMarginPercent: "10", maintMarginPercent: "0.5000" };
  const names = { symbol: "CBTC-USDC", status: "TRADING", baseAsset, quoteAsset };
  return marketOf({ ...names, ...margins, filters }, isPerpetual);
}

const [spot, perpetual] = [marketIn(false), marketIn(true)];
const levels = [
  { price: "60000", quantity: "0.5" },
  { price: "60600", quantity: "0.5" },
  { price: "61200", quantity: "1" },
  { price: "64000", quantity: "9" },
];
const atMarket: Ticket = { ...blankTicket, kind: "MARKET" };
const atLimit: Ticket = { ...blankTicket, kind: "LIMIT", price: "60000" };
const means: Means = {
  free: undefined,
  positionQuantity: undefined,
  best: "60000",
  reach: { levels, percent: marketReach, isOwn: false },
  leverage: 10,
};
const limitMeans = { ...means, reach: null };
const nothing = { quantity: 0n, cost: 0n, behind: 0n };

function estimate(part: Partial<Ticket>, of = means, market = spot) {
  return estimateOf({ ...atMarket, ...part }, market, of, nothing, [], undefined);
}

test("WEB-60 the page's reach of market orders is the venue's", () => {
  assert.equal(Number(marketReach) * 100, marketBandBps);
});

test("WEB-60 the estimate of a market order takes the levels of the book one after another", () => {
  const inside = estimate({ quantity: "0.5" });
  assert.deepEqual([inside?.value, Number(inside?.fill?.slippage)], ["30000.000000", 0]);
  // 0.5 at 60,000, 0.5 at 60,600, 0.5 at 61,200.
  const deep = estimate({ quantity: "1.5" });
  assert.equal(deep?.value, "90900.000000");
  assert.deepEqual(
    [deep?.fill?.average, deep?.fill?.slippage, deep?.fill?.unfilled].map(Number),
    [60600, 1, 0],
  );
});

const opening: OpeningTerms = {
  ...{ leverage: 10, floorLeverage: null, beside: 0n, mark: null, reducible: 0n, closable: 0n },
  ...{ quantityMax: null, levels: [] },
};
const held = (quantity: string): OpeningTerms => {
  const units = exact(quantity) ?? 0n;
  return { ...opening, reducible: units, closable: units };
};

test("WEB-155 the margin of an order is that of what it opens: none of what it closes", () => {
  const margin = (part: Partial<Ticket>, of: OpeningTerms, known: Means = means) =>
    Number(estimate(part, { ...known, opening: of }, perpetual)?.margin);
  assert.equal(margin({ quantity: "1.5" }, opening), 9090);
  assert.equal(margin({ quantity: "1.5" }, held("1.5")), 0);
  assert.equal(margin({ quantity: "1.5" }, held("9")), 0);
  // What comes first closes: the rest is 0.5 at 61,200.
  assert.equal(margin({ quantity: "1.5" }, held("1")), 3060);
  assert.equal(margin({ quantity: "1.5", isReduceOnly: true }, opening), 0);
  const limit = { kind: "LIMIT", price: "50000", quantity: "1" } as const;
  assert.equal(margin(limit, held("1"), limitMeans), 0);
  assert.equal(margin(limit, held("0.4"), limitMeans), 3000);
  // Two orders of 0.5, of which the first closes and a half of the second: 0.25 at 60,000.
  const scale = { kind: "SCALE", price: "50000", lastPrice: "60000", parts: "2" } as const;
  assert.equal(margin({ ...scale, quantity: "1" }, held("0.75"), limitMeans), 1500);
});

test("WEB-156 a reduce-only order without a position to reduce is named, whatever its kind", () => {
  const buys = { isReduceOnly: true, quantity: "0.1", trigger: "61000" } as const;
  const kinds = ["LIMIT", "MARKET", "STOP_MARKET", "TRAILING", "SCALE", "TWAP"] as const;
  for (const kind of kinds) {
    const own = "Reduce only: you have no short position to reduce";
    assert.equal(note({ ...buys, kind }, { opening }, perpetual), own, kind);
  }
  assert.equal(note({ ...buys, kind: "MARKET" }, { opening: held("0.1") }, perpetual), "");
  const unknown = { ...opening, reducible: null };
  assert.equal(note({ ...buys, kind: "MARKET" }, { opening: unknown }, perpetual), "");
  const sells = { ...buys, side: "SELL", quantity: "" } as const;
  assert.match(note(sells, { opening }, perpetual), /no long position to reduce$/);
});

test("WEB-157 a limit price further through the book than an order at the market trades is warned of", () => {
  const far = (part: Partial<Ticket>) => farPriceNote({ ...atLimit, ...part }, { best: "60000" });
  assert.equal(far({ price: "63000" }), "");
  assert.match(far({ price: "66000" }), /^This price is 10\.0 % above the best sell: /);
  assert.match(far({ side: "SELL", price: "54000" }), /^This price is 10\.0 % below the best buy/);
  assert.equal(far({ price: "6000" }), "");
  assert.equal(far({ kind: "MARKET", price: "66000" }), "");
});

test("WEB-157 a stop that comes after the liquidation of the position is named as too late", () => {
  const long = { side: "LONG", liquidation_price: "50000" } as const;
  const late = (part: Partial<Ticket>) =>
    lateStopNote({ ...blankTicket, kind: "STOP_MARKET", side: "SELL", ...part }, perpetual, long);
  assert.match(late({ trigger: "49000" }), /^Too late: the position is liquidated at 50,000\.00/);
  assert.equal(late({ trigger: "51000" }), "");
  assert.equal(late({ trigger: "49000", side: "BUY" }), "");
  assert.equal(late({ trigger: "49000", kind: "TAKE_PROFIT_MARKET" }), "");
});

test("WEB-60 what the book lacks within the reach is not part of the value", () => {
  const over = estimate({ quantity: "3" });
  assert.deepEqual([over?.value, Number(over?.fill?.unfilled)], ["121500.000000", 1]);
  // 1 at 61,200, the worst price reached.
  assert.equal(over?.fullValue, "182700.000000");
  const own = { ...means, reach: { levels, percent: "1", isOwn: true } };
  assert.deepEqual(
    [
      estimate({ quantity: "3" }, own)?.value,
      Number(estimate({ quantity: "3" }, own)?.fill?.unfilled),
    ],
    ["60300.000000", 2],
  );
  assert.equal(
    estimate(
      { quantity: "1" },
      {
        ...means,
        best: undefined,
        reach: { ...means.reach, levels: [], percent: "5", isOwn: false },
      },
    ),
    null,
  );
});

test("WEB-60 an amount of money buys as much as the book gives for it", () => {
  const bought = (quantity: string, market = spot) =>
    quantityOf({ ...atMarket, unit: "quote", quantity }, market, means);
  assert.equal(bought("90900"), "1.5000");
  assert.equal(bought("30000", perpetual), "0.5000");
  // Twice what the book has: the rest counts at the worst price, so that the estimate says how much is not filled.
  assert.equal(bought("182700"), "3.0000");
});

test("WEB-60 a percentage of the balance is spent as money, because a quantity would reserve more than there is", () => {
  const request = (part: Partial<Ticket>, of: Means) =>
    orderRequest({ ...atMarket, unit: "percent", quantity: "100", ...part }, spot, of, null);
  assert.deepEqual(request({}, { ...means, free: "1000.129" }), {
    route: "spot",
    parameters: { symbol: "CBTC-USDC", side: "BUY", type: "MARKET", quoteOrderQty: "1000.12" },
  });
  assert.equal(request({ side: "SELL" }, { ...means, free: "1" }).route, "native");
});

test("WEB-60 a button of a percentage fills in what the venue takes: money to spend, or a covered quantity", () => {
  const filled = (part: Partial<Ticket>, of: Partial<Means> = {}) => {
    const [entered, known] = [
      { ...atMarket, ...part },
      { ...means, free: "6300", ...of },
    ];
    const share = filledShare(entered, spot, "100", known);
    assert.equal(note({ ...entered, ...share }, known), "", "what it fills in is covered");
    return share;
  };
  for (const unit of ["base", "quote"] as const) {
    assert.deepEqual(filled({ unit }), { quantity: "6300.00", unit: "quote" });
  }
  assert.deepEqual(filled({ unit: "percent" }), { quantity: "100", unit: "percent" });
  assert.equal(filled({}, { free: "0" }), null);
  assert.deepEqual(filled({ side: "SELL" }, { free: "1" }), { quantity: "1.0000", unit: "base" });
  // With a limit of the user's own the order has a quantity and a price: 6,300 / (60,000 × 1.02).
  const own = { reach: { levels, percent: "2", isOwn: true } };
  assert.deepEqual(filled({}, own), { quantity: "0.1029", unit: "base" });
  // What waits for a trigger trades at most 5 % beyond it: 6,300 / (50,000 × 1.05).
  const stop = { kind: "STOP_MARKET", trigger: "50000" } as const;
  assert.deepEqual(filled(stop, { reach: null }), { quantity: "0.1200", unit: "base" });
  const oco = { kind: "OCO", price: "50000", trigger: "60000" } as const;
  assert.deepEqual(filled(oco, { reach: null }), { quantity: "0.1000", unit: "base" });
});

test("WEB-61 the fees are those of the roles in which the order can trade", () => {
  const rates = { maker: "0.00040000", taker: "0.00100000" };
  const of = (part: Partial<Ticket>) => feesOf({ ...atLimit, ...part }, "90000", rates);
  const maker = { role: "maker", percent: "0.04", amount: "36.000000000000000000" } as const;
  const taker = { role: "taker", percent: "0.1", amount: "90.000000000000000000" } as const;
  assert.deepEqual(of({}), [maker, taker]);
  assert.deepEqual(of({ lifetime: "GTX" }), [maker]);
  assert.deepEqual(of({ lifetime: "IOC" }), [taker]);
  assert.deepEqual(of({ kind: "MARKET" }), [taker]);
  assert.deepEqual(of({ kind: "STOP_MARKET" }), [taker]);
  assert.deepEqual(feesOf(atLimit, undefined, rates)[0], { ...maker, amount: null });
});

function note(part: Partial<Ticket>, of: Partial<Means> = {}, market = spot) {
  const ticket = { ...atLimit, ...part };
  const known = { ...(ticket.kind === "MARKET" ? means : limitMeans), ...of };
  return ticketNote({
    ...{ ticket, market, means: known, reference: "60000.00", nowMs: 0 },
    estimate: estimateOf(ticket, market, known, nothing, [], undefined),
  });
}

test("WEB-62 what the venue would refuse is said while it is entered", () => {
  assert.equal(note({ quantity: "0.001" }), "");
  assert.equal(note({ price: "60000.005" }), "Price: use a multiple of 0.01");
  assert.equal(note({ quantity: "0.00005" }), "Quantity: use a multiple of 0.0001");
  assert.equal(
    note({ price: "1", quantity: "1" }),
    "Price: at least 12,000.00, at most 300,000.00",
  );
  assert.equal(note({ price: "13000", quantity: "0.0001" }), "Order value: at least 10 USDC");
  assert.equal(
    note({ kind: "SCALE", lastPrice: "61000", quantity: "0.0005" }),
    "Order value: at least 10 USDC for each of the 5 orders",
  );
});

test("WEB-62 a share above all there is, is refused in percent", () => {
  const share = { kind: "MARKET", unit: "percent" } as const;
  for (const market of [spot, perpetual]) {
    const funded = { free: "1000", best: "60000" };
    assert.equal(note({ ...share, quantity: "150" }, funded, market), "Quantity: at most 100 %");
    assert.equal(note({ ...share, quantity: "100" }, funded, market), "");
  }
});

test("WEB-132 the value of a scale is the sum of its orders, in their own lots", () => {
  const scale = { kind: "SCALE", price: "60000", lastPrice: "50000", quantity: "0.0005" } as const;
  // 0.0003 at 60,000 and 0.0002 at 50,000; the mean of the prices would say 27.5.
  const sum = estimate({ ...scale, parts: "2" }, limitMeans);
  assert.deepEqual([sum?.value, sum?.fullValue], ["28.000000", "28.000000"]);
  // Until its terms are complete, the mean of the prices that there are.
  assert.equal(estimate({ ...scale, parts: "" }, limitMeans)?.value, "27.500000");
  assert.equal(estimate({ ...scale, lastPrice: "" }, limitMeans)?.value, "30.000000");
  const short = note({ ...scale, parts: "2" }, { free: "27.9" });
  assert.equal(short, "Needs 28.00 USDC, and 27.90 are available");
});

test("WEB-132 the confirmation of an iceberg names its visible quantity", () => {
  const iceberg = { ...atLimit, quantity: "0.3", visible: "0.03" };
  const lines = summaryOf(iceberg, spot, null, "");
  assert.ok(lines.includes("Visible quantity 0.03 CBTC"), lines.join());
  const atOnce = summaryOf({ ...iceberg, lifetime: "IOC" }, spot, null, "");
  assert.ok(!atOnce.join().includes("Visible"), atOnce.join());
});

test("WEB-62 an iceberg in too many parts is told its least visible quantity", () => {
  const visible = (text: string) => note({ quantity: "0.3", visible: text });
  const least = "Visible quantity: at least 0.03 CBTC, so that there are at most 10 parts";
  assert.equal(visible("0.0299"), least);
  assert.equal(visible("0.03"), "");
  assert.equal(visible("0.3"), "Visible quantity: less than the quantity, or leave it empty");
});

test("WEB-62 a price on the wrong side is named, with the price that it is measured by", () => {
  const at = (part: Partial<Ticket>, of: Partial<Means> = {}, market = spot) =>
    note({ quantity: "0.01", ...part }, { watched: "60000", ...of }, market);
  const now = "60,000.00, the last price";
  const stop = { kind: "STOP_MARKET", side: "SELL" } as const;
  assert.equal(
    at({ ...stop, trigger: "60000" }),
    `Trigger price: below ${now}, or it would trigger at once`,
  );
  assert.equal(at({ ...stop, trigger: "59999.99" }), "");
  assert.match(at({ ...stop, side: "BUY", trigger: "59000" }), /^Trigger price: above/);
  const profit = { kind: "TAKE_PROFIT_LIMIT", side: "BUY" } as const;
  assert.match(at({ ...profit, trigger: "61000" }), /^Trigger price: below/);
  assert.match(at({ ...stop, trigger: "61000" }, {}, perpetual), /the mark price, or/);
  const last = { ...stop, trigger: "61000", triggeredBy: "CONTRACT_PRICE" } as const;
  assert.match(at(last, {}, perpetual), /the last price, or/);
  const oco = { kind: "OCO", side: "SELL", price: "61000", trigger: "59000" } as const;
  assert.equal(at(oco), "");
  assert.equal(at({ ...oco, price: "59500" }), `Price: above ${now}`);
  assert.equal(at({ ...oco, trigger: "60500" }), `Stop: below ${now}`);
  assert.equal(
    at({ price: "", takeProfit: "58000", stopLoss: "59000" }),
    "Take profit: above 59,000.00, the stop loss",
  );
  const maker = { lifetime: "GTX", price: "60000" } as const;
  assert.match(at(maker), /^Price: below 60,000\.00, or it would trade at once/);
  assert.equal(at({ ...maker, price: "59999.99" }), "");
  assert.equal(at({ ...oco, price: "59500" }, { watched: undefined as never }), "");
});

test("WEB-114 a take profit or stop loss on the wrong side of the entry is named, and not sent", () => {
  const at = (part: Partial<Ticket>, of: Partial<Means> = {}, market = spot) =>
    note({ price: "59000", quantity: "0.01", ...part }, { best: "60000", ...of }, market);
  const own = "59,000.00, the price of the order";
  assert.equal(at({ takeProfit: "58000" }), `Take profit: above ${own}`);
  assert.equal(at({ takeProfit: "59000" }), `Take profit: above ${own}`);
  assert.equal(at({ stopLoss: "59600" }), `Stop loss: below ${own}`);
  assert.equal(at({ stopLoss: "61000" }), `Stop loss: below ${own}`);
  assert.equal(at({ takeProfit: "59000.01", stopLoss: "58999.99" }), "");
  // An order that would trade at once is filled from the best price on.
  const crossing = { price: "60100", stopLoss: "60050" };
  const best = "60,000.00, the best price, at which it would trade";
  assert.equal(at(crossing), `Stop loss: below ${best}`);
  assert.equal(at({ ...crossing, stopLoss: "59999.99", takeProfit: "60000.01" }), "");
  // A perpetual's is measured by the limit (NAT-51), and by the best price at the market.
  const short = { side: "SELL", price: "59000", stopLoss: "58999" } as const;
  assert.equal(at(short, {}, perpetual), `Stop loss: above ${own}`);
  const sweep = { kind: "MARKET", side: "SELL", takeProfit: "60000" } as const;
  assert.equal(at(sweep, {}, perpetual), `Take profit: below ${best}`);
  assert.equal(at({ ...sweep, takeProfit: "59999.99" }, {}, perpetual), "");
});

test("WEB-113 while the price is no number, no value is shown of another price", () => {
  assert.equal(estimate({ kind: "LIMIT", price: "59,00", quantity: "1" }, limitMeans), null);
  assert.equal(note({ price: "59,00", quantity: "1" }), "Price: use a point for decimals");
  assert.equal(note({ quantity: "0,5" }), "Quantity: use a point for decimals");
});

test("WEB-62 a price or quantity below zero is refused, and has no value", () => {
  assert.equal(note({ price: "-5", quantity: "1" }), "Price: enter a number above 0");
  assert.equal(estimate({ kind: "LIMIT", price: "-5", quantity: "1" }, limitMeans), null);
  assert.equal(estimate({ kind: "LIMIT", price: "-5", quantity: "-1" }, limitMeans), null);
});

test("WEB-62 a quantity that no order may have is told while it is typed, in any unit", () => {
  const most = /^Quantity: at most 1,000\.0/;
  for (const kind of ["LIMIT", "MARKET"] as const) {
    for (const market of [spot, perpetual]) {
      const limited = { ...market, quantityMax: "1000" };
      assert.match(note({ kind, quantity: "1001" }, {}, limited), most);
      assert.match(note({ kind, unit: "quote", quantity: "99999999999" }, {}, limited), most);
    }
  }
});

test("WEB-62 nothing is said of what is not entered yet", () => {
  assert.equal(note({ price: "" }), "");
  assert.equal(note({ quantity: "0." }), "");
  assert.equal(note({ quantity: "0.0", price: "0" }), "");
  assert.equal(note({ kind: "MARKET", quantity: "" }), "");
});

test("WEB-62 an order that the wallet does not pay says what it needs", () => {
  const limit = { quantity: "2.25" };
  assert.equal(
    note(limit, { free: "100000" }),
    "Needs 135,000.00 USDC, and 100,000.00 are available",
  );
  assert.equal(note(limit, { free: "135000" }), "");
  assert.equal(
    note({ ...limit, side: "SELL" }, { free: "2" }),
    "Needs 2.2500 CBTC, and 2.0000 are available",
  );
  // The venue reserves 5 % more than the best price for an order at the market, but no more than an amount of money.
  const market = { kind: "MARKET", quantity: "0.1" } as const;
  assert.equal(note(market, { free: "6200" }), "Needs 6,300.00 USDC, and 6,200.00 are available");
  assert.equal(note({ kind: "MARKET", unit: "quote", quantity: "6200" }, { free: "6200" }), "");
  assert.equal(
    note({ quantity: "0.1" }, { free: "500", opening }, perpetual),
    "Available balance too low. It needs 600.00 USDC. You have 500.00 available.",
  );
});

test("WEB-36 the largest value and the confirmation count all of an order, and say what will expire", () => {
  const own = { ...means, reach: { levels, percent: "0.05", isOwn: true } };
  const entered: Ticket = { ...atMarket, quantity: "3" };
  const estimated = estimateOf(entered, spot, own, nothing, [], undefined);
  // The book fills 0.5 within the limit, for 30,000.
  const order = { value: estimated?.fullValue, prices: [], reference: "60000" };
  assert.match(
    guardFault(order, { ...noGuards, valueMax: "100000" }, spot) ?? "",
    /This one is 180,000\.00 USDC/,
  );
  assert.deepEqual(summaryOf(entered, spot, estimated, "0.05"), [
    "Buy 3 CBTC on CBTC-USDC",
    "Market",
    "Order value 180,000.00 USDC",
    "At most 0.05 % worse than the best price",
    "Within 0.05 % of the best price the book has too little: 2.5000 CBTC will expire.",
  ]);
});

test("WEB-158 the confirmation of a perpetual names fees, margin and liquidation price", () => {
  const rates = { maker: "0.00020000", taker: "0.00050000" };
  const entered: Ticket = { ...atLimit, quantity: "1" };
  const known = { ...limitMeans, opening: held("0.4") };
  const tiers = [{ rate: exact("0.005") ?? 0n, valueMax: exact("1000000") ?? 0n, offset: 0n }];
  const long = { quantity: exact("-0.4") ?? 0n, cost: exact("-24000") ?? 0n, behind: 10n ** 22n };
  const estimated = estimateOf(entered, perpetual, known, long, tiers, rates);
  assert.deepEqual(costLines(entered, perpetual, estimated, rates), [
    "Maker fee 0.02 %: 12.00 USDC",
    "Taker fee 0.05 %: 30.00 USDC",
    "Margin 3,600.00 USDC",
    "Est. liq. price 43,601.34",
  ]);
  assert.deepEqual(costLines(entered, spot, estimated, rates), []);
});

test("WEB-36 the largest distance also bounds the price that triggers an order", () => {
  const guards = { ...noGuards, distanceMax: "5" };
  const fault = (part: Partial<Ticket>) => {
    const prices = guardedPrices({ ...blankTicket, ...part });
    return guardFault({ value: "1", prices, reference: "0.14990000" }, guards, {
      ...spot,
      pricePlaces: 4,
    });
  };
  const far = "Your own limit: a price at most 5 % from 0.1499.";
  assert.equal(fault({ kind: "STOP_MARKET", trigger: "0.1300" }), far);
  assert.equal(fault({ kind: "STOP_LIMIT", trigger: "0.1300", price: "0.1490" }), far);
  assert.equal(fault({ kind: "TRAILING", trigger: "0.2" }), far);
  assert.equal(fault({ kind: "STOP_MARKET", trigger: "0.1480" }), null);
  // A price of another kind of order stays in the ticket, and is not sent.
  assert.equal(fault({ kind: "LIMIT", trigger: "0.1300", price: "0.1490" }), null);
});
