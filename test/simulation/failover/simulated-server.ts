// One of the two database servers of a failover run: its log of transactions, and what readers see of it. A commit on the
// primary is in the log at once, but waits for the standby before readers of the primary see it. Readers of the standby
// see it as soon as it arrives there.

import type { EventChunk, StoredSnapshot } from "../../../src/ports/journal/event-store.ts";
import type { Lease } from "../../../src/ports/leadership.ts";

/** A transaction in the log. */
export interface LogEntry {
  /** Bytes of the events that it adds to the journal. */
  readonly events: readonly Uint8Array[];
  /** The lease after it; null if it does not change the lease. */
  readonly lease: Lease | null;
  /** The writer epoch that it raises to; null for none. */
  readonly epoch: string | null;
  /** A snapshot that it stores; null for none. */
  readonly snapshot: StoredSnapshot | null;
}

/** A transaction that changes nothing. */
export const noChange: LogEntry = { events: [], lease: null, epoch: null, snapshot: null };

export const noLease: Lease = {
  ...{ holder: "", epoch: "0", address: "", leaseMs: 1, isConnected: false, renewals: 0 },
  ...{ handedTo: null, settledSeq: 0, chain: null },
};

const chunkEvents = 500;

export class SimulatedServer {
  readonly log: LogEntry[] = [];
  readonly #events: Uint8Array[] = [];
  /** A transaction in the log that still waits for the standby; it holds the lock of the journal's head. */
  waiting: LogEntry | null = null;
  #lease = noLease;
  #epoch = "0";
  /** By seq. */
  readonly snapshots = new Map<number, StoredSnapshot>();

  append(entry: LogEntry): void {
    this.log.push(entry);
    for (const bytes of entry.events) this.#events.push(bytes);
    if (entry !== this.waiting) this.#show(entry);
  }

  /** The transaction that waits becomes visible: the standby has it, or the wait was cut. */
  show(): void {
    if (this.waiting === null) return;
    const entry = this.waiting;
    this.waiting = null;
    this.#show(entry);
  }

  #show({ lease, epoch, snapshot }: LogEntry): void {
    if (lease !== null) this.#lease = lease;
    if (epoch !== null) this.#epoch = epoch;
    if (snapshot !== null) this.snapshots.set(snapshot.seq, snapshot);
  }

  get lastSeq(): number {
    return this.#events.length - (this.waiting?.events.length ?? 0);
  }

  get lease(): Lease {
    return this.#lease;
  }

  get epoch(): string {
    return this.#epoch;
  }

  /** The newest snapshots, newest first. */
  newestSnapshots(limit: number): StoredSnapshot[] {
    const all = [...this.snapshots.values()].sort((one, other) => other.seq - one.seq);
    return all.slice(0, limit);
  }

  eventAt(seq: number): Uint8Array | undefined {
    return this.#events[seq - 1];
  }

  read(afterSeq: number, untilSeq: number, take: (chunk: EventChunk) => void): void {
    const until = Math.min(untilSeq, this.lastSeq);
    for (let from = afterSeq; from < until; from += chunkEvents)
      take(chunkOf(from + 1, this.#events.slice(from, Math.min(from + chunkEvents, until))));
  }
}

function chunkOf(firstSeq: number, events: readonly Uint8Array[]): EventChunk {
  const lengths = Uint32Array.from(events, ({ length }) => length);
  const offsets = new Uint32Array(events.length);
  let at = 0;
  for (const [index, { length }] of events.entries()) {
    offsets[index] = at;
    at += length;
  }
  const bytes = new Uint8Array(Buffer.concat(events));
  return { firstSeq, count: events.length, bytes, offsets, lengths };
}
