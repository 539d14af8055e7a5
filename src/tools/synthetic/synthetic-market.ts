// A made market from its script to its end. It begins at the next second of the venue's market time, so that a venue whose
// time stands still gets the same market from the same seed.

import type { MarketScript } from "../../../schemas/market-script.ts";
import { FileFault } from "../json-file/json-file.ts";
import { firstPrices } from "../load/flow-markets.ts";
import type { OpenAnswer } from "../replay/history-calls.ts";
import {
  type PlayOutcome,
  type PlayTerms,
  playMarket,
  type ReplayRunning,
} from "../replay/played-market.ts";
import type { VenueCall } from "../replay/replay-accounts.ts";
import { crowdAccounts, crowdOf } from "./crowd.ts";
import { madeMarket } from "./made-market.ts";

export interface SyntheticTerms extends Omit<PlayTerms, "isAsNow" | "isInTurn" | "crowd"> {
  readonly script: MarketScript;
  readonly seed: number;
  readonly seconds: number;
  /** The first price in the quote asset; null for a usual one of the market's coin. */
  readonly price: number | null;
}

const secondUs = 1_000_000;
/** First prices in ticks for which all distances of a script are whole ticks and all prices fit the book. */
const [ticksMin, ticksMax] = [1_000, 80_000_000];
const otherPrice = 100;

/** Plays a made market; returns once the house has no quotes any more. Spec REW-70. */
export function playSynthetic(terms: SyntheticTerms, running: ReplayRunning): Promise<PlayOutcome> {
  const crowd = crowdOf(terms.script, terms.seed);
  let forced = 0;
  const takeForced = () => {
    const value = forced;
    forced = 0;
    return value;
  };
  const onForced = (value: number) => {
    forced += value;
  };
  const opened = async (call: VenueCall) => {
    const accounts = await crowdAccounts(call, crowd);
    return crowd.map(({ leverage }, at) => ({ account: accounts[at] ?? 0, leverage }));
  };
  const play = { ...terms, isAsNow: false, isInTurn: true };
  const eventsOf = (market: OpenAnswer, nowUs: number) => {
    const fromUs = (Math.floor(nowUs / secondUs) + 1) * secondUs;
    const firstTicks = firstTicksOf(market, terms.price);
    return madeMarket({ ...terms, market, fromUs, firstTicks, crowd, takeForced });
  };
  const all = crowd.length === 0 ? play : { ...play, crowd: opened };
  return playMarket(all, eventsOf, { ...running, onForced });
}

function firstTicksOf({ symbol, tickDecimals }: OpenAnswer, price: number | null): number {
  const [coin = ""] = symbol.split("-");
  const first = price ?? firstPrices[coin] ?? firstPrices[`C${coin}`] ?? otherPrice;
  const ticks = Math.round(first * 10 ** tickDecimals);
  if (ticks >= ticksMin && ticks <= ticksMax) return ticks;
  const [least, most] = [ticksMin, ticksMax].map((bound) => bound / 10 ** tickDecimals);
  throw new FileFault(`price: expected ${least} to ${most} for ${symbol}, not ${first}`);
}
