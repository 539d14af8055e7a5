// A replay from its sources to its end: reads the recording, completes it with depth if it has none, and plays the window.

import { GeneratedDepth } from "./generated-depth.ts";
import type { PastEvent } from "./past-events.ts";
import { type PastWindow, within } from "./past-window.ts";
import {
  type PlayOutcome,
  type PlayTerms,
  playMarket,
  type ReplayRunning,
} from "./played-market.ts";
import { type Source, SourceEvents } from "./source-events.ts";
import { SourceFault } from "./source-fault.ts";

export interface ReplayTerms extends Omit<PlayTerms, "isInTurn" | "crowd">, PastWindow {
  readonly sources: readonly Source[];
  readonly depthUs: number;
  readonly seed: number;
  readonly skipsBad: boolean;
  readonly roundsLots: boolean;
}

export interface ReplayOutcome extends PlayOutcome {
  readonly depth: "recorded" | "generated";
  readonly badRows: number;
  readonly firstBad: string | null;
}

/** Plays the recording; returns once the house has no quotes any more. Spec REW-50 to REW-63. */
export async function replayMarket(
  terms: ReplayTerms,
  running: ReplayRunning,
): Promise<ReplayOutcome> {
  const hasDepth = terms.sources.some(({ gives }) => gives !== "trades");
  const skipped: { badRows: number; firstBad: string | null } = { badRows: 0, firstBad: null };
  const play = { ...terms, isInTurn: false };
  const outcome = await playMarket(
    play,
    async function* (market) {
      const reader = new SourceEvents({ ...terms, ...market });
      const read = reader.read(terms.sources);
      try {
        yield* within(hasDepth ? read : withDepth(read, terms), terms);
      } finally {
        skipped.badRows = reader.bad;
        skipped.firstBad = reader.firstBad;
      }
    },
    running,
  );
  if (outcome.lastUs === 0) {
    const none = "no row of the source is in the window";
    throw new SourceFault(running.signal.aborted ? "ended before the first row was played" : none);
  }
  return { ...outcome, ...skipped, depth: hasDepth ? "recorded" : "generated" };
}

async function* withDepth(
  events: AsyncIterable<readonly PastEvent[]>,
  terms: ReplayTerms,
): AsyncGenerator<readonly PastEvent[]> {
  const depth = new GeneratedDepth(terms);
  for await (const block of events) yield depth.around(block);
}
