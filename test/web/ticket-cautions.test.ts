// Proves what the ticket of a perpetual says before it is sent of its take profit and stop loss, of closing that open orders
// use up, of the largest position, of a book without orders, and of orders too small to be split.

import assert from "node:assert/strict";
import { test } from "node:test";
import { exact } from "../../web/src/markets/exact.ts";
import { marketOf } from "../../web/src/markets/market.ts";
import { estimateOf, type Holding } from "../../web/src/markets/order-estimate.ts";
import { rungsOf } from "../../web/src/markets/order-requests.ts";
import { blankTicket, type Means, type Ticket } from "../../web/src/markets/order-ticket.ts";
import { attachedNotes } from "../../web/src/markets/ticket/attached-notes.ts";
import { crossingOf } from "../../web/src/markets/ticket/book-fill.ts";
import { depthNote } from "../../web/src/markets/ticket/depth-notes.ts";
import { closedByOrdersNote } from "../../web/src/markets/ticket/opening-notes.ts";
import { activationNote } from "../../web/src/markets/ticket/order-warnings.ts";
import { ticketNote } from "../../web/src/markets/ticket/ticket-notes.ts";
import type { OpeningTerms } from "../../web/src/member/risk/order-cover.ts";

const filters = [
  { filterType: "PRICE_FILTER", tickSize: "0.01" },
  { filterType: "LOT_SIZE", stepSize: "0.001" },
];
const names = { symbol: "BTCUSDT", status: "TRADING", baseAsset: "BTC", quoteAsset: "USDT" };
const margins = { requiredMarginPercent: "10", maintMarginPercent: "0.5000" };
const market = marketOf({ ...names, ...margins, filters }, true);

const units = (text: string): bigint => exact(text) ?? 0n;
const tiers = [{ rate: units("0.005"), valueMax: units("1000000000"), offset: 0n }];
const flat: Holding = { quantity: 0n, cost: 0n, behind: units("10000") };
const opening: OpeningTerms = {
  ...{ leverage: 10, floorLeverage: null, beside: 0n, mark: null, reducible: 0n, closable: 0n },
  ...{ quantityMax: null, levels: [] },
};
const means: Means = {
  ...{ free: "10000", positionQuantity: undefined, best: "60000", reach: null, leverage: 10 },
  opening,
};

function entered(part: Partial<Ticket>, of: Partial<Means> = {}, holding = flat) {
  const ticket = { ...blankTicket, price: "60000", quantity: "1", ...part };
  const known = { ...means, ...of };
  const estimate = estimateOf(ticket, market, known, holding, tiers, undefined);
  return { ticket, market, means: known, estimate, reference: undefined, nowMs: 0 };
}

const none = { takeProfit: "", stopLoss: "" };

test("WEB-172 a take profit of an order says that it is for the position, what it replaces and what it brings", () => {
  const notes = (part: Partial<Ticket>, held = none, holding = flat) =>
    attachedNotes({ ...entered(part, {}, holding), held });
  assert.deepEqual(notes({}).lines, []);
  assert.deepEqual(notes({ takeProfit: "63000" }).lines, [
    "For the entire position.",
    "Take profit: +3,000.00 USDC (+50.0 % of margin)",
  ]);
  const held = { takeProfit: "63000", stopLoss: "58000" };
  // A long of one at 58,000: with one at 60,000, two at 59,000.
  const long = { quantity: units("1"), cost: units("58000"), behind: units("20000") };
  assert.deepEqual(notes({ takeProfit: "64000", stopLoss: "57000" }, held, long).lines, [
    "For the entire position. Replaces take profit 63,000.00 and stop loss 58,000.00.",
    "Take profit: +10,000.00 USDC (+84.7 % of margin)",
    "Stop loss: -4,000.00 USDC (-33.9 % of margin)",
  ]);
  assert.equal(notes({ takeProfit: "64000" }, held, long).lines[0]?.includes("stop loss"), false);
});

test("WEB-172 a take profit of an order that turns the position over counts from the price at which it opens the new one", () => {
  // A short of 0.027 at 59,777.11; the buy of 0.05 at 60,083 closes it with a loss and opens a long of 0.023.
  const short = { quantity: units("-0.027"), cost: units("-1613.98197"), behind: units("10000") };
  const reducible = {
    opening: { ...opening, reducible: units("0.027"), closable: units("0.027") },
  };
  const part = { price: "60083", quantity: "0.05", takeProfit: "62000", stopLoss: "59000" };
  assert.deepEqual(attachedNotes({ ...entered(part, reducible, short), held: none }).lines, [
    "For the entire position.",
    "Take profit: +44.09 USDC (+31.9 % of margin)",
    "Stop loss: -24.91 USDC (-18.0 % of margin)",
  ]);
  const long = { quantity: units("0.023"), cost: units("1381.909"), behind: units("10000") };
  const sale = {
    ...part,
    side: "SELL",
    price: "59944.79",
    takeProfit: "58000",
    stopLoss: "",
  } as const;
  const sold = attachedNotes({ ...entered(sale, reducible, long), held: none }).lines[1] ?? "";
  assert.match(sold, /^Take profit: \+52\.51 USDC/);
});

test("WEB-172 a stop loss behind the liquidation price comes too late, and an order that only closes brings none", () => {
  const { estimate } = entered({});
  const { liquidation } = estimate ?? { liquidation: null };
  assert.equal(liquidation, "50251.25");
  const late = (stopLoss: string) => attachedNotes({ ...entered({ stopLoss }), held: none }).late;
  assert.match(late("50000"), /^Too late: the position is liquidated at 50,251\.25, /);
  assert.equal(late("51000"), "");
  const closing = { opening: { ...opening, reducible: units("1"), closable: units("1") } };
  const short = { quantity: units("-1"), cost: units("-60000"), behind: units("10000") };
  const lines = attachedNotes({ ...entered({ takeProfit: "63000" }, closing, short), held: none });
  assert.deepEqual(lines.lines, [
    "The order only closes, so it brings no take profit or stop loss.",
  ]);
});

