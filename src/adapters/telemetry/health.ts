// How the venue is, from shared counters: what /health answers.

import { CountersBuffer, RunState } from "../../wire/counters-buffer.ts";
import { JournalFigures } from "./journal-figures.ts";
import type { ShownClock } from "./metrics-sources.ts";

export interface VenueHealth {
  /** Open for orders, and the journal gets through. */
  readonly isOk: boolean;
  readonly seq: number;
  readonly committedSeq: number;
  /** Milliseconds that the oldest event being committed has waited. */
  readonly lagMs: number;
  /** The machine's clock is not believed; trading goes on. */
  readonly isClockHeld: boolean;
}

export interface HealthSources {
  readonly counters: SharedArrayBuffer;
  readonly journalFigures: SharedArrayBuffer;
}

export function createHealth(sources: HealthSources, clock: ShownClock): () => VenueHealth {
  const counters = new CountersBuffer(sources.counters);
  const figures = new JournalFigures(sources.journalFigures);
  return () => {
    const committedSeq = counters.committedSeq();
    const sinceMs = figures.waitingSinceMs;
    return {
      isOk: counters.state() === RunState.running && !counters.isJournalStalled(),
      // The two are stored by different threads, the committed one sometimes first.
      seq: Math.max(counters.issuedSeq(), committedSeq),
      committedSeq,
      lagMs: sinceMs === 0 ? 0 : Math.max(0, Math.round(clock.nowMs() - sinceMs)),
      isClockHeld: clock.isHeld(),
    };
  };
}
