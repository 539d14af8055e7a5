// A venue before it leads: it watches the lease in the database and claims it when nobody else holds it. While another
// venue leads, it follows: it keeps the state warm, compares it with the leader's journal, and builds the snapshots.
//
//   read the lease ──free, handed to us, or not renewed for its duration──▶ claim ──▶ lead
//         ▲    └──held by another──▶ fold what is committed ──┐               └─ taken meanwhile ─┐
//         └──────────────────── pause ◀───────────────────────┴──────────────────────────────────┘

import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { PostgresEventStore } from "../../adapters/postgres/event-store.ts";
import { loadMarketTable } from "../../adapters/postgres/queries/journal/markets.ts";
import { isRetryable } from "../../adapters/postgres/retryable.ts";
import { monotonicMs } from "../../adapters/runtime/system-clock.ts";
import type { MarketTable } from "../../core/markets.ts";
import { captureState } from "../../engine/state/snapshot/venue-snapshot.ts";
import { stateHash } from "../../engine/state-hash.ts";
import type { EventChunk } from "../../ports/journal/event-store.ts";
import type { Candidate, LeadershipStore, Lease } from "../../ports/leadership.ts";
import type { Log } from "../../ports/log.ts";
import { Follower, JournalDiverged } from "../../services/journal/following/follower.ts";
import { newestSnapshot } from "../../services/journal/replay.ts";
import { isSteady } from "../../services/leadership/bus-absence.ts";
import { LeaseWatch } from "../../services/leadership/lease-watch.ts";
import { type LeaseBuffer, VenueRole } from "../../wire/lease-buffer.ts";
import { packSnapshot } from "../../wire/snapshot-codec.ts";
import type { VenueDatabase } from "../database.ts";
import type { WarmSeed } from "../recovery.ts";
import type { MarkFile } from "./mark-file.ts";

/** Pause between two looks at the lease and the journal. */
const pollMs = 25;
/** Pause after a failure of the database. */
const faultMs = 100;
/** How often a follower reports where it is. */
const reportMs = 500;
/** How often a follower checks that no market was added, which its threads would not know. */
const tableMs = 5_000;

/** Thrown when the wait ends without leadership. */
export class StandByEnded extends Error {
  override name = "StandByEnded";
}

export interface Leadership {
  readonly epoch: string;
  /** Monotonic time from which the lease counts. */
  readonly claimedMs: number;
  /** True if the earlier leader handed over or stopped, or if there was none. */
  readonly isPlanned: boolean;
  /** Resolves when no session of the former leader is left. Nothing may be served before, nor before `servesFromMs`. */
  readonly isAlone: Promise<void>;
  /** Monotonic time at which the lease of the former leader is over, as that leader counts it: until then it may answer. */
  readonly servesFromMs: number;
  /** What the threads have followed; null if the state must be recovered. */
  readonly warm: WarmSeed | null;
  /** The journal's chained hash after the newest event; empty if it is not known. */
  readonly chainHash: Uint8Array;
}

export interface StandByParts {
  readonly store: LeadershipStore;
  readonly candidate: Candidate;
  readonly database: VenueDatabase;
  readonly table: MarketTable;
  readonly lease: LeaseBuffer;
  readonly mark: MarkFile;
  readonly log: Log;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Called with the follower's first state, packed, and again if the state had to be read anew. */
  readonly onState: (bytes: Uint8Array) => void;
  /** Called with the events that follow that state, in order. */
  readonly onEvents: (chunk: EventChunk) => void;
  /** Called when the lease is claimed, before the newest events are folded. */
  readonly onClaimed: (epoch: string) => void;
  /** Called each time another venue is found to lead. */
  readonly onFollowing: (leader: Lease) => void;
}

export class StandBy {
  readonly #parts: StandByParts;
  readonly #events: PostgresEventStore;
  readonly #watch: LeaseWatch;
  #follower: Follower | null = null;
  #reportedMs = 0;
  #checkedMs = 0;
  #snapshotSeq = 0;
  #endPause: () => void = () => undefined;

