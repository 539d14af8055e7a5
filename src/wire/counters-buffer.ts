// The venue's shared counters: durable and issued seq, run state, one heartbeat per thread.
//
//   byte 0               128              256            384             384 + 128 × n
//   ┌───────────────────┬────────────────┬──────────────┬───────────────┬──
//   │ committed seq i64 │ issued seq i64 │ state, stall │ heartbeat i32 │ … one per thread
//   │                   │ quiet until    │              │               │
//   └───────────────────┴────────────────┴──────────────┴───────────────┴──
//     journal             clearing         forward only    its thread
//
// Sequence numbers are int64 accessed by Atomics. The language guarantees untorn, ordered access only for integer
// arrays, so two Int32 halves or a Float64 would not be safe. Fill levels of rings are kept in the rings.

import { assert } from "../core/assert.ts";
import { cacheLinePairBytes } from "./spsc-ring.ts";

const committedSeqIndex = 0;
const issuedSeqIndex = cacheLinePairBytes / 8;
const quietUntilIndex = issuedSeqIndex + 1;
const stateIndex = (2 * cacheLinePairBytes) / 4;
const stalledIndex = stateIndex + 1;
const cancelOnlyIndex = stateIndex + 2;
const heartbeatIndex = (3 * cacheLinePairBytes) / 4;
const heartbeatStride = cacheLinePairBytes / 4;

/** The run state of a venue; it never goes back. */
export const RunState = { starting: 0, running: 1, draining: 2, stopped: 3 } as const;
export type RunState = (typeof RunState)[keyof typeof RunState];

export class CountersBuffer {
  readonly threads: number;
  private readonly i32: Int32Array;
  private readonly i64: BigInt64Array;

  /** Zeroed memory for the counters of a venue with `threads` threads. */
  static allocate(threads: number): SharedArrayBuffer {
    assert(Number.isInteger(threads) && threads >= 1, "a venue must have at least one thread");
    return new SharedArrayBuffer((3 + threads) * cacheLinePairBytes);
  }

  /** The counters in `buffer`, which comes from `allocate`. */
  constructor(buffer: SharedArrayBuffer) {
    assert(
      buffer.byteLength % cacheLinePairBytes === 0 && buffer.byteLength >= 4 * cacheLinePairBytes,
      "the buffer must have the size of a counters buffer",
    );
    this.threads = buffer.byteLength / cacheLinePairBytes - 3;
    this.i32 = new Int32Array(buffer);
    this.i64 = new BigInt64Array(buffer);
  }

  /** The last seq that is durable; 0 before the first. */
  committedSeq(): number {
    // A reader loads this before it reads committed events: it then sees everything that the journal wrote before it
    // stored this number.
    return Number(Atomics.load(this.i64, committedSeqIndex));
  }

  /** Records that `seq` is durable. Only the journal calls this, after each commit; `seq` never decreases. */
  storeCommittedSeq(seq: number): void {
    assert(
      Number.isSafeInteger(seq) && seq >= this.committedSeq(),
      "the committed seq must not decrease",
    );
    // The journal stores this after the commit and before it publishes the events, so that no acknowledgement of an
    // event is sent before this number includes the event.
    Atomics.store(this.i64, committedSeqIndex, BigInt(seq));
  }

  /** The last seq that clearing has assigned; 0 before the first. */
  issuedSeq(): number {
    // Readers only report this value or compare it with the committed seq: it must be untorn, but needs no ordering
    // with the rings.
    return Number(Atomics.load(this.i64, issuedSeqIndex));
  }

  /** Records that `seq` is the last one assigned. Only clearing calls this; `seq` never decreases. */
  storeIssuedSeq(seq: number): void {
    assert(
      Number.isSafeInteger(seq) && seq >= this.issuedSeq(),
      "the issued seq must not decrease",
    );
    // Clearing stores this after it has published the events, so that the journal can see every event up to this seq.
    Atomics.store(this.i64, issuedSeqIndex, BigInt(seq));
  }

  /** The venue's time in µs before which clearing needs no tick; 0 if it needs every tick. */
  quietUntilUs(): number {
    // The main thread reads it before it sleeps and after its bell has rung. See `storeQuietUntilUs`.
    return Number(Atomics.load(this.i64, quietUntilIndex));
  }

  /** Records up to when clearing needs no tick. Only clearing calls this. */
  storeQuietUntilUs(quietUntilUs: number): void {
    assert(Number.isSafeInteger(quietUntilUs), "the time must be in whole microseconds");
    // Clearing rings the main thread's bell after this store, so that it does not sleep with an outdated value.
    Atomics.store(this.i64, quietUntilIndex, BigInt(quietUntilUs));
  }

  /** Counts a heartbeat of `thread`. A watcher compares the counts at two checks. */
  heartbeat(thread: number): void {
    // Only the thread itself writes its count, and readers only look for a change, so no ordering with other accesses
    // is needed.
    Atomics.add(this.i32, this.heartbeatOf(thread), 1);
  }

  /** Heartbeats of `thread` so far, modulo 2^32. */
  heartbeats(thread: number): number {
    // A watcher only needs an untorn value.
    return Atomics.load(this.i32, this.heartbeatOf(thread));
  }

  /** The venue's run state. */
  state(): RunState {
    // Checked once per duty cycle; a change missed in one cycle is seen in the next.
    return Atomics.load(this.i32, stateIndex) as RunState;
  }

  /** Moves the run state forward to `state`; does nothing if the venue is already in that state or a later one. */
  advanceTo(state: RunState): void {
    let current = this.state();
    while (current < state) {
      // Compare and exchange, because the main thread may set `draining` while a failing thread sets `stopped`, and the
      // later state must win.
      const found = Atomics.compareExchange(this.i32, stateIndex, current, state) as RunState;
      if (found === current) return;
      current = found;
    }
  }

  /** True while a commit takes too long: the venue then accepts nothing new. */
  isJournalStalled(): boolean {
    // Needs no ordering: this only refuses new requests early, and requests in flight wait for the journal in any case.
    return Atomics.load(this.i32, stalledIndex) === 1;
  }

  /** Records whether a commit takes too long. Only the journal calls this. */
  setJournalStalled(isStalled: boolean): void {
    // Only the journal stores it, and only the latest value matters.
    Atomics.store(this.i32, stalledIndex, isStalled ? 1 : 0);
  }

  /** True while only cancels are accepted from clients, after a take-over that was not planned. */
  isCancelOnly(): boolean {
    // Needs no ordering: a command that was sent before the change is decided like any other.
    return Atomics.load(this.i32, cancelOnlyIndex) === 1;
  }

  /** Records whether only cancels are accepted. Only the main thread calls this. */
  setCancelOnly(isCancelOnly: boolean): void {
    Atomics.store(this.i32, cancelOnlyIndex, isCancelOnly ? 1 : 0);
  }

  private heartbeatOf(thread: number): number {
    assert(thread >= 0 && thread < this.threads, "the thread must belong to this venue");
    return heartbeatIndex + thread * heartbeatStride;
  }
}
