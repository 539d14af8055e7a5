// Computes the venue's health from shared counters, for /health.

import { CountersBuffer, RunState } from "../../wire/counters-buffer.ts";
import { LeaseBuffer, VenueRole } from "../../wire/lease-buffer.ts";
import { JournalFigures } from "./journal-figures.ts";
import type { ShownClock } from "./metrics-sources.ts";

export interface VenueHealth {
  /** True if the venue accepts orders and the journal commits. */
  readonly isOk: boolean;
  readonly seq: number;
  readonly committedSeq: number;
  /** Age of the oldest event being committed, in ms. */
  readonly lagMs: number;
  /** True if the machine's clock is not trusted; trading continues. */
  readonly isClockHeld: boolean;
  /** "leader" for a venue with a lease; null for one that is alone on its database. */
  readonly role: "leader" | null;
}

export interface HealthSources {
  readonly counters: SharedArrayBuffer;
  readonly journalFigures: SharedArrayBuffer;
  readonly lease: SharedArrayBuffer;
}

export function createHealth(
  sources: HealthSources,
  clock: ShownClock,
  monotonicMs: () => number,
): () => VenueHealth {
  const counters = new CountersBuffer(sources.counters);
  const figures = new JournalFigures(sources.journalFigures);
  const lease = new LeaseBuffer(sources.lease);
  return () => {
    const committedSeq = counters.committedSeq();
    const sinceMs = figures.waitingSinceMs;
    return {
      isOk:
        counters.state() === RunState.running &&
        !counters.isJournalStalled() &&
        lease.mayAcknowledge(monotonicMs()),
      role: lease.role() === VenueRole.leading ? "leader" : null,
      // Two threads store the issued and the committed seq, so the committed one may be higher for a moment.
      seq: Math.max(counters.issuedSeq(), committedSeq),
      committedSeq,
      lagMs: sinceMs === 0 ? 0 : Math.max(0, Math.round(clock.nowMs() - sinceMs)),
      isClockHeld: clock.isHeld(),
    };
  };
}
