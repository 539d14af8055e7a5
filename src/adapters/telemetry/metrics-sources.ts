// The sources of the venue's metrics: shared memory, and names for its content.

import type { Clock } from "../../ports/clock.ts";
import type { CustodyFiguresReader } from "../../ports/ledger/custody-figures.ts";

/** Sampling interval of the event loop's delay, in ms. */
export const loopSampleMs = 5;

/** A ring and its name. */
export interface NamedRing {
  readonly name: string;
  readonly buffer: SharedArrayBuffer;
}

/** The venue's clock with its state. */
export interface ShownClock extends Clock {
  isHeld(): boolean;
  /** Wall clock minus venue time, in ms. */
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
  /** The front whose event loop this is. */
  readonly front: string;
  readonly custody: CustodyFiguresReader;
  readonly clock: ShownClock;
  /** In the order of the heartbeats. */
  readonly threadNames: readonly string[];
}
