// Decides when a venue that does not lead may claim the lease, from what it sees of it and from its own monotonic clock.
// A claim too early does no harm: the store takes it only if the lease is still as it was seen, and the writer epoch
// keeps the earlier leader from committing.

import type { Lease } from "../../ports/leadership.ts";

/**
 * Part of a lease after which a leader without a session counts as ended. A process that is killed loses its sessions at
 * once; one that only lost its connection has a new one sooner, or acknowledges nothing from then on.
 */
export const goneShare = 1 / 3;

/**
 * Leases that a leader has after the database failed, to connect again and renew. A follower that is faster costs a
 * take-over, while the leader still has everything that waits for the database.
 */
const leasesAfterFault = 2;

/** What a look at the lease says. */
export interface LeaseSeen {
  /** True if the lease may be claimed. */
  readonly isOver: boolean;
  /** True if nobody leads, or if the leader has handed over to this venue. */
  readonly isHanded: boolean;
  /** True if the lease has another holder than at the look before. */
  readonly isNewHolder: boolean;
  /** Milliseconds for which the lease has not changed. */
  readonly waitedMs: number;
  /**
   * Milliseconds for which the holder may still acknowledge, as it counts its lease; 0 if it has handed over, or if this
   * venue has seen its sessions end: the system ends them with the process, and not while it is paused.
   */
  readonly restMs: number;
}

export class LeaseWatch {
  readonly #name: string;
  #lease: Lease | null = null;
  /** When the lease was first seen as it is. */
  #sinceMs = 0;
  /** Since when the leader has had no session. */
  #goneMs = Number.POSITIVE_INFINITY;
  /** True if the leader has had a session on the server that this venue reads from. */
  #wasHere = false;
  /**
   * Renewals of the first lease seen after a fault of the database, which may be older than the fault. Null once the leader
   * has renewed since, and without a fault.
   */
  #renewalsAtFault: number | "unseen" | null = null;

  /** Watches for the venue called `name`. */
  constructor(name: string) {
    this.#name = name;
  }

  /** The lease as last read; null before that. */
  get lease(): Lease | null {
    return this.#lease;
  }

  /** Takes note of the lease as read at `nowMs` of the monotonic clock. */
  look(lease: Lease, nowMs: number): LeaseSeen {
    const isNewHolder = lease.holder !== this.#lease?.holder;
    if (isNewHolder || lease.renewals !== this.#lease?.renewals) this.#sinceMs = nowMs;
    if (this.#renewalsAtFault === "unseen") this.#renewalsAtFault = lease.renewals;
    else if (lease.renewals !== this.#renewalsAtFault) this.#renewalsAtFault = null;
    const isAfterFault = this.#renewalsAtFault !== null;
    this.#lease = lease;
    const isHanded = lease.holder === "" || lease.handedTo === this.#name;
    this.#goneMs = lease.isConnected ? Number.POSITIVE_INFINITY : Math.min(this.#goneMs, nowMs);
    const isSilent = nowMs - Math.max(this.#goneMs, this.#sinceMs) > goneShare * lease.leaseMs;
    if (isNewHolder || lease.isConnected) this.#wasHere = lease.isConnected;
    const waitedMs = nowMs - this.#sinceMs;
    const hasEnded = isHanded || (isSilent && this.#wasHere);
    const isGone = isSilent && !isAfterFault;
    const patienceMs = (isAfterFault ? leasesAfterFault : 1) * lease.leaseMs;
    return {
      isOver: hasEnded || isGone || waitedMs > patienceMs,
      isHanded,
      isNewHolder,
      waitedMs,
      restMs: hasEnded ? 0 : Math.max(0, lease.leaseMs - waitedMs),
    };
  }

  /** The database failed: what was seen before says nothing about the time without it. */
  failed(nowMs: number): void {
    this.#sinceMs = nowMs;
    this.#goneMs = Number.POSITIVE_INFINITY;
    // The next server may be another one, which never had the leader's sessions.
    this.#wasHere = false;
    this.#renewalsAtFault = "unseen";
  }
}
