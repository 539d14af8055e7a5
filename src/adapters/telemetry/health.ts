// The venue's health from shared counters, as answered by /health.

import { CountersBuffer, RunState } from "../../wire/counters-buffer.ts";
import { JournalFigures } from "./journal-figures.ts";
import type { ShownClock } from "./metrics-sources.ts";

export interface VenueHealth {
  /** Accepts orders, and the journal commits. */
  readonly isOk: boolean;
  readonly seq: number;
  readonly committedSeq: number;
  /** How long the oldest event being committed has waited, in ms. */
  readonly lagMs: number;
  /** The machine's clock is not trusted; trading continues. */
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
      // Two threads store the issued and the committed seq, so the committed one may be ahead for a moment.
      seq: Math.max(counters.issuedSeq(), committedSeq),
      committedSeq,
      lagMs: sinceMs === 0 ? 0 : Math.max(0, Math.round(clock.nowMs() - sinceMs)),
      isClockHeld: clock.isHeld(),
    };
  };
}
