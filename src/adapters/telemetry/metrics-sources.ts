// Where the venue's metrics come from: shared memory, and names for what is in it.

import type { Clock } from "../../ports/clock.ts";
import type { CustodyFiguresReader } from "../../ports/ledger/custody-figures.ts";

/** How finely the event loop's delay is sampled. */
export const loopSampleMs = 5;

/** A ring and what to call it. */
export interface NamedRing {
  readonly name: string;
  readonly buffer: SharedArrayBuffer;
}

/** The venue's clock, with what is told of it. */
export interface ShownClock extends Clock {
  isHeld(): boolean;
  /** Milliseconds that the machine's wall clock is ahead of the venue's time. */
  differenceMs(): number;
}

export interface MetricsSources {
  readonly counters: SharedArrayBuffer;
  readonly journalFigures: SharedArrayBuffer;
  readonly settlementFigures: SharedArrayBuffer;
  /** Of `ThreadFigures`, in the order of the heartbeats. */
  readonly threadFigures: SharedArrayBuffer;
  /** Of `RefusalCounts`. */
  readonly refusals: SharedArrayBuffer;
  /** Of `SafetyFigures`. */
  readonly safety: SharedArrayBuffer;
  readonly rings: readonly NamedRing[];
  /** Whose event loop this is. */
  readonly front: string;
  readonly custody: CustodyFiguresReader;
  readonly clock: ShownClock;
  /** In the order of the heartbeats. */
  readonly threadNames: readonly string[];
}
