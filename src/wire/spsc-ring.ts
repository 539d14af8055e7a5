// A ring of variable-length records between exactly one producer thread and one consumer thread. Invariant:
// head ≤ tail ≤ head + capacity, and only the thread that owns a counter stores it. A full ring is a return
// value; waiting, spinning and waking are left to the callers (doorbell.ts). Each side creates its own
// SpscRing over the same buffer and uses only its half of the methods.
//
// In memory: three counters, two cache lines apart, then the records.
//
//   byte 0        128           256           384
//   ┌─────────────┬─────────────┬─────────────┬──────────────── capacity bytes ───────────────┐
//   │ tail        │ head        │ high water  │ record │ record │ padding │ … │ record │      │
//   └─────────────┴─────────────┴─────────────┴───────────────────────────────────────────────┘
//     producer      consumer      consumer      each counter has exactly one writing thread

import { assert } from "../core/assert.ts";
import { createRecordViews, type RecordViews } from "./records/record-views.ts";

// Ring positions are free-running byte counts modulo 2^32 held in an Int32: `(tail − head) | 0` is the number
// of bytes in use even after wrapping, and `position & (capacity − 1)` is the offset, because the capacity is
// a power of two of at most 2^30.
//
// Publication is one store of the tail per batch, not a length written last in each record. The tail covers
// every byte below it, so a record needs no atomic access, whole batches become visible at once, and a
// consumer never sees a half-written record.

/** 128 bytes, because the processor prefetches cache lines in pairs. */
export const cacheLinePairBytes = 128;

/** Int32 index of the producer's ring position: everything below it is published. */
export const tailIndex = 0;

/** Int32 index of the consumer's ring position: everything below it may be overwritten. */
export const headIndex = cacheLinePairBytes / 4;

/** Int32 index of the consumer's high-water mark: the most bytes ever found in use. */
export const highWaterIndex = (2 * cacheLinePairBytes) / 4;

/** Byte offset of the first record. */
export const recordsOffset = 3 * cacheLinePairBytes;

/** The smallest useful ring: a few dozen records. */
export const ringCapacityMin = 1024;

/** Maximum capacity. Ring positions are Int32, so the capacity must stay well below half their range. */
export const ringCapacityMax = 2 ** 30;

// A record: a header of eight bytes, then the payload, then filler up to eight bytes.
//
//   byte 0            4            8                         8 + length     multiple of 8
//   ┌────────────────┬────────────┬─────────────────────────┬──────────────┐
//   │ length (int32) │ mark       │ payload                 │ filler       │
//   └────────────────┴────────────┴─────────────────────────┴──────────────┘
//
// A record never wraps: if the end of the ring is too close, a padding record fills it and the record starts
// at the front. Header and payload are aligned to 8 so that every typed-array view can address them.

/** Bytes before each payload. */
export const recordHeaderBytes = 8;

/** Records start at multiples of this. */
export const recordAlignment = 8;

/** Positions of the header's two fields, in Int32 words from the start of the header. */
export const recordLengthWord = 0;
export const recordMarkWord = 1;

/**
 * Marks of the two kinds of record: one with a payload, whose meaning only its codec knows, and one that is padding.
 */
export const recordMark = 1;
export const paddingMark = 2;

/** Bytes a payload of `length` bytes takes in a ring, header and filler included. */
export function recordSpan(length: number): number {
  return (recordHeaderBytes + length + recordAlignment - 1) & -recordAlignment;
}

export class SpscRing implements RecordViews {
  readonly u8: Uint8Array;
  readonly u16: Uint16Array;
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly f64: Float64Array;
  readonly i64: BigInt64Array;
  readonly capacityBytes: number;
  /**
   * Longest payload this ring takes: half the ring, so that there is always room for it in an empty ring, even after
   * padding.
   */
  readonly payloadBytesMax: number;

  /** Payload bytes of the record that `next` returned last. */
  length = 0;

  // The producer's private state: committed position, the open claim, and the head at the last load.
  private tail: number;
  private claimEnd: number;
  private publishedTail: number;
  private headSeen: number;

