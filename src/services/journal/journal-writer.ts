// Takes records from clearing's ring, commits them in batches to the store, and then passes them to the sources of the
// commands. While one batch is being committed, the next one is collected and projected, so a commit never waits for
// work that could have been done earlier.
//
//   ring ──collect──▶ open batch ──close──▶ in flight ──durable──▶ committed_seq, then the sources
//            ▲                                  │
//            └── replies without events leave at once if nothing before them is in flight
//
// Invariant: a reply leaves only after every event it may depend on is durable, and records leave in the order in
// which clearing wrote them. Nothing is dropped: a store that does not answer stops acknowledgements, fills the ring
// and so stops clearing.

import { commitBatchBytesMax, commitBatchEventsMax } from "../../core/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CommitBatch, EventStore } from "../../ports/journal/event-store.ts";
import type { Log } from "../../ports/log.ts";
import type { CountersBuffer } from "../../wire/counters-buffer.ts";
import { decodeEvent } from "../../wire/generated/event-codec.ts";
import { replyBytes } from "../../wire/generated/message-codec.ts";
import type { SpscRing } from "../../wire/spsc-ring.ts";
import { BatchRecords, type RecordTaker } from "./batch-records.ts";
import type { PendingMark, Projection } from "./projection.ts";

/** The size of what has been collected so far, which is always whole transactions. */
interface Collected {
  readonly events: number;
  readonly bytes: number;
}

/**
 * True if another transaction may join the batch. The transaction that reaches or exceeds a limit is the batch's last.
 */
export function mayCollect(collected: Collected): boolean {
  return collected.events < commitBatchEventsMax && collected.bytes < commitBatchBytesMax;
}

/** The other facts that decide whether a commit starts now. */
interface CommitSituation {
  readonly isInFlight: boolean;
  /** True if coalesced rows have waited too long for a batch of events that they could join. */
  readonly hasOverdueRows: boolean;
}

/**
 * True if the collected batch should be committed now. If no commit is in flight, everything collected is committed, so
 * a single order waits for nothing. While a commit is in flight, further transactions are collected, as long as
 * `mayCollect` allows. The age of a batch does not matter, because each finished commit starts the next.
 */
export function mayCommit(collected: Collected, situation: CommitSituation): boolean {
  if (situation.isInFlight) return false;
  return collected.events > 0 || situation.hasOverdueRows;
}

/** Maximum number of records read per cycle, which takes a fraction of a millisecond. */
const recordsPerCycle = 512;

/** A commit that takes longer than this marks the journal as stalled. */
const stalledAfterMs = 2_000;
const stallMessage = "the journal waits for PostgreSQL: nothing is acknowledged until it commits";

/** Receives durable records. */
export interface CommittedOutlet extends RecordTaker {
  /** Makes everything passed so far visible. */
  publish(): void;
}

/** Receives the writer's measurements. */
export interface JournalMeter {
  /** Called when a commit starts. `oldestMs` is the time of its oldest event, or the current time without events. */
  began(oldestMs: number): void;
  /** Called when a commit is durable. `laggingSinceMs`: see Projection. */
  committed(batch: {
    events: number;
    commitMs: number;
    ackMs: number;
    laggingSinceMs: number;
  }): void;
}

export interface JournalWriterParts {
  readonly ring: SpscRing;
  readonly projection: Projection;
  readonly store: Pick<EventStore, "appendBatch">;
  readonly outlet: CommittedOutlet;
  readonly counters: CountersBuffer;
  readonly clock: Clock;
  readonly meter: JournalMeter;
  /** True while this venue leads; while it is false, nothing is delivered, neither refusals nor what is committed. */
  readonly mayAcknowledge: () => boolean;
  /** Called with every batch once it is acknowledged; its bytes are valid until the call returns. */
  readonly onDelivered: (batch: CommitBatch) => void;
  /** Called after every commit, so that the next cycle runs at once. */
  readonly onCommitted: () => void;
  readonly log: Log;
  /** The store failed permanently, by a bug or because this process lost the writer epoch. The thread must end. */
  readonly onFault: (fault: unknown) => void;
}

interface Settling {
  readonly mark: PendingMark;
  readonly seq: number;
  readonly done: (seq: number) => void;
}

export class JournalWriter {
  readonly #parts: JournalWriterParts;
  #open = new BatchRecords();
  #spare = new BatchRecords();
  #inFlightSinceMs = 0;
  #isInFlight = false;
  #isStalled = false;
  #isInTransaction = false;
  #isStopping = false;
  #isOver = false;
  #releasedFromBytes = 0;
  /** A batch that is committed and not delivered, because the lease has run out. */
  #held: { readonly batch: CommitBatch; readonly records: BatchRecords } | null = null;
  readonly #settlings: Settling[] = [];

  constructor(parts: JournalWriterParts) {
    this.#parts = parts;
  }