test("WEB-174 closing that open orders use up is named, with the way out", () => {
  const note = (part: Partial<Ticket>, closable: string, quantity = "1") => {
    const terms = { ...opening, reducible: units("1"), closable: units(closable) };
    return closedByOrdersNote({ ...blankTicket, ...part }, { opening: terms }, quantity);
  };
  assert.equal(
    note({}, "0"),
    "Your open buys already close the position. Tick Reduce only to close now.",
  );
  assert.match(note({ side: "SELL" }, "0.4"), /^Your open sells already close a part of the/);
  assert.equal(note({}, "0.4", "0.4"), "");
  assert.equal(note({}, "1", "3"), "", "no open order uses it up");
  assert.equal(note({ isReduceOnly: true }, "0"), "");
  assert.equal(note({ kind: "STOP_MARKET" }, "0"), "");
});

test("WEB-175 an order beyond the largest position of the leverage is named with the figure", () => {
  const terms = { ...opening, quantityMax: units("0.5"), valueMax: units("250000") };
  assert.equal(
    ticketNote(entered({}, { opening: terms })),
    "At 10× a position is at most 250,000 USDT: this order can be at most 0.500 BTC.",
  );
  assert.equal(ticketNote(entered({ quantity: "0.5" }, { opening: terms })), "");
});

test("WEB-176 a book without orders for the ticket is named before it is sent", () => {
  const { best: _, ...unpriced } = means;
  const empty = { ...unpriced, best: undefined };
  const said = (
    part: Partial<Ticket>,
    of: Means,
    levels = [{ price: "60000", quantity: "0.4" }],
  ) => {
    const crossing =
      part.kind === "MARKET" ? {} : { crossing: crossingOf("BUY", 60_000n * 10n ** 18n, levels) };
    const { ticket, means: known, estimate } = entered(part, { ...of, ...crossing });
    return depthNote(ticket, market, known, estimate);
  };
  assert.equal(said({ kind: "MARKET" }, empty), "No asks: nothing would trade.");
  assert.equal(said({ kind: "MARKET", side: "SELL" }, empty), "No bids: nothing would trade.");
  assert.equal(said({ kind: "MARKET" }, means), "");
  assert.equal(said({ lifetime: "IOC" }, empty, []), "No asks: nothing would trade.");
  assert.equal(
    said({ lifetime: "IOC" }, means, [{ price: "60001", quantity: "9" }]),
    "No asks at 60,000.00 or better: nothing would trade.",
  );
  assert.equal(said({ lifetime: "IOC" }, means), "");
  assert.equal(said({ lifetime: "FOK" }, means), "Not all of it is in the book: FOK would expire.");
  assert.equal(said({ lifetime: "FOK", quantity: "0.4" }, means), "");
});

test("WEB-177 a scale or TWAP too small for its number of orders is refused, and never has fewer", () => {
  const scale = { kind: "SCALE", lastPrice: "61000", parts: "5" } as const;
  const small = "Quantity: at least 0.005 BTC for 5 orders";
  assert.equal(ticketNote(entered({ ...scale, quantity: "0.004" })), small);
  assert.equal(ticketNote(entered({ ...scale, kind: "TWAP", quantity: "0.004" })), small);
  const fits = entered({ ...scale, quantity: "0.005" });
  assert.equal(ticketNote(fits).startsWith("Quantity"), false);
  assert.deepEqual(
    rungsOf(fits.ticket, market, means).map(({ price }) => Number(price)),
    [60_000, 60_250, 60_500, 60_750, 61_000],
  );
});

test("WEB-178 an activation price that the price has passed is warned of", () => {
  const note = (part: Partial<Ticket>) =>
    activationNote({ ...blankTicket, kind: "TRAILING", ...part }, market, { watched: "60000" });
  assert.equal(
    note({ side: "SELL", trigger: "59000" }),
    "Activation price: above 60,000.00, the mark price, or it follows from now on.",
  );
  assert.match(note({ side: "BUY", trigger: "61000" }), /^Activation price: below 60,000\.00/);
  assert.equal(note({ side: "SELL", trigger: "61000" }), "");
  assert.equal(note({ side: "SELL", trigger: "" }), "");
});

test("WEB-170 an order that turns a position over opens with what the book has after the closing; a reduce-only one trades the position", () => {
  const levels = [
    { price: "60000", quantity: "0.02" },
    { price: "60100", quantity: "0.1" },
  ];
  const short = { quantity: units("-0.02"), cost: units("-1200"), behind: units("10000") };
  const terms = { ...opening, reducible: units("0.02"), closable: units("0.02") };
  const crossing = crossingOf("BUY", units("61000"), levels);
  const part = { lifetime: "IOC", price: "61000", quantity: "0.05", takeProfit: "62000" } as const;
  const turned = entered(part, { opening: terms, crossing }, short);
  // 0.03 at 60,100, not at 60,060, the average of all that trades.
  const [, brought = ""] = attachedNotes({ ...turned, held: none }).lines;
  assert.match(brought, /^Take profit: \+57\.00 USDC/);
  const reducing = { ...part, takeProfit: "", isReduceOnly: true };
  const { estimate } = entered(reducing, { opening: terms, crossing }, short);
  assert.equal(Number(estimate?.value), 1200);
  assert.equal(Number(estimate?.traded), 0.02);
});
