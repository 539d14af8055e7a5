// What an operator should look at in the markets, for /health and /ops: a halt, a stale index, an empty side, and prices
// that do not fit each other. Found from the front's model at each look; `venueProblems` has the words.

import { numberAt, present } from "../../../core/assert.ts";
import { insuranceThreshold } from "../../../core/limits.ts";
import { TradingGate } from "../../../core/liquidation.ts";
import { isPerpetual, type Market, MarketStatus } from "../../../core/markets.ts";
import { formatScaled } from "../../../core/money/amounts.ts";
import { tickFault } from "../../../core/money/tick-size.ts";
import { Side } from "../../../core/orders.ts";
import { basisParts, IndexOrigin } from "../../../core/perpetuals/index-price.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";
import type { VenueState } from "../../../engine/state/venue-state.ts";
import { type Problem, problem } from "../../../ports/venue-problems.ts";
import type { MarketView, ReadModel } from "../read-model.ts";
import type { EmptySides } from "./empty-sides.ts";

/** A mark further than this beyond a side of the book, in basis points of that side, is told. */
const apartBpsMax = 500;
/** An index that is further than this from the price that it follows is told: averaging alone stays closer. */
const behindBpsMax = 200;

/** Whether a perpetual takes only orders that reduce positions, because its index is stale. */
export function hasStaleIndex({ indexes, riskTerms }: VenueState, id: number, nowUs: number) {
  return indexes.isStale(id, riskTerms.of(id, RiskTerm.staleMs), nowUs);
}

/** The problems of all markets; a halted one has no other. Spec OPS-104, OPS-120. */
export function marketProblems(
  { state, views }: Pick<ReadModel, "state" | "views">,
  empty: EmptySides,
  nowUs: number,
): Problem[] {
  const isPaused = state.liquidations.gate === TradingGate.paused;
  const ofAll = isPaused ? [problem("fund_low", insuranceThreshold.toLocaleString("en"))] : [];
  const ofEach = views.flatMap((view) => {
    const { market } = view;
    const { id, symbol } = market;
    const status = present(state.marketStatus[id], "the status of a market");
    if (status === MarketStatus.halted) return [problem("market_halted", "", symbol)];
    if (status === MarketStatus.delisted) return [];
    const sides = empty.of(id, nowUs);
    return [
      ...(isPerpetual(market) ? perpetualProblems(state, view, nowUs) : []),
      ...(sides === null ? [] : [problem("book_empty", sides, symbol)]),
      ...tickProblems(state, market),
    ];
  });
  // A market exists from the event that adds it on, and trades once the threads have its terms.
  const added = state.marketCount - state.table.markets.length;
  const waiting = added === 1 ? "1 added market" : `${added} added markets`;
  const ofAdded = added > 0 ? [problem("markets_wait", waiting)] : [];
  return [...ofAll, ...ofEach, ...ofAdded];
}

function perpetualProblems(state: VenueState, view: MarketView, nowUs: number): Problem[] {
  const { market } = view;
  const { id, symbol, indexMarket } = market;
  // Without an index market nothing but feeds and a reference price gives an index, and orders open positions without it.
  const isBare = indexMarket === null && state.indexes.of(id).level === 0;
  return [
    ...(isBare ? [problem("no_index", "", symbol)] : []),
    ...restriction(state, market, nowUs),
    ...referenceProblems(state, market),
    ...movingProblems(state, market),
    ...apartProblems(state, view),
  ];
}

/** Why a market that trades takes only orders that reduce positions. */
function restriction(state: VenueState, { id, symbol, indexMarket }: Market, nowUs: number) {
  if (hasStaleIndex(state, id, nowUs)) {
    const isHalted =
      indexMarket !== null && state.marketStatus[indexMarket] === MarketStatus.halted;
    return isHalted
      ? [problem("index_halted", state.table.market(indexMarket).symbol, symbol)]
      : [problem("index_stale", "", symbol)];
  }
  return state.fundHours.isPaused(id) ? [problem("fund_paused", "", symbol)] : [];
}

function referenceProblems({ references }: VenueState, market: Market): Problem[] {
  const set = references.of(market.id, IndexOrigin.operator);
  if (set.price === 0) return [];
  const until = new Date(set.untilUs / 1000).toISOString().slice(0, 16).replace("T", " ");
  return [
    problem("reference_set", `${priceOf(market, set.price)} until ${until} UTC`, market.symbol),
  ];
}

/** An index that follows its market only step by step, as after a wrong reference price. Spec RSK-24. */
function movingProblems({ indexes, references, riskTerms }: VenueState, market: Market): Problem[] {
  const { id, symbol } = market;
  const { level, believed, isFresh } = indexes.of(id);
  const ppm = riskTerms.of(id, RiskTerm.indexMovePpm);
  if (!isFresh || ppm === 0 || references.best(id) > 0) return [];
  if (Math.abs(level - believed) * 10_000 <= believed * behindBpsMax) return [];
  const [from, to] = [level, believed].map((parts) =>
    priceOf(market, Math.max(1, Math.round(parts / basisParts))),
  );
  // Each second takes the index nearer by the same factor.
  const minutes = Math.max(1, Math.ceil((Math.abs(Math.log(believed / level)) * 1e6) / ppm / 60));
  const pace = `by at most ${ppm / 10_000} % a second, for about ${minutes} min`;
  return [problem("index_moving", `${from} that follows its market's ${to} ${pace}`, symbol)];
}

/** A mark at which nobody quotes: beyond the best price of a side, or of the last trade if the side is empty. */
function apartProblems(state: VenueState, { market, depth }: MarketView): Problem[] {
  const { id, symbol } = market;
  const [mark, last] = [numberAt(state.mark, id), numberAt(state.lastPrice, id)];
  const [bid, offer] = [depth.best(Side.buy), depth.best(Side.sell)];
  const [low, high] = [bid || last, offer || last];
  if (mark === 0) return [];
  const isAbove = high > 0 && (mark - high) * 10_000 > high * apartBpsMax;
  const isBelow = low > 0 && (low - mark) * 10_000 > low * apartBpsMax;
  if (!isAbove && !isBelow) return [];
  const from = isAbove ? high : low;
  const percent = Math.abs((100 * (mark - from)) / from).toFixed(1);
  const quoted = isAbove ? offer : bid;
  const name = quoted === 0 ? "its last price" : `its best ${isAbove ? "offer" : "bid"}`;
  const way = `${percent} % ${isAbove ? "above" : "below"} ${name} ${priceOf(market, from)}`;
  return [problem("price_apart", `${priceOf(market, mark)}, ${way}`, symbol)];
}

function tickProblems({ mark, lastPrice }: VenueState, { id, symbol }: Market): Problem[] {
  const fault = tickFault(numberAt(mark, id) || numberAt(lastPrice, id));
  return fault === null ? [] : [problem("tick_unfit", fault, symbol)];
}

function priceOf({ tickDecimals }: Market, ticks: number): string {
  return formatScaled(ticks, tickDecimals);
}
