// Plays events of a market in a venue from their begin to their end: opens the market for the house, moves the market's time
// with the events, and removes the house's quotes, also after a fault. Where the events come from, a recording or a script,
// is the caller's business.

import * as z from "zod";
import { CalledVenue } from "./called-venue.ts";
import type { CrowdRequest, House, OpenAnswer } from "./history-calls.ts";
import { makersFor } from "./house-quotes.ts";
import { type MarketTime, marketTimeOf } from "./market-time.ts";
import type { PastEvent } from "./past-events.ts";
import { PastTime } from "./past-time.ts";
import { replayAccounts, type VenueCall } from "./replay-accounts.ts";
import { type ReplayOptions, ReplayRun, type ReplaySummary } from "./replay-run.ts";

export interface PlayTerms {
  readonly symbol: string;
  readonly dataDir: string;
  /** Seconds of history in one second; infinite for as fast as possible. */
  readonly speed: number;
  /** Whether events happen at the venue's own time instead of theirs. */
  readonly isAsNow: boolean;
  /** Levels a side that the house can show. */
  readonly levels: number;
  readonly requoteUs: number;
  /** Whether the same events and members' orders always give the same steps. */
  readonly isInTurn: boolean;
  /** Compares the public book with the events after every so many moments of depth; 0 for never. */
  readonly checkEvery: number;
  /** The leverage of each account that also takes; called once the market is known to be a perpetual. */
  readonly crowd?: (call: VenueCall) => Promise<CrowdRequest["crowd"]>;
}

export interface ReplayRunning extends Pick<ReplayOptions, "signal" | "onProgress" | "onForced"> {
  readonly call: VenueCall;
}

export interface PlayOutcome extends ReplaySummary {
  readonly market: OpenAnswer;
  readonly elapsedMs: number;
}

/** Blocks of events of a market in the order of time; `nowUs` is the venue's time. */
type EventsOf = (
  market: OpenAnswer,
  nowUs: number,
) => AsyncIterable<readonly PastEvent[]> | Iterable<readonly PastEvent[]>;

const statusAnswer = z.object({ address: z.string() });

/** Returns once the house has no quotes any more. */
export async function playMarket(
  terms: PlayTerms,
  eventsOf: EventsOf,
  { call, ...running }: ReplayRunning,
): Promise<PlayOutcome> {
  const { symbol, requoteUs, checkEvery, isInTurn } = terms;
  const makers = makersFor(terms.levels);
  const accounts = await replayAccounts(terms.dataDir, makers, call);
  const house: House = { symbol, makers: [...accounts.makers], taker: accounts.taker };
  const market = (await call("history/open", { ...house, pid: process.pid })) as OpenAnswer;
  const { address } = statusAnswer.parse(await call("status", {}));
  const time = await marketTimeOf(call, terms);
  const startedMs = performance.now();
  const run = new ReplayRun({
    venue: new CalledVenue(call, { house, market, address, time }),
    ...{ market, makers, requoteUs, checkEvery, isInTurn, ...running },
    time: new PastTime(terms.speed),
  });
  try {
    if (terms.crowd !== undefined) {
      // Refused in any other market, before there are accounts for it.
      await call("history/crowd", { symbol, crowd: [] });
      await call("history/crowd", { symbol, crowd: await terms.crowd(call) });
    }
    const summary = await run.play(eventsOf(market, time.nowUs));
    const lastRefusal = advised(summary.lastRefusal, time);
    return { ...summary, lastRefusal, market, elapsedMs: performance.now() - startedMs };
  } finally {
    await call("history/close", house).finally(() => time.end());
  }
}

/** Adds to a refusal for want of a fresh index what helps: the reference price counts from the next mark on. */
function advised(refusal: string | null, { isStill }: MarketTime): string | null {
  if (!isStill || refusal?.endsWith("marketReduceOnly") !== true) return refusal;
  return (
    `${refusal}: the index is old, and the market's time is paused; the reference price is set now: ` +
    "let time pass with rialto clock step --by 2s, or rialto clock resume, and replay again"
  );
}