  // The consumer's private state: read cursor, released position, and the tail at the last load.
  private cursor: number;
  private releasedHead: number;
  private tailSeen: number;
  private highWaterSeen: number;

  /** Zeroed memory for a ring; `capacityBytes` is a power of two between 1 KiB and 1 GiB. */
  static allocate(capacityBytes: number): SharedArrayBuffer {
    assertCapacity(capacityBytes);
    return new SharedArrayBuffer(recordsOffset + capacityBytes);
  }

  /** One side of the ring in `buffer`, which comes from `allocate`; continues at the shared positions. */
  constructor(buffer: SharedArrayBuffer) {
    const views = createRecordViews(buffer);
    this.u8 = views.u8;
    this.u16 = views.u16;
    this.i32 = views.i32;
    this.u32 = views.u32;
    this.f64 = views.f64;
    this.i64 = views.i64;
    this.capacityBytes = buffer.byteLength - recordsOffset;
    assertCapacity(this.capacityBytes);
    this.payloadBytesMax = this.capacityBytes / 2 - recordHeaderBytes;
    this.tail = Atomics.load(this.i32, tailIndex);
    this.claimEnd = this.tail;
    this.publishedTail = this.tail;
    this.tailSeen = this.tail;
    this.cursor = Atomics.load(this.i32, headIndex);
    this.releasedHead = this.cursor;
    this.headSeen = this.cursor;
    this.highWaterSeen = Atomics.load(this.i32, highWaterIndex);
  }

  /**
   * Producer: claims room for a payload of `bytes` (0 … payloadBytesMax). Returns its byte offset, a multiple of 8, or
   * −1 if the ring is full. At most one claim is open at a time.
   */
  tryClaim(bytes: number): number {
    assert(this.claimEnd === this.tail, "the last claim must be committed or aborted first");
    assert(bytes >= 0 && bytes <= this.payloadBytesMax, "a payload must fit half the ring");
    const span = recordSpan(bytes);
    const offset = this.tail & (this.capacityBytes - 1);
    const toEnd = this.capacityBytes - offset;
    const padding = toEnd < span ? toEnd : 0;
    if (!this.hasRoom(padding + span)) return -1;
    if (padding > 0) this.writeHeader(offset, padding - recordHeaderBytes, paddingMark);
    const start = padding > 0 ? 0 : offset;
    this.writeHeader(start, bytes, recordMark);
    this.claimEnd = (this.tail + padding + span) | 0;
    return recordsOffset + start + recordHeaderBytes;
  }

  /**
   * Producer: claims `bytes` like `tryClaim`, but asserts that the ring has room. Only for callers that count the
   * records in the ring, so that a full ring is a bug.
   */
  claim(bytes: number): number {
    const offset = this.tryClaim(bytes);
    assert(offset >= 0, "the caller must make sure that the ring has room");
    return offset;
  }

  /** Producer: keeps the claimed record. The consumer sees it after the next `publish`. */
  commit(): void {
    assert(this.claimEnd !== this.tail, "a claim must be open");
    this.tail = this.claimEnd;
  }

  /** Producer: drops the open claim. */
  abort(): void {
    assert(this.claimEnd !== this.tail, "a claim must be open");
    this.claimEnd = this.tail;
  }

  /**
   * Producer: publishes everything committed so far; call once per batch. Returns true if there was anything to
   * publish. Only then should the caller ring the consumer's bell, because waking a thread for nothing is expensive.
   */
  publish(): boolean {
    if (this.publishedTail === this.tail) return false;
    this.publishedTail = this.tail;
    // The store comes after all record bytes: a thread that loads this tail also sees everything below it.
    Atomics.store(this.i32, tailIndex, this.tail);
    return true;
  }

  /**
   * Producer: free bytes now, with an unpublished tail counted as used. A caller that needs room for several
   * records adds one record of maximum length for the padding at the end of the ring.
   */
  freeBytes(): number {
    // The load comes before any record bytes are overwritten: bytes below the consumer's head have been read.
    this.headSeen = Atomics.load(this.i32, headIndex);
    return this.capacityBytes - ((this.tail - this.headSeen) | 0);
  }

