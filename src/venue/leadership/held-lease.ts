// The lease of a leading venue: renewed on sessions apart from the journal's, and published to all threads in shared
// memory. With each renewal it publishes what followers need: how far rows are written, and the chained hash.

import { setTimeout as sleep } from "node:timers/promises";
import { isRetryable } from "../../adapters/postgres/retryable.ts";
import { monotonicMs } from "../../adapters/runtime/system-clock.ts";
import type { Candidate, ChainMark, LeadershipStore } from "../../ports/leadership.ts";
import type { Log } from "../../ports/log.ts";
import { shouldYield } from "../../services/leadership/bus-absence.ts";
import { LeaseRenewal } from "../../services/leadership/lease-renewal.ts";
import type { CountersBuffer } from "../../wire/counters-buffer.ts";
import { type LeaseBuffer, VenueRole } from "../../wire/lease-buffer.ts";
import type { LeaseSettings } from "../config/config.ts";
import type { WorkerThread } from "../spawn.ts";
import type { Leadership } from "./stand-by.ts";

/** How often all pending rows are written, so that a follower knows which rows are. */
const settleMs = 5_000;
/** How long a follower that has just started may take to report, in ms. */
const reportMsMax = 3_000;

export interface HeldLeaseParts {
  readonly store: LeadershipStore;
  readonly candidate: Candidate;
  readonly settings: LeaseSettings;
  readonly leadership: Leadership;
  readonly buffer: LeaseBuffer;
  readonly counters: CountersBuffer;
  readonly journal: WorkerThread;
  readonly log: Log;
}

export class HeldLease {
  readonly #parts: HeldLeaseParts;
  readonly #renewing: LeaseRenewal;
  #settling: NodeJS.Timeout | undefined;
  readonly #lost: Promise<string>;
  #tellYield: () => void = () => undefined;
  #settledSeq = 0;
  #chain: ChainMark | null = null;
  #nearest: string | null = null;
  #nearestOnBus: string | null = null;
  #handedTo: string | null = null;

  /** Starts renewing at once: the start of a venue may take longer than a lease. */
  constructor(parts: HeldLeaseParts) {
    this.#parts = parts;
    const { store, candidate, settings, leadership, buffer, log } = parts;
    buffer.setEpoch(leadership.epoch);
    buffer.renewed(leadership.claimedMs, leadership.claimedMs + settings.leaseMs);
    buffer.setRole(VenueRole.leading);
    let lose: (reason: string) => void = () => undefined;
    this.#lost = new Promise((resolve) => {
      lose = resolve;
    });
    this.#renewing = new LeaseRenewal({
      store,
      holder: candidate.name,
      ...settings,
      claimedMs: leadership.claimedMs,
      monotonicMs,
      pause: (ms) => sleep(ms, undefined, { ref: false }),
      isRetryable,
      log,
      renewal: () => ({
        settledSeq: this.#settledSeq,
        chain: this.#chain,
        handedTo: this.#handedTo,
      }),
      onRenewed: (sentMs, untilMs, { slowestSeq, nearest, nearestOnBus }) => {
        if (this.#handedTo === null) buffer.renewed(sentMs, untilMs);
        // The lease that names a successor runs out soon, so that another follower leads if that one is gone.
        else void this.#renewing.close();
        this.#nearest = nearest;
        this.#nearestOnBus = nearestOnBus;
        if (nearestOnBus !== null && this.#lacksBus()) this.#tellYield();
        const committed = parts.counters.committedSeq();
        buffer.setDistance(slowestSeq === null ? null : Math.max(0, committed - slowestSeq));
      },
      onFailed: (untilMs) => buffer.shorten(untilMs),
      onLost: (reason) => {
        buffer.end();
        // A lease that was handed over is not lost: the venue ends by itself once it has told the operator.
        if (this.#handedTo === null) lose(reason);
      },
    });
    parts.journal.hear("chained", (chain) => {
      this.#chain = chain;
    });
    this.#renewing.start();
  }

  get epoch(): string {
    return this.#parts.leadership.epoch;
  }

  /** True if the former leader handed over or stopped, or if there was none. */
  get isPlanned(): boolean {
    return this.#parts.leadership.isPlanned;
  }

  /** Name of the follower that would take over; null without followers. */
  get nearest(): string | null {
    return this.#nearest;
  }

  /** Waits a few seconds for a follower that has just started; false if none reports. */
  async isFollowed(): Promise<boolean> {
    const endMs = monotonicMs() + reportMsMax;
    while (this.#nearest === null && monotonicMs() < endMs)
      await sleep(this.#parts.settings.renewMs);
    return this.#nearest !== null;
  }

  /** True from the moment in which a follower is to be named; its claim then ends this venue's sessions. */
  get isHandedOver(): boolean {
    return this.#handedTo !== null;
  }

  /** Resolves with the reason when another venue has taken the lease; the venue must then end. */
  get lost(): Promise<string> {
    return this.#lost;
  }

  /** Calls back, with each renewal, while this venue should hand over: it has lost the bus, and a follower has not. */
  whenYielding(tell: () => void): void {
    this.#tellYield = tell;
  }

  #lacksBus(): boolean {
    const { buffer, leadership } = this.#parts;
    const nowMs = monotonicMs();
    return shouldYield(buffer.busAwayMs(nowMs), nowMs - leadership.claimedMs);
  }

  /** Begins to publish how far rows are written; `settle` writes all pending rows and returns the seq of the last. */
  publish(settle: () => Promise<number>): void {
    this.#settling = setInterval(() => {
      void settle().then((seq) => {
        this.#settledSeq = seq;
      });
    }, settleMs).unref();
  }

  /**
   * Gives the lease to the nearest follower, of those with a bus if this venue lacks it, and stops acknowledging;
   * everything must be durable, and all rows up to `settledSeq` written. Does nothing without followers: the lease is then released by `close`.
   */
  async handOver(settledSeq: number): Promise<void> {
    const { store, candidate, buffer, log } = this.#parts;
    if (this.#nearest === null) return;
    this.#settledSeq = Math.max(this.#settledSeq, settledSeq);
    this.#handedTo = (this.#lacksBus() ? this.#nearestOnBus : null) ?? this.#nearest;
    buffer.end();
    const renewal = { settledSeq: this.#settledSeq, chain: null, handedTo: this.#handedTo };
    await store.renew(candidate.name, renewal);
    log.warn(
      {},
      "handed over to a follower: this venue ends, and follows when it is started again",
    );
  }

  /** Stops renewing. Releases the lease unless it was handed over; the journal's session must have ended. */
  async close(): Promise<void> {
    const { store, candidate, buffer } = this.#parts;
    clearInterval(this.#settling);
    buffer.end();
    await this.#renewing.close();
    if (this.#handedTo === null) await store.release(candidate.name).catch(() => undefined);
    await store.close();
  }
}
