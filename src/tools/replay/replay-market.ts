// A replay from its sources to its end: opens the market for the house, plays the window, and removes the house's quotes,
// also after a fault.

import * as z from "zod";
import { CalledVenue } from "./called-venue.ts";
import { GeneratedDepth } from "./generated-depth.ts";
import type { House, OpenAnswer } from "./history-calls.ts";
import { makersFor } from "./house-quotes.ts";
import { marketTimeOf } from "./market-time.ts";
import type { PastEvent } from "./past-events.ts";
import { PastTime } from "./past-time.ts";
import { type PastWindow, within } from "./past-window.ts";
import { replayAccounts, type VenueCall } from "./replay-accounts.ts";
import { ReplayRun, type ReplaySummary } from "./replay-run.ts";
import { type Source, SourceEvents } from "./source-events.ts";
import { SourceFault } from "./source-fault.ts";

export interface ReplayTerms extends PastWindow {
  readonly sources: readonly Source[];
  readonly symbol: string;
  readonly dataDir: string;
  /** Seconds of history in one second; infinite for as fast as possible. */
  readonly speed: number;
  /** Whether events happen at the venue's own time instead of the recording's. */
  readonly isAsNow: boolean;
  readonly levels: number;
  readonly depthUs: number;
  readonly seed: number;
  readonly requoteUs: number;
  readonly skipsBad: boolean;
  readonly roundsLots: boolean;
  /** Compares the public book with the recording after every so many moments of depth; 0 for never. */
  readonly checkEvery: number;
}

export interface ReplayRunning {
  readonly call: VenueCall;
  readonly signal: AbortSignal;
  readonly onProgress: (trades: number) => void;
}

export interface ReplayOutcome extends ReplaySummary {
  readonly market: OpenAnswer;
  readonly depth: "recorded" | "generated";
  readonly badRows: number;
  readonly firstBad: string | null;
  readonly elapsedMs: number;
}

const statusAnswer = z.object({ address: z.string() });

/** Plays the recording; returns once the house has no quotes any more. Spec REW-50 to REW-63. */
export async function replayMarket(
  terms: ReplayTerms,
  { call, signal, onProgress }: ReplayRunning,
): Promise<ReplayOutcome> {
  const { levels, symbol } = terms;
  const makers = makersFor(levels);
  const accounts = await replayAccounts(terms.dataDir, makers, call);
  const house: House = { symbol, makers: [...accounts.makers], taker: accounts.taker };
  const market = (await call("history/open", house)) as OpenAnswer;
  const { address } = statusAnswer.parse(await call("status", {}));
  const time = await marketTimeOf(call, terms);
  const reader = new SourceEvents({ ...terms, ...market });
  const hasDepth = terms.sources.some(({ gives }) => gives !== "trades");
  const startedMs = performance.now();
  const run = new ReplayRun({
    venue: new CalledVenue(call, { house, market, address, time }),
    ...{ market, makers, signal, onProgress },
    ...{ requoteUs: terms.requoteUs, checkEvery: terms.checkEvery },
    time: new PastTime(terms.speed),
  });
  try {
    const read = reader.read(terms.sources);
    const summary = await run.play(within(hasDepth ? read : withDepth(read, terms), terms));
    if (summary.lastUs === 0) throw new SourceFault("no row of the source is in the window");
    const { bad: badRows, firstBad } = reader;
    const elapsedMs = performance.now() - startedMs;
    const depth = hasDepth ? "recorded" : "generated";
    return { ...summary, market, depth, badRows, firstBad, elapsedMs };
  } finally {
    await call("history/close", house);
    await time.end();
  }
}

async function* withDepth(
  events: AsyncIterable<readonly PastEvent[]>,
  terms: ReplayTerms,
): AsyncGenerator<readonly PastEvent[]> {
  const depth = new GeneratedDepth(terms);
  for await (const block of events) yield depth.around(block);
}