  /** One duty cycle; returns the number of records read plus commits started. */
  doWork(): number {
    const records = this.#collect();
    this.#deliverHeld();
    this.#passReplies();
    this.#watchStall();
    return records + (this.#tryCommit() ? 1 : 0);
  }

  /** True if `doWork` would read a record. Commits that are due do not count. */
  hasWork(): boolean {
    return this.#mayRead() && !this.#parts.ring.isEmpty();
  }

  /** How many bytes of the ring were in use when the last cycle released space; 0 if it released none. */
  get releasedFromBytes(): number {
    return this.#releasedFromBytes;
  }

  /** True when everything clearing wrote is durable and delivered. */
  get isDelivered(): boolean {
    return !this.#isInFlight && this.#parts.ring.isEmpty() && this.#open.isEmpty;
  }

  /** True when coalesced rows are written too. */
  get isIdle(): boolean {
    return this.isDelivered && !this.#parts.projection.hasPendingRows;
  }

  /** Writes the coalesced rows that are pending now; resolves with the seq up to which all rows are then complete. */
  settle(): Promise<number> {
    const { projection } = this.#parts;
    return new Promise((done) => {
      this.#settlings.push({ mark: projection.pendingMark(), seq: projection.state.seq, done });
    });
  }

  /** From now on coalesced rows are written without waiting. */
  beginStop(): void {
    this.#isStopping = true;
  }

  /** From now on nothing is committed: the venue has finished what it accepted, and another one takes over. */
  end(): void {
    this.#isOver = true;
  }

  #mayRead(): boolean {
    const collected = { events: this.#open.eventCount, bytes: this.#open.eventBytes };
    return this.#isInTransaction || mayCollect(collected);
  }

  #collect(): number {
    const { ring, projection, clock } = this.#parts;
    const nowMs = clock.nowMs();
    let records = 0;
    while (records < recordsPerCycle && this.#mayRead()) {
      const offset = ring.next();
      if (offset < 0) break;
      records++;
      if (ring.length === replyBytes) {
        this.#open.addReply(ring.u8, offset, ring.length);
        continue;
      }
      const event = decodeEvent(ring, offset, ring.length);
      this.#open.addEvent(ring.u8, offset, ring.length);
      projection.fold(event, ring.length, nowMs);
      this.#isInTransaction = !event.isTransactionEnd;
    }
    // All records read are copied, so their space in the ring is released before the commit.
    this.#releasedFromBytes = ring.release();
    return records;
  }

  /** Replies that depend on nothing in flight leave without a commit. */
  #passReplies(): void {
    if (this.#isInFlight || this.#open.eventCount > 0 || this.#open.isEmpty) return;
    if (!this.#parts.mayAcknowledge()) return;
    this.#open.deliver(this.#parts.outlet);
    this.#parts.outlet.publish();
    this.#open.clear();
  }

  #tryCommit(): boolean {
    if (this.#isInTransaction || this.#isOver) return false;
    const { projection, clock } = this.#parts;
    const isForced = this.#isStopping || this.#settlings.length > 0;
    const dueMs = isForced ? Number.POSITIVE_INFINITY : clock.nowMs();
    const collected = { events: this.#open.eventCount, bytes: this.#open.eventBytes };
    const situation = {
      isInFlight: this.#isInFlight,
      hasOverdueRows: projection.hasOverdueRows(dueMs),
    };
    if (!mayCommit(collected, situation)) {
      if (!this.#isInFlight) this.#finishSettlings();
      return false;
    }
    this.#commit(projection.close(this.#open.events, dueMs));
    return true;
  }

  #commit(batch: CommitBatch): void {
    const records = this.#open;
    this.#open = this.#spare;
    this.#spare = records;
    this.#isInFlight = true;
    this.#inFlightSinceMs = this.#parts.clock.nowMs();
    const [oldestUs] = batch.tsUs;
    this.#parts.meter.began(oldestUs === undefined ? this.#inFlightSinceMs : oldestUs / 1000);
    this.#parts.store.appendBatch(batch).then(
      () => {
        this.#held = { batch, records };
        this.#deliverHeld();
      },
      (fault) => this.#parts.onFault(fault),
    );
  }

  /** Delivers the batch that is committed. Until then it counts as in flight, so nothing overtakes it. */
  #deliverHeld(): void {
    if (this.#held === null || !this.#parts.mayAcknowledge()) return;
    const { batch, records } = this.#held;
    this.#held = null;
    this.#committed(batch, records);
  }

  #committed(batch: CommitBatch, records: BatchRecords): void {
    const { counters, clock, meter, onDelivered, onCommitted, outlet } = this.#parts;
    records.deliver(outlet);
    // Store the seq after the commit and before `publish`. A reader that sees an event or reply then finds its seq
    // committed, and a thread that waits for a committed seq only waits for `publish`.
    counters.storeCommittedSeq(batch.firstSeq + batch.count - 1);
    this.#endStall();
    outlet.publish();
    onDelivered(batch);
    records.clear();
    this.#isInFlight = false;
    const nowMs = clock.nowMs();
    meter.committed({
      events: batch.count,
      commitMs: nowMs - this.#inFlightSinceMs,
      ackMs: nowMs - (batch.tsUs[0] ?? nowMs * 1000) / 1000,
      laggingSinceMs: this.#parts.projection.laggingSinceMs,
    });
    this.#finishSettlings();
    onCommitted();
  }

  #finishSettlings(): void {
    for (let next = this.#settlings[0]; next !== undefined; next = this.#settlings[0]) {
      if (next.seq > this.#parts.counters.committedSeq()) return;
      if (!this.#parts.projection.isWritten(next.mark)) return;
      this.#settlings.shift();
      next.done(next.seq);
    }
  }

  #watchStall(): void {
    if (!this.#isInFlight || this.#isStalled) return;
    const { counters, log } = this.#parts;
    const waitedMs = this.#waitedMs();
    if (waitedMs <= stalledAfterMs) return;
    this.#isStalled = true;
    counters.setJournalStalled(true);
    log.error({ waitedMs }, stallMessage);
  }

  #endStall(): void {
    this.#parts.counters.setJournalStalled(false);
    if (!this.#isStalled) return;
    this.#isStalled = false;
    this.#parts.log.info({ waitedMs: this.#waitedMs() }, "the journal no longer waits");
  }

  #waitedMs(): number {
    return Math.round(this.#parts.clock.nowMs() - this.#inFlightSinceMs);
  }
}
