// Proves what the ticket says of an order of a perpetual that fills at once or not at all: only what the book fills counts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { exact } from "../../web/src/markets/exact.ts";
import { marketOf } from "../../web/src/markets/market.ts";
import { estimateOf, type Holding } from "../../web/src/markets/order-estimate.ts";
import {
  blankTicket,
  type Means,
  needFor,
  type Ticket,
} from "../../web/src/markets/order-ticket.ts";
import { crossingOf, marketReach } from "../../web/src/markets/ticket/book-fill.ts";
import { shortfallOf, ticketNote } from "../../web/src/markets/ticket/ticket-notes.ts";
import type { OpeningTerms } from "../../web/src/member/risk/order-cover.ts";

const filters = [
  { filterType: "PRICE_FILTER", tickSize: "0.01" },
  { filterType: "LOT_SIZE", stepSize: "0.001" },
  { filterType: "MIN_NOTIONAL", notional: "5" },
];
const names = { symbol: "BTCUSDT", status: "TRADING", baseAsset: "BTC", quoteAsset: "USDT" };
const margins = { requiredMarginPercent: "10", maintMarginPercent: "0.5000" };
const market = marketOf({ ...names, ...margins, filters }, true);

const units = (text: string): bigint => exact(text) ?? 0n;
/** Half a percent of the value, at any value. */
const tiers = [{ rate: units("0.005"), valueMax: units("1000000000"), offset: 0n }];
const holding: Holding = { quantity: 0n, cost: 0n, behind: units("5000") };
const levels = [
  { price: "60000", quantity: "0.5" },
  { price: "60600", quantity: "0.5" },
];
const opening: OpeningTerms = {
  ...{ leverage: 10, floorLeverage: null, beside: 0n, mark: units("60000"), reducible: 0n },
  ...{ closable: 0n, quantityMax: null, levels },
};
const common = { free: "5000", positionQuantity: undefined, best: "60000", leverage: 10, opening };

function meansOf({ kind, side, price, lifetime }: Ticket, percent: string): Means {
  const reach = { levels, percent, isOwn: percent !== marketReach };
  if (kind === "MARKET") return { ...common, reach };
  if (lifetime === "GTC") return { ...common, reach: null };
  return { ...common, reach: null, crossing: crossingOf(side, units(price), levels) };
}

function estimated(part: Partial<Ticket>, percent = marketReach) {
  const ticket = { ...blankTicket, quantity: "3", ...part };
  const means = meansOf(ticket, percent);
  const estimate = estimateOf(ticket, market, means, holding, tiers, undefined);
  return { ticket, market, means, estimate };
}

/** The liquidation price, "-" for none, of `ticket` and of one for `quantity` alone. */
function pair(part: Partial<Ticket>, quantity: string, percent?: string): string[] {
  return [part, { ...part, quantity }].map(
    (one) => estimated(one, percent).estimate?.liquidation ?? "-",
  );
}

test("WEB-170 the liquidation price counts only what the book fills at once", () => {
  const [all, filled] = pair({ kind: "MARKET" }, "1");
  assert.equal(all, filled);
  // (1 * 60,300 - 5,000) / 0.995
  assert.equal(all, "55577.88");
  const bound = pair({ kind: "MARKET" }, "0.5", "0.5");
  assert.equal(bound[0], bound[1]);
  const taken = pair({ lifetime: "IOC", price: "60000" }, "0.5");
  assert.equal(taken[0], taken[1]);
  const [whole, part] = pair({ lifetime: "GTC", price: "60000" }, "0.5");
  assert.notEqual(whole, part, "a limit order that rests counts in full");
});

test("WEB-170 an order that is filled or killed counts in full or not at all", () => {
  const { estimate } = estimated({ lifetime: "FOK", price: "60600" });
  assert.deepEqual([estimate?.liquidation, estimate?.whyNone], [null, "no position"]);
  assert.deepEqual([Number(estimate?.value), Number(estimate?.margin)], [0, 0]);
  assert.equal(Number(estimate?.fullValue), 181_800);
  const fits = estimated({ lifetime: "FOK", price: "60600", quantity: "1" }).estimate;
  assert.deepEqual([Number(fits?.value), fits?.liquidation], [60_300, "55577.88"]);
  const small = { ...estimated({ lifetime: "FOK", price: "60600", quantity: "2" }), nowMs: 0 };
  assert.doesNotMatch(ticketNote({ ...small, reference: undefined }), /^Order value/);
  const none = estimated({ lifetime: "IOC", price: "59000" }).estimate;
  assert.deepEqual([Number(none?.traded), Number(none?.value), Number(none?.margin)], [0, 0, 0]);
});

test("WEB-170 floor and reserve are of what the book fills, and a market order needs no more", () => {
  const atMarket = estimated({ kind: "MARKET" });
  const { ticket, means, estimate } = atMarket;
  // One bitcoin at 60,600 against a mark of 60,000.
  assert.equal(needFor(ticket, means, estimate?.traded)?.loss, units("600"));
  assert.match(shortfallOf(atMarket), /^It needs 6,660\.00 USDC/);
  // The venue asks for all of a limit order, also if only a part can trade.
  assert.match(
    shortfallOf(estimated({ lifetime: "IOC", price: "60600" })),
    /^It needs 19,980\.00 USDC/,
  );
});
