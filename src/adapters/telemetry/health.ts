// Computes the health of a venue, or of a gateway, from shared counters, for /health.

import { busLostMs } from "../../core/bus-limits.ts";
import { CountersBuffer, RunState } from "../../wire/counters-buffer.ts";
import { LeaseBuffer, VenueRole } from "../../wire/lease-buffer.ts";
import { JournalFigures } from "./journal-figures.ts";
import type { ShownClock } from "./metrics-sources.ts";
import { SafetyFigures, type Solvency } from "./safety-figures.ts";

export interface VenueHealth {
  /** True if the venue accepts orders and the journal commits. */
  readonly isOk: boolean;
  readonly seq: number;
  readonly committedSeq: number;
  /** Age of the oldest event being committed, in ms. */
  readonly lagMs: number;
  /** True if the machine's clock is not trusted; trading continues. */
  readonly isClockHeld: boolean;
  /** Why it takes no requests at all; null if it takes them. */
  readonly refusing: "starting" | "stopping" | "lease_over" | null;
  /** What the newest statement of liabilities says; a gateway does not know it. */
  readonly solvency: Solvency;
  /** "leader" for a venue with a lease; null for one that is alone on its database. */
  readonly role: "leader" | "gateway" | null;
  /** What a gateway lacks on its way to the leader; null for a venue. */
  readonly away: {
    /** Milliseconds since a leader was last heard that takes its commands. */
    readonly leaderMs: number;
    /** True if its connection to the bus is away for long: other gateways may have theirs. */
    readonly isBus: boolean;
  } | null;
}

/** What only a gateway knows of its leader. */
export interface LeaderSight {
  readonly leaderAwayMs: number;
  /**
   * Time in ms without a leader from which the gateway counts as unavailable. It is the time limit of a request: a
   * request that comes later can hardly be answered, whereas a shorter absence is only waited for.
   */
  readonly awayMsMax: number;
  /** Milliseconds since the gateway's own connection to the bus was lost; 0 while there is one. */
  readonly busAwayMs: number;
}

export interface HealthSources {
  readonly counters: SharedArrayBuffer;
  readonly journalFigures: SharedArrayBuffer;
  readonly lease: SharedArrayBuffer;
  readonly safety: SharedArrayBuffer;
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
  const safety = new SafetyFigures(sources.safety);
  return () => {
    const committedSeq = counters.committedSeq();
    const sinceMs = figures.waitingSinceMs;
    const away = sight === null ? null : awayOf(sight);
    const mayAcknowledge = lease.mayAcknowledge(monotonicMs());
    const ownRole = lease.role() === VenueRole.leading ? "leader" : null;
    return {
      isOk:
        counters.state() === RunState.running &&
        !counters.isJournalStalled() &&
        mayAcknowledge &&
        away?.isBus !== true &&
        (sight === null || sight.leaderAwayMs <= sight.awayMsMax),
      away,
      refusing: refusingOf(counters.state(), mayAcknowledge),
      role: sight === null ? ownRole : "gateway",
      // Two threads store the issued and the committed seq, so the committed one may be higher for a moment.
      seq: Math.max(counters.issuedSeq(), committedSeq),
      committedSeq,
      lagMs: sinceMs === 0 ? 0 : Math.max(0, Math.round(clock.nowMs() - sinceMs)),
      isClockHeld: clock.isHeld(),
      solvency: safety.solvency,
    };
  };
}

function refusingOf(state: RunState, mayAcknowledge: boolean): VenueHealth["refusing"] {
  if (state === RunState.starting) return "starting";
  if (state !== RunState.running) return "stopping";
  return mayAcknowledge ? null : "lease_over";
}

function awayOf({ leaderAwayMs, busAwayMs }: LeaderSight) {
  return { leaderMs: leaderAwayMs, isBus: busAwayMs > busLostMs };
}
