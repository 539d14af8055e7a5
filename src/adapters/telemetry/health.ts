// Computes the health of a venue, or of a gateway, from shared counters, for /health.

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
  readonly role: "leader" | "gateway" | null;
  /** Of a gateway: milliseconds since a leader was last heard that takes its commands; otherwise null. */
  readonly leaderAwayMs: number | null;
}

/** What only a gateway knows of its leader. */
export interface LeaderSight {
  readonly leaderAwayMs: number;
  /**
   * Time in ms without a leader from which the gateway counts as unavailable. It is the time limit of a request: a
   * request that comes later can hardly be answered, whereas a shorter absence is only waited for.
   */
  readonly awayMsMax: number;
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
  sight: LeaderSight | null,
): () => VenueHealth {
  const counters = new CountersBuffer(sources.counters);
  const figures = new JournalFigures(sources.journalFigures);
  const lease = new LeaseBuffer(sources.lease);
  return () => {
    const committedSeq = counters.committedSeq();
    const sinceMs = figures.waitingSinceMs;
    const ownRole = lease.role() === VenueRole.leading ? "leader" : null;
    return {
      isOk:
        counters.state() === RunState.running &&
        !counters.isJournalStalled() &&
        lease.mayAcknowledge(monotonicMs()) &&
        (sight === null || sight.leaderAwayMs <= sight.awayMsMax),
      role: sight === null ? ownRole : "gateway",
      leaderAwayMs: sight?.leaderAwayMs ?? null,
      // Two threads store the issued and the committed seq, so the committed one may be higher for a moment.
      seq: Math.max(counters.issuedSeq(), committedSeq),
      committedSeq,
      lagMs: sinceMs === 0 ? 0 : Math.max(0, Math.round(clock.nowMs() - sinceMs)),
      isClockHeld: clock.isHeld(),
    };
  };
}
