// The sources of the venue's metrics: shared memory, and the names of its contents.

import type { Clock } from "../../ports/clock.ts";
import type { CustodyFiguresReader } from "../../ports/ledger/custody-figures.ts";
import type { PriceSourceState } from "../../ports/price-source.ts";
import type { TradingState } from "../../services/settlement/custody/trading-state.ts";

/** Memory of a ring, with the ring's name. */
export interface NamedRing {
  readonly name: string;
  readonly buffer: SharedArrayBuffer;
}

/** The venue's clock with the state that metrics show. */
export interface ShownClock extends Clock {
  isHeld(): boolean;
  /** Difference of wall clock and venue time in ms. */
  differenceMs(): number;
}

export interface MetricsSources {
  readonly counters: SharedArrayBuffer;
  readonly journalFigures: SharedArrayBuffer;
  readonly settlementFigures: SharedArrayBuffer;
  /** Memory of the `ThreadFigures`, with the same indexes as the heartbeats. */
  readonly threadFigures: SharedArrayBuffer;
  /** Memory of the `RefusalCounts`. */
  readonly refusals: SharedArrayBuffer;
  /** Memory of the `AnswerCounts`. */
  readonly answers: SharedArrayBuffer;
  /** Memory of the `SafetyFigures`. */
  readonly safety: SharedArrayBuffer;
  /** Memory of the `LeaseBuffer`. */
  readonly lease: SharedArrayBuffer;
  /** The machine's monotonic clock, by which leases are measured. */
  readonly monotonicMs: () => number;
  readonly rings: readonly NamedRing[];
  /** The data folder, whose disk is measured. */
  readonly dataDir: string;
  /** Name of the front whose event loop is measured. */
  readonly front: string;
  readonly custody: CustodyFiguresReader;
  /** The newest state of each price source. */
  readonly priceSources: () => readonly PriceSourceState[];
  /** Whether the venue's own makers may trade. */
  readonly makers: () => TradingState;
  readonly clock: ShownClock;
  /** Names of the threads, with the same indexes as the heartbeats. */
  readonly threadNames: readonly string[];
}