  /** Consumer: byte offset of the next published payload, its size in `length`; −1 when there is none. */
  next(): number {
    if (this.cursor === this.tailSeen && !this.lookForMore()) return -1;
    let offset = this.cursor & (this.capacityBytes - 1);
    let word = (recordsOffset + offset) >> 2;
    if (this.i32[word + recordMarkWord] === paddingMark) {
      // The padding reaches exactly to the end of the ring, and the next record was published together with it.
      this.cursor = (this.cursor + this.capacityBytes - offset) | 0;
      offset = 0;
      word = recordsOffset >> 2;
    }
    assert(
      this.i32[word + recordMarkWord] === recordMark,
      "a record must start at the read cursor",
    );
    this.length = this.i32[word + recordLengthWord] as number;
    this.cursor = (this.cursor + recordSpan(this.length)) | 0;
    return recordsOffset + offset + recordHeaderBytes;
  }

  /**
   * Consumer: releases every record read so far; their bytes may be overwritten at once. Returns how many bytes were in
   * use before the release. A producer that is waiting for room at that moment saw at most that many bytes in use.
   */
  release(): number {
    const before = this.releasedHead;
    if (before === this.cursor) return 0;
    this.releasedHead = this.cursor;
    // The store comes after the last read of the released bytes, because the producer overwrites them next.
    Atomics.store(this.i32, headIndex, this.cursor);
    // The tail is loaded after that store. A producer that still saw the old head had stored its tail before, so this
    // tail includes its records.
    return (Atomics.load(this.i32, tailIndex) - before) | 0;
  }

  /** Consumer: true if no published record is left to read. */
  isEmpty(): boolean {
    // A doorbell's owner raises its sleeping flag before this load and waits after it, so that a sleeping owner never
    // misses a record.
    return this.cursor === Atomics.load(this.i32, tailIndex);
  }

  /** Any thread: published bytes not yet released, between 0 and the capacity. */
  get usedBytes(): number {
    // The head is loaded before the tail: the head only grows, so the difference is never negative. With an older head,
    // the difference may exceed the capacity, hence the cap.
    const head = Atomics.load(this.i32, headIndex);
    const used = (Atomics.load(this.i32, tailIndex) - head) | 0;
    return Math.min(used, this.capacityBytes);
  }

  /** Any thread: the most bytes in use that the consumer ever found. */
  get highWater(): number {
    // Only operators read this value. It may be a little old, but an atomic load ensures that it is never half written.
    return Atomics.load(this.i32, highWaterIndex);
  }

  private hasRoom(bytes: number): boolean {
    const used = (this.tail - this.headSeen) | 0;
    // The shared head is loaded only if the remembered one leaves no room, because the consumer writes to that cache
    // line.
    return bytes <= this.capacityBytes - used || bytes <= this.freeBytes();
  }

  private writeHeader(offset: number, length: number, mark: number): void {
    const word = (recordsOffset + offset) >> 2;
    this.i32[word + recordLengthWord] = length;
    this.i32[word + recordMarkWord] = mark;
  }

  private lookForMore(): boolean {
    // The load comes before the record bytes are read: it makes the producer's stores below it visible.
    this.tailSeen = Atomics.load(this.i32, tailIndex);
    if (this.tailSeen === this.cursor) return false;
    const used = (this.tailSeen - this.releasedHead) | 0;
    if (used > this.highWaterSeen) {
      this.highWaterSeen = used;
      // This store is rare and needs no ordering, because only metrics read the mark.
      Atomics.store(this.i32, highWaterIndex, used);
    }
    return true;
  }
}

function assertCapacity(bytes: number): void {
  assert(
    bytes >= ringCapacityMin && bytes <= ringCapacityMax && (bytes & (bytes - 1)) === 0,
    "a ring capacity must be a power of two between 1 KiB and 1 GiB",
  );
}
