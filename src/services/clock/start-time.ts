// Decides the time a venue starts with. If the wall clock is far from the newest journal time, either the venue was
// stopped for long or the clock is wrong. The monotonic clock shows which, if the machine was not rebooted since. After
// a reboot the start is refused if the wall clock is behind the journal, or ahead of it by more than a configured time,
// unless the operator accepts the clock.

import type { ClockReading } from "./clock-guard.ts";

/** The clock state a venue stores for its next start. */
export interface ClockRecord {
  /** The boot of the machine; monotonic times of another boot are not comparable. */
  readonly bootId: string;
  readonly monotonicMs: number;
  /** Venue time minus monotonic time. */
  readonly offsetMs: number;
  /** How long the machine had slept since boot when the record was written. */
  readonly asleepMs: number;
}

export interface StartFacts extends ClockReading {
  /** The current boot; null if the system does not report it. */
  readonly bootId: string | null;
  readonly asleepMs: number;
  /** The record that was stored last; null if there is none or it cannot be read. */
  readonly record: ClockRecord | null;
  /** The time of the newest journal event; 0 if there is none. */
  readonly journalMs: number;
  /** The largest difference that is corrected gradually. */
  readonly stepMs: number;
  /** The longest stop accepted without the operator's confirmation. */
  readonly downtimeMsMax: number;
  /** The operator confirms the wall clock. */
  readonly isAccepted: boolean;
}

/**
 * `trusted`: the wall clock applies. `held`: the venue's time is known from the monotonic clock. `refused`: the
 * venue's time is unknown.
 */
export type StartTime =
  | { readonly kind: "trusted" | "held"; readonly offsetMs: number }
  | { readonly kind: "refused"; readonly aheadMs: number };

/** Unadjusted machine clocks drift less than this share of the time. */
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
    // A difference that a running venue would correct gradually is accepted at a restart too.
    if (differenceMs <= stepMs) return { kind: "trusted", offsetMs: nearest - monotonicMs };
    if (differenceMs <= stepMs + expected.elapsedMs * driftShare) return trusted;
    return { kind: "held", offsetMs: Math.max(slept, journalMs) - monotonicMs };
  }
  if (journalMs === 0) return trusted;
  const aheadMs = wallMs - journalMs;
  if (aheadMs >= -stepMs && aheadMs <= downtimeMsMax) return trusted;
  return { kind: "refused", aheadMs };
}

/**
 * The venue's time now by the monotonic clock, once without and once with the time that the machine slept; null if
 * there is no record of the same boot.
 */
function expectedTimes({ bootId, record, monotonicMs, asleepMs }: StartFacts): {
  readonly elapsedMs: number;
  readonly times: readonly [awake: number, slept: number];
} | null {
  if (record === null || bootId === null || record.bootId !== bootId) return null;
  const elapsedMs = monotonicMs - record.monotonicMs;
  if (elapsedMs < 0) return null;
  const awake = monotonicMs + record.offsetMs;
  // In a container the reported sleep may restart at zero, so only an increase counts.
  const sleptMs = Math.max(0, asleepMs - record.asleepMs);
  return { elapsedMs, times: [awake, awake + sleptMs] };
}
