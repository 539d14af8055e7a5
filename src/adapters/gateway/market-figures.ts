// Figures of each market for /metrics: its status, and for perpetuals the staleness of the index, open interest, the
// losses of the insurance fund, and the limits on these figures. They let an operator see a problem before customers
// report it. They are read from the front's model at each scrape.

import { numberAt, present } from "../../core/assert.ts";
import { isPerpetual, type Market, MarketStatus, orderValue } from "../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../core/money/amounts.ts";
import { IndexOrigin, indexOriginCount } from "../../core/perpetuals/index-price.ts";
import { RiskTerm } from "../../core/perpetuals/risk-terms.ts";
import { fundEquity, fundLoss } from "../../engine/risk/fund-loss.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";
import { hasStaleIndex } from "./market-data/market-problems.ts";

/** Reads the value of a figure for a market at a given time; null if the figure has no value. */
type Reading = (state: VenueState, market: Market, nowUs: number) => number | null;

/** Value of the limit that a risk term sets; null if the term disables the limit. */
function boundOf(term: RiskTerm): Reading {
  return ({ riskTerms }, { id }) => {
    const value = riskTerms.of(id, term);
    return value === 0 ? null : value;
  };
}

function usdcOf(units: bigint, { quote }: Market): number {
  return Number(units) / 10 ** quote.decimals;
}

function staleSeconds({ indexes }: VenueState, { id }: Market, nowUs: number): number | null {
  if (indexes.of(id).level === 0) return null;
  const sinceUs = numberAt(indexes.staleUs, id);
  return sinceUs === 0 ? 0 : Math.max(0, nowUs - sinceUs) / 1_000_000;
}

/** 1 if the index is stale, so that the market accepts only orders that reduce positions; null without an index. */
function isStale(state: VenueState, { id }: Market, nowUs: number): number | null {
  if (state.indexes.of(id).level === 0) return null;
  return hasStaleIndex(state, id, nowUs) ? 1 : 0;
}

/** Where the index comes from: the code of its `IndexOrigin`, or the next one for the quotes of its index market. */
function indexSource({ indexes, references }: VenueState, { id }: Market): number | null {
  const origins = [IndexOrigin.operator, IndexOrigin.feed];
  const outside = origins.find((origin) => references.of(id, origin).price > 0);
  if (outside !== undefined) return outside;
  return indexes.of(id).isFresh ? indexOriginCount : null;
}

function openInterest({ positions, mark }: VenueState, market: Market): number {
  const lots = asQtyLots(positions.openInterest(market.id));
  return usdcOf(orderValue(market, asPriceTicks(numberAt(mark, market.id)), lots), market);
}

function statusOf({ marketStatus }: VenueState, { id }: Market): number {
  return present(marketStatus[id], "the status of a market");
}

function isFundPaused({ fundHours }: VenueState, { id }: Market): number {
  return fundHours.isPaused(id) ? 1 : 0;
}

type Figures = Readonly<Record<string, readonly [summary: string, read: Reading]>>;

/** Figures of every market by metric name, each with its help text. */
const everyMarket: Figures = {
  market_status: ["0 while a market trades, 1 while it is halted, 2 once it is delisted", statusOf],
};

/** Figures of each perpetual that is not delisted. */
const everyPerpetual: Figures = {
  perpetual_index_stale_seconds: [
    "Seconds for which a perpetual's index has not been measured; 0 while it is, absent before the first measurement",
    staleSeconds,
  ],
  perpetual_index_stale: [
    "1 while a perpetual accepts only orders that reduce positions, because its index is stale",
    isStale,
  ],
  perpetual_index_source: [
    "Where a perpetual's index comes from: 0 the operator's reference price, 1 price feeds, 2 designated makers' quotes; absent while it is not measured",
    indexSource,
  ],
  perpetual_open_interest_usdc: ["Open interest of a perpetual at its mark", openInterest],
  perpetual_open_interest_max_usdc: [
    "Maximum value of open interest, as the risk term sets it; absent if the term sets none",
    boundOf(RiskTerm.openInterestMax),
  ],
  perpetual_fund_loss_usdc: [
    "Loss of the insurance fund in a perpetual in the current clock hour; below 0 for a profit",
    (state, market, nowUs) => usdcOf(fundLoss(state, market.id, nowUs), market),
  ],
  perpetual_fund_loss_max_usdc: [
    "Maximum hourly loss of the insurance fund in a perpetual, as the risk term sets it; absent if it sets none",
    boundOf(RiskTerm.fundLossPerHour),
  ],
  perpetual_fund_paused: [
    "1 while a perpetual accepts only orders that reduce positions, because the insurance fund reached its hourly limit",
    isFundPaused,
  ],
};

/** A figure, with its value for each market that has one. */
export interface MarketFigure {
  readonly name: string;
  readonly summary: string;
  read(): ReadonlyArray<readonly [symbol: string, value: number]>;
}

export function marketFigures(state: VenueState, nowUs: () => number): MarketFigure[] {
  const made = (figures: Figures, isMeant: (market: Market) => boolean) =>
    Object.entries(figures).map(([name, [summary, read]]) => ({
      ...{ name, summary },
      read: () =>
        state.table.markets.filter(isMeant).flatMap((market) => {
          const value = read(state, market, nowUs());
          return value === null ? [] : [[market.symbol, value] as const];
        }),
    }));
  const isListed = (market: Market) =>
    isPerpetual(market) && statusOf(state, market) !== MarketStatus.delisted;
  return [...made(everyMarket, () => true), ...made(everyPerpetual, isListed)];
}

/** What the insurance fund and liquidations say of all perpetuals; 0 USDC without a perpetual. */
export function riskFigures(state: VenueState) {
  const perpetual = state.table.markets.find(isPerpetual);
  return {
    insurance_fund_usdc:
      perpetual === undefined ? 0 : usdcOf(fundEquity(state, perpetual.quote.id), perpetual),
    liquidations_open: state.liquidations.count,
    front_liquidations_seen: state.liquidations.begun,
  };
}