  constructor(parts: StandByParts) {
    this.#parts = parts;
    const { database, candidate, log, store } = parts;
    store.listen(() => this.#endPause());
    this.#watch = new LeaseWatch(candidate.name);
    this.#events = new PostgresEventStore({
      connection: database.connection,
      log,
      isStopping: () => true,
    });
  }

  /** The lease as last read; null before that. */
  get lease(): Lease | null {
    return this.#watch.lease;
  }

  /** Seq of the follower's state; 0 without one. */
  get seq(): number {
    return this.#follower?.seq ?? 0;
  }

  /** Seq and state hash of the follower's state; null without one. */
  hash(): { readonly seq: number; readonly stateHash: string } | null {
    const follower = this.#follower;
    return follower === null ? null : { seq: follower.seq, stateHash: stateHash(follower.state) };
  }

  /** Drops the follower's state, so that it is read again. */
  rebuild(): void {
    this.#follower = null;
  }

  /**
   * Resolves when this venue leads. Throws StandByEnded after the signal, JournalRefused if the journal lacks what this
   * venue has acknowledged or seen proven, and a PostgresFault `second-venue` if a venue without a lease writes it.
   */
  async untilLeading(): Promise<Leadership> {
    const { log, signal } = this.#parts;
    try {
      while (!signal.aborted) {
        try {
          const led = await this.#look();
          if (led !== null) return led;
          await this.#pause(pollMs);
        } catch (error) {
          if (error instanceof JournalDiverged) this.#diverged(error);
          else if (!isRetryable(error)) throw error;
          else {
            this.#watch.failed(monotonicMs());
            log.warn({ error }, "the database does not answer; the lease cannot be watched");
          }
          await this.#pause(faultMs);
        }
      }
    } finally {
      void this.#events.close();
    }
    throw new StandByEnded("stopped before it led");
  }

  async #look(): Promise<Leadership | null> {
    const { store, candidate, log } = this.#parts;
    const lease = await store.read();
    const nowMs = monotonicMs();
    const { isOver, isHanded, isNewHolder, ...seen } = this.#watch.look(lease, nowMs);
    if (isNewHolder && lease.holder !== "") this.#told(lease);
    if (!isOver) {
      // Reading the first state takes long. A leader without a session is either back before that, or gone.
      if (this.#follower !== null || lease.isConnected) await this.#follow(lease, nowMs);
      return null;
    }
    const claimedMs = monotonicMs();
    const epoch = await store.claim(candidate, lease);
    if (epoch === null) return null;
    this.#parts.onClaimed(epoch);
    const isPlanned = isHanded || lease.epoch === "0";
    const claimMs = Math.round(monotonicMs() - claimedMs);
    const waitedMs = Math.round(seen.waitedMs);
    log.warn({ epoch, from: lease.address, isPlanned, waitedMs, claimMs }, "this venue leads now");
    const isAlone = store.endSessions(lease.holder);
    isAlone.catch(() => undefined);
    const servesFromMs = nowMs + seen.restMs;
    return { epoch, claimedMs, isPlanned, isAlone, servesFromMs, ...(await this.#finish()) };
  }

  #told(lease: Lease): void {
    const { log, onFollowing, lease: buffer } = this.#parts;
    log.info({ leader: lease.address, epoch: lease.epoch }, "another venue leads: following it");
    buffer.setRole(VenueRole.following);
    this.#checkedMs = 0;
    onFollowing(lease);
  }

  async #follow(lease: Lease, nowMs: number): Promise<void> {
    const { store, candidate, mark, lease: buffer } = this.#parts;
    if (nowMs - this.#checkedMs > tableMs) {
      await this.#checkTable();
      this.#checkedMs = nowMs;
    }
    if (this.#follower === null) {
      this.#follower = await this.#opened();
      await store.prepare();
    }
    // A snapshot that differs drops the follower at any time; the next look then reads another one.
    const follower = this.#follower;
    await follower.catchUp(lease);
    const { proven } = follower;
    if (proven !== null) mark.note(proven, lease.epoch);
    buffer.setDistance(Math.max(0, (await this.#events.lastSeq()) - follower.seq));
    if (nowMs - this.#reportedMs < reportMs) return;
    this.#reportedMs = nowMs;
    await store.follow(candidate, follower.seq, isSteady(buffer.busConnectedMs(nowMs)));
  }

  async #opened(): Promise<Follower> {
    const { table, mark, onState, onEvents } = this.#parts;
    await mark.compare(this.#events);
    const { state } = await newestSnapshot(this.#events, table);
    this.#snapshotSeq = state.seq;
    onState(packSnapshot(captureState(state)));
    return new Follower(state, this.#events, onEvents);
  }

  async #checkTable(): Promise<void> {
    const { table, database } = this.#parts;
    const now = await loadMarketTable(database.sql);
    if (
      isDeepStrictEqual(now.markets, table.markets) &&
      isDeepStrictEqual(now.assets, table.assets)
    )
      return;
    throw new StandByEnded("markets have changed: a new start reads them");
  }

  #diverged(error: JournalDiverged): void {
    this.#parts.log.error(
      { reason: error.message },
      "the follower's state is wrong: rebuilding it",
    );
    this.rebuild();
  }

  /** Waits until it is time to look again; a handover ends the wait. */
  async #pause(ms: number): Promise<void> {
    const { signal } = this.#parts;
    const handed = new Promise<void>((resolve) => {
      this.#endPause = resolve;
    });
    await Promise.race([sleep(ms, undefined, { signal }).catch(() => undefined), handed]);
  }

  /** The follower's state at the journal's head, once the epoch has been raised. */
  async #finish(): Promise<Pick<Leadership, "warm" | "chainHash">> {
    await this.#parts.mark.compare(this.#events);
    const follower = this.#follower;
    const cold = { warm: null, chainHash: new Uint8Array() };
    if (follower === null) return cold;
    const beganMs = performance.now();
    const before = follower.seq;
    try {
      await follower.finish();
    } catch (error) {
      if (!(error instanceof JournalDiverged)) throw error;
      this.#diverged(error);
      return cold;
    }
    const { seq } = follower;
    const warm = {
      seq,
      unwritten: follower.unwritten(),
      snapshotSeq: this.#snapshotSeq,
      replayed: seq - before,
      tookMs: Math.round(performance.now() - beganMs),
    };
    return { warm, chainHash: follower.chainHash() };
  }
}
