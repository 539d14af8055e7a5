// What time a venue starts with. A wall clock far from the newest journaled time may be right, after a long
// stop, or wrong; what tells them apart is the monotonic clock of the same start of the machine. Without it
// a stop may have lasted so long and no longer, unless the operator says that the clock is right.

import type { ClockReading } from "./clock-guard.ts";

/** What a venue writes down of its clock, for its next start. */
export interface ClockRecord {
  /** Which start of the machine it was; monotonic times of another one mean nothing. */
  readonly bootId: string;
  readonly monotonicMs: number;
  /** The venue's time less monotonic time. */
  readonly offsetMs: number;
  /** How long the machine had slept. */
  readonly asleepMs: number;
}

export interface StartFacts extends ClockReading {
  /** Null where the system does not say. */
  readonly bootId: string | null;
  readonly asleepMs: number;
  /** Null where nothing, or nothing readable, was written down. */
  readonly record: ClockRecord | null;
  /** Of the newest event; 0 where there is none. */
  readonly journalMs: number;
  /** The largest difference that is taken over. */
  readonly stepMs: number;
  /** How long a stop may have lasted without anybody's word. */
  readonly downtimeMsMax: number;
  /** The operator says that the wall clock is right. */
  readonly isAccepted: boolean;
}

/** `trusted`: by the wall clock. `held`: the venue's own time, known exactly. `refused`: it is not known. */
export type StartTime =
  | { readonly kind: "trusted" | "held"; readonly offsetMs: number }
  | { readonly kind: "refused"; readonly aheadMs: number };

/** Clocks of a machine that nobody sets drift less than this share of the time. */
const driftShare = 0.0005;

export function startTimeOf(facts: StartFacts): StartTime {
  const { wallMs, monotonicMs, journalMs, stepMs, downtimeMsMax, isAccepted } = facts;
  const trusted = { kind: "trusted", offsetMs: wallMs - monotonicMs } as const;
  if (isAccepted) return trusted;
  const expected = expectedTimes(facts);
  if (expected !== null) {
    const [awake, slept] = expected.times;
    const nearest = Math.abs(wallMs - awake) < Math.abs(wallMs - slept) ? awake : slept;
    const differenceMs = Math.abs(wallMs - nearest);
    // What is taken over gradually while a venue runs is so over a restart.
    if (differenceMs <= stepMs) return { kind: "trusted", offsetMs: nearest - monotonicMs };
    if (differenceMs <= stepMs + expected.elapsedMs * driftShare) return trusted;
    return { kind: "held", offsetMs: Math.max(slept, journalMs) - monotonicMs };
  }
  if (journalMs === 0) return trusted;
  const aheadMs = wallMs - journalMs;
  if (aheadMs >= -stepMs && aheadMs <= downtimeMsMax) return trusted;
  return { kind: "refused", aheadMs };
}

/** What time it must be by the monotonic clock, with and without what was slept; null where it says nothing. */
function expectedTimes({ bootId, record, monotonicMs, asleepMs }: StartFacts): {
  readonly elapsedMs: number;
  readonly times: readonly [awake: number, slept: number];
} | null {
  if (record === null || bootId === null || record.bootId !== bootId) return null;
  const elapsedMs = monotonicMs - record.monotonicMs;
  if (elapsedMs < 0) return null;
  const awake = monotonicMs + record.offsetMs;
  // Within a container the sleep that is told of may begin anew: it counts only where it grew.
  const sleptMs = Math.max(0, asleepMs - record.asleepMs);
  return { elapsedMs, times: [awake, awake + sleptMs] };
}
