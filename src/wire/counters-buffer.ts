// The venue's shared counters: durable and issued seq, life state, one heartbeat per thread.
//
//   byte 0               128              256            384             384 + 128 × n
//   ┌───────────────────┬────────────────┬──────────────┬───────────────┬──
//   │ committed seq i64 │ issued seq i64 │ state, stall │ heartbeat i32 │ … one per thread
//   └───────────────────┴────────────────┴──────────────┴───────────────┴──
//     journal             clearing         forward only    its thread
//
// Sequence numbers are int64 under Atomics: the language promises untorn and ordered access only for
// integer views, so neither two halves nor a Float64 would be safe. Ring fill levels stay with the rings.

import { assert } from "../core/assert.ts";
import { cacheLinePairBytes } from "./spsc-ring.ts";

const committedSeqIndex = 0;
const issuedSeqIndex = cacheLinePairBytes / 8;
const stateIndex = (2 * cacheLinePairBytes) / 4;
const stalledIndex = stateIndex + 1;
const heartbeatIndex = (3 * cacheLinePairBytes) / 4;
const heartbeatStride = cacheLinePairBytes / 4;

/** The life of a venue; it never goes back. */
export const RunState = { starting: 0, running: 1, draining: 2, stopped: 3 } as const;
export type RunState = (typeof RunState)[keyof typeof RunState];

export class CountersBuffer {
  readonly threads: number;
  private readonly i32: Int32Array;
  private readonly i64: BigInt64Array;

  /** Zeroed memory for the counters of a venue with `threads` threads. */
  static allocate(threads: number): SharedArrayBuffer {
    assert(Number.isInteger(threads) && threads >= 1, "a venue has threads");
    return new SharedArrayBuffer((3 + threads) * cacheLinePairBytes);
  }

  /** The counters in `buffer`, which `allocate` made. */
  constructor(buffer: SharedArrayBuffer) {
    assert(
      buffer.byteLength % cacheLinePairBytes === 0 && buffer.byteLength >= 4 * cacheLinePairBytes,
      "a counters buffer",
    );
    this.threads = buffer.byteLength / cacheLinePairBytes - 3;
    this.i32 = new Int32Array(buffer);
    this.i64 = new BigInt64Array(buffer);
  }

  /** The last seq that is durable; 0 before the first. */
  committedSeq(): number {
    // Loaded before committed events are read: whatever was published before the store is visible.
    return Number(Atomics.load(this.i64, committedSeqIndex));
  }

  /** Journal only, after its commit: `seq` is durable. Never goes back. */
  storeCommittedSeq(seq: number): void {
    assert(Number.isSafeInteger(seq) && seq >= this.committedSeq(), "committed seq grows");
    // After the commit and before the events are published: an ack never outruns this number.
    Atomics.store(this.i64, committedSeqIndex, BigInt(seq));
  }

  /** The last seq that clearing has numbered; 0 before the first. */
  issuedSeq(): number {
    // A figure for lag and fences: needs to be untorn, not ordered with the rings.
    return Number(Atomics.load(this.i64, issuedSeqIndex));
  }

  /** Clearing only: `seq` is the last number given out. Never goes back. */
  storeIssuedSeq(seq: number): void {
    assert(Number.isSafeInteger(seq) && seq >= this.issuedSeq(), "issued seq grows");
    // After the events were published, so that issued never runs ahead of what the journal can see.
    Atomics.store(this.i64, issuedSeqIndex, BigInt(seq));
  }

  /** Thread `thread`: still alive. A watcher compares counts between its own looks. */
  heartbeat(thread: number): void {
    // Only its own thread counts, and only the change matters: no order with other accesses.
    Atomics.add(this.i32, this.heartbeatOf(thread), 1);
  }

  /** Heartbeats of `thread` so far, modulo 2^32. */
  heartbeats(thread: number): number {
    // Untorn is all a watcher needs.
    return Atomics.load(this.i32, this.heartbeatOf(thread));
  }

  /** Where the venue is in its life. */
  state(): RunState {
    // Checked once per duty cycle; the next cycle sees a change that this one missed.
    return Atomics.load(this.i32, stateIndex) as RunState;
  }

  /** Moves the venue's life forward to `state`; nothing happens when it is there or further. */
  advanceTo(state: RunState): void {
    let current = this.state();
    while (current < state) {
      // Compare and exchange: main drains while a dying thread stops, and the later state must win.
      const found = Atomics.compareExchange(this.i32, stateIndex, current, state) as RunState;
      if (found === current) return;
      current = found;
    }
  }

  /** True while commits do not get through: nothing new is to be accepted. */
  isJournalStalled(): boolean {
    // An early answer for new requests; those already in flight wait for the journal anyway.
    return Atomics.load(this.i32, stalledIndex) === 1;
  }

  /** Journal only: whether a commit has been under way for too long. */
  setJournalStalled(isStalled: boolean): void {
    // Only the journal stores it, and only the newest value matters.
    Atomics.store(this.i32, stalledIndex, isStalled ? 1 : 0);
  }

  private heartbeatOf(thread: number): number {
    assert(thread >= 0 && thread < this.threads, "a thread of this venue");
    return heartbeatIndex + thread * heartbeatStride;
  }
}
