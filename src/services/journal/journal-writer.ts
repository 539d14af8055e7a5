// Ring → batches → store → sources. While one batch is being committed the next one is collected and
// projected, so a commit never waits for work that could be done before.
//
//   ring ──collect──▶ open batch ──close──▶ in flight ──durable──▶ committed_seq, then the sources
//            ▲                                  │
//            └── replies alone pass at once when nothing before them is in flight
//
// Invariant: a reply leaves only when every event it may rest on is durable, and records leave in the
// order in which clearing wrote them. Nothing is dropped: a store that does not answer stops the
// acknowledgements, fills the ring, and thereby stops clearing.

import { commitBatchBytesMax, commitBatchEventsMax } from "../../core/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CommitBatch, EventStore } from "../../ports/journal/event-store.ts";
import type { CountersBuffer } from "../../wire/counters-buffer.ts";
import { decodeEvent } from "../../wire/generated/event-codec.ts";
import { replyBytes } from "../../wire/generated/message-codec.ts";
import type { SpscRing } from "../../wire/spsc-ring.ts";
import { BatchRecords, type RecordTaker } from "./batch-records.ts";
import type { PendingMark, Projection } from "./projection.ts";

// When a batch of events is closed and committed. The rule is the simplest that is fast at both ends
// of the load: while no commit is in flight, whatever is there goes at once (a single order waits for
// nothing); while one is in flight, everything that arrives collects, up to the bounds. Age plays no
// part: the commit in flight is the clock.

/** What has been collected so far; always whole transactions. */
interface Collected {
  readonly events: number;
  readonly bytes: number;
}

/** True if another transaction may join: a transaction that crosses a bound is the batch's last. */
export function mayCollect(collected: Collected): boolean {
  return collected.events < commitBatchEventsMax && collected.bytes < commitBatchBytesMax;
}

/** What else decides whether a commit starts now. */
interface CommitSituation {
  readonly isInFlight: boolean;
  /** Rows of projections that waited for a batch of events to join and met none. */
  readonly hasOverdueRows: boolean;
}

/** True if the collected batch is to be committed now. */
export function mayCommit(collected: Collected, situation: CommitSituation): boolean {
  if (situation.isInFlight) return false;
  return collected.events > 0 || situation.hasOverdueRows;
}

/** Records read between two looks at the event loop: a fraction of a millisecond. */
const recordsPerCycle = 512;

/** A commit under way for longer than this is a journal that does not get through. */
const stalledAfterMs = 2_000;

/** Where durable records go. */
export interface CommittedOutlet extends RecordTaker {
  /** Everything handed over so far may be seen. */
  publish(): void;
}

/** What the writer measures. */
export interface JournalMeter {
  /** A commit began; its oldest event is of `oldestMs` (of now, for a batch without events). */
  began(oldestMs: number): void;
  committed(batch: { events: number; commitMs: number; ackMs: number }): void;
}

export interface JournalWriterParts {
  readonly ring: SpscRing;
  readonly projection: Projection;
  readonly store: Pick<EventStore, "appendBatch">;
  readonly outlet: CommittedOutlet;
  readonly counters: CountersBuffer;
  readonly clock: Clock;
  readonly meter: JournalMeter;
  /** Called whenever a commit has ended, so that the next cycle runs at once. */
  readonly onCommitted: () => void;
  /** The store gave up for good: a bug, a lost epoch. The thread must end. */
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
  #isInTransaction = false;
  #isStopping = false;
  #releasedFromBytes = 0;
  readonly #settlings: Settling[] = [];

  constructor(parts: JournalWriterParts) {
    this.#parts = parts;
  }

  /** One duty cycle; answers how many records it read or commits it began. */
  doWork(): number {
    const records = this.#collect();
    this.#passReplies();
    this.#watchStall();
    return records + (this.#tryCommit() ? 1 : 0);
  }

  /** True if `doWork` would find something. */
  hasWork(): boolean {
    return this.#mayRead() && !this.#parts.ring.isEmpty();
  }

  /** Bytes that were in use in the ring before the last cycle gave some back; 0 if it gave back none. */
  get releasedFromBytes(): number {
    return this.#releasedFromBytes;
  }

  /** True when everything that clearing wrote is durable and delivered, coalesced rows included. */
  get isIdle(): boolean {
    const { ring, projection } = this.#parts;
    return !this.#isInFlight && ring.isEmpty() && this.#open.isEmpty && !projection.hasPendingRows;
  }

  /** Writes the coalesced rows that are pending now; resolves with the seq they are complete up to. */
  settle(): Promise<number> {
    const { projection } = this.#parts;
    return new Promise((done) => {
      this.#settlings.push({ mark: projection.pendingMark(), seq: projection.state.seq, done });
    });
  }

  /** From now on coalesced rows are written without waiting for their time. */
  beginStop(): void {
    this.#isStopping = true;
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
    // Everything read is copied, so the ring gets its room back before the commit.
    this.#releasedFromBytes = ring.release();
    return records;
  }

  /** Replies that rest on nothing still in flight leave without a commit. */
  #passReplies(): void {
    if (this.#isInFlight || this.#open.eventCount > 0 || this.#open.isEmpty) return;
    this.#open.deliver(this.#parts.outlet);
    this.#parts.outlet.publish();
    this.#open.clear();
  }

  #tryCommit(): boolean {
    if (this.#isInTransaction) return false;
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
      () => this.#committed(batch, records),
      (fault) => this.#parts.onFault(fault),
    );
  }

  #committed(batch: CommitBatch, records: BatchRecords): void {
    const { counters, clock, meter, onCommitted, outlet } = this.#parts;
    records.deliver(outlet);
    // Between writing and showing: whoever sees an event or a reply finds its seq committed, and
    // whoever waits for a committed seq waits for nothing but the showing.
    counters.storeCommittedSeq(batch.firstSeq + batch.count - 1);
    counters.setJournalStalled(false);
    outlet.publish();
    records.clear();
    this.#isInFlight = false;
    const nowMs = clock.nowMs();
    meter.committed({
      events: batch.count,
      commitMs: nowMs - this.#inFlightSinceMs,
      ackMs: nowMs - (batch.tsUs[0] ?? nowMs * 1000) / 1000,
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
    if (!this.#isInFlight) return;
    const { counters, clock } = this.#parts;
    if (clock.nowMs() - this.#inFlightSinceMs > stalledAfterMs) counters.setJournalStalled(true);
  }
}
