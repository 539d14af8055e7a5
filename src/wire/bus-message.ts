// Messages between gateways and the leader: a header (schemas/records/messages.ts), then records in the form in which a
// ring holds them, so that they are copied from ring to message to ring without being read. Before each command is the
// claim of its orders, and after each reply what its key has used of its order limits.
//
//   byte 0    64           68        72                            multiple of 8
//   ┌────────┬────────────┬─────────┬─────────────────────┬────────┬──
//   │ header │ length i32 │ unused  │ record              │ filler │ …
//   └────────┴────────────┴─────────┴─────────────────────┴────────┴──
//
// A message comes from another program, perhaps of another version. A bad message is therefore a return value, unlike a
// bad record in a ring.

import { assert } from "../core/assert.ts";
import { busMessageBytesMax } from "../core/bus-limits.ts";
import { type BusHeader, emptyBusHeader } from "../core/generated/messages.ts";
import { commandBytesMax, eventBytesMax } from "../core/limits.ts";
import { busHeaderBytes, decodeBusHeader, encodeBusHeader } from "./generated/message-codec.ts";
import { createRecordViews, type RecordViews } from "./records/record-views.ts";
import { recordHeaderBytes, recordSpan } from "./spsc-ring.ts";

/**
 * Version of the header and of the records. A change of either, or of the meaning of a field, needs the next number;
 * a test compares the tables with the number (Spec GWY-24).
 */
export const busProtocol = 15;

/** Longest record of a message, longer than any event and any command. */
const recordBytesMax = 2 * Math.max(eventBytesMax, commandBytesMax);

/** Lanes of a message of commands. */
export const BusLane = { orders: 0, cancels: 1, leaving: 2 } as const;

/** The slot in the answer to a refused request to join. */
export const noSlot = 0xffff;

/** Collects records, and makes one message of them. */
export class BusMessageWriter {
  readonly #buffer = new ArrayBuffer(busMessageBytesMax);
  readonly #views = createRecordViews(this.#buffer);
  #end = busHeaderBytes;
  #count = 0;

  /** Number of records collected since the last `take`. */
  get count(): number {
    return this.#count;
  }

  /** True if another record of any kind fits. */
  hasRoom(): boolean {
    return this.#end + recordSpan(recordBytesMax) <= busMessageBytesMax;
  }

  /** Adds a record of `length` bytes, which the caller writes; returns the record's byte offset in `views`. */
  claim(length: number): number {
    assert(this.hasRoom() && length <= recordBytesMax, "a message must have room for a record");
    const { i32 } = this.#views;
    i32[this.#end >> 2] = length;
    i32[(this.#end >> 2) + 1] = 0;
    const at = this.#end + recordHeaderBytes;
    this.#end += recordSpan(length);
    this.#count++;
    return at;
  }

  /**
   * Adds a copy of the record of `length` bytes at `start` of `bytes`, with room for `more` bytes after it, which the
   * caller writes. Returns the byte offset of that room in `views`.
   */
  add(bytes: Uint8Array, start: number, length: number, more = 0): number {
    const at = this.claim(length + more);
    const { u8 } = this.#views;
    for (let index = 0; index < length; index++) u8[at + index] = bytes[start + index] as number;
    return at + length;
  }

  /** Adds a text as a record, shortened to the longest record. */
  addText(text: string): void {
    const bytes = new TextEncoder().encode(text).subarray(0, recordBytesMax);
    this.add(bytes, 0, bytes.length);
  }

  /** Views of the message that is being written. */
  get views(): RecordViews {
    return this.#views;
  }

  /** Returns the message in a buffer of its own, and starts the next one. */
  take(header: Omit<BusHeader, "protocol" | "count">): Uint8Array {
    encodeBusHeader(this.#views, 0, { ...header, protocol: busProtocol, count: this.#count });
    const bytes = new Uint8Array(this.#buffer.slice(0, this.#end));
    this.#end = busHeaderBytes;
    this.#count = 0;
    return bytes;
  }
}

/** Why a message cannot be read, in words for the log; null if it can. */
export type BusFault = string | null;

/** Reads one message at a time; the next `open` replaces the bytes of the last. */
export class BusMessageReader {
  readonly header = emptyBusHeader();
  /** Bytes of the record that `next` returned last. */
  length = 0;
  #views = createRecordViews(new ArrayBuffer(8192));
  #end = 0;
  #cursor = 0;
  #left = 0;

  /** Views of the opened message. */
  get views(): RecordViews {
    return this.#views;
  }

  /** Opens `message`, which is copied. Returns why it cannot be read: another version, or a damaged message. */
  open(message: Uint8Array): BusFault {
    const { length } = message;
    this.#left = 0;
    if (length < 2) return "a message on the bus is shorter than its version";
    const protocol = (message[0] as number) | ((message[1] as number) << 8);
    if (protocol !== busProtocol) return versionFault(protocol);
    if (length < busHeaderBytes || length > busMessageBytesMax || length % 8 !== 0)
      return `a message on the bus has ${length} bytes, which no message has`;
    if (length > this.#views.u8.length)
      this.#views = createRecordViews(new ArrayBuffer(2 ** Math.ceil(Math.log2(length))));
    this.#views.u8.set(message);
    if (!hasWholeNumbers(this.#views.f64)) return "a message on the bus has a damaged header";
    decodeBusHeader(this.#views, 0, busHeaderBytes, this.header);
    this.#end = length;
    if (!this.#isFramed()) return "a message on the bus has damaged records";
    this.#cursor = busHeaderBytes;
    this.#left = this.header.count;
    return null;
  }

  /** Byte offset in `views` of the next record, its size in `length`; −1 after the last one. */
  next(): number {
    if (this.#left === 0) return -1;
    this.#left--;
    const at = this.#cursor + recordHeaderBytes;
    this.length = this.#views.i32[this.#cursor >> 2] as number;
    this.#cursor += recordSpan(this.length);
    return at;
  }

  /** The next record as text. */
  nextText(): string {
    const at = this.next();
    return at < 0 ? "" : new TextDecoder().decode(this.#views.u8.subarray(at, at + this.length));
  }

  #isFramed(): boolean {
    let cursor = busHeaderBytes;
    for (let record = 0; record < this.header.count; record++) {
      if (cursor + recordHeaderBytes > this.#end) return false;
      const length = this.#views.i32[cursor >> 2] as number;
      if (length < 0 || length > recordBytesMax) return false;
      cursor += recordSpan(length);
    }
    return cursor === this.#end;
  }
}

/** The words for a message of another version; `protocol` is its version. */
export function versionFault(protocol: number): string {
  return (
    `the other side of the bus speaks version ${protocol} of its messages, this program version ${busProtocol}: ` +
    "run the same version of the program on both"
  );
}

/** Header fields after the first eight bytes are whole numbers, each in one word. */
function hasWholeNumbers(words: Float64Array): boolean {
  for (let word = 1; word < busHeaderBytes / 8; word++) {
    if (!Number.isSafeInteger(words[word])) return false;
  }
  return true;
}
