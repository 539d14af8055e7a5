// A chained hash of the journal: equal hashes after the same seq mean equal journals since the chain's base. The
// leader and its followers compute it from the bytes of the events, in blocks, so that it costs one hash per block and
// its value after any recent seq can still be told later.
//
//   base ─▶ H(base ‖ block) ─▶ H(… ‖ block) ─▶ …       after a seq within a block: H(value before ‖ its first events)

import { createHash } from "node:crypto";
import { present } from "../../../core/assert.ts";
import type { EventChunk } from "../../../ports/journal/event-store.ts";
import type { ChainMark } from "../../../ports/leadership.ts";

/** Blocks end at multiples of this. */
export const blockEvents = 256;
/** Number of recent blocks in which the hash after any seq can be told: two seconds at full load. */
const blocksKept = 256;

const blockBytesAtFirst = 2 ** 14;

/** A block: the hash before its first event, and the bytes of its events. */
class Block {
  /** Seq before the block's first event. */
  readonly afterSeq: number;
  /** The hash after `afterSeq`. */
  readonly before: Uint8Array;
  readonly #ends = new Uint32Array(blockEvents);
  #bytes = new Uint8Array(blockBytesAtFirst);
  #count = 0;

  constructor(afterSeq: number, before: Uint8Array) {
    this.afterSeq = afterSeq;
    this.before = before;
  }

  add(bytes: Uint8Array): void {
    const start = this.#ends[this.#count - 1] ?? 0;
    const end = start + bytes.length;
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(2 * end);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, start);
    this.#ends[this.#count++] = end;
  }

  /** The hash after `seq`, which must be in the block. */
  hashAt(seq: number): Uint8Array {
    const count = seq - this.afterSeq;
    if (count === 0) return this.before;
    const end = this.#ends[count - 1] ?? 0;
    return createHash("sha256").update(this.before).update(this.#bytes.subarray(0, end)).digest();
  }
}

export class JournalChain {
  readonly #blocks: Block[] = [];
  #seq: number;

  /** A chain whose hash after `seq` is `base`. */
  constructor(seq: number, base: Uint8Array) {
    this.#seq = seq;
    this.#blocks.push(new Block(seq, base));
  }

  /** Seq of the last event in the chain. */
  get seq(): number {
    return this.#seq;
  }

  /** Adds the next event, whose bytes are copied. */
  add(bytes: Uint8Array): void {
    const block = this.#last();
    block.add(bytes);
    this.#seq += 1;
    if (this.#seq % blockEvents !== 0) return;
    this.#blocks.push(new Block(this.#seq, block.hashAt(this.#seq)));
    if (this.#blocks.length > blocksKept) this.#blocks.shift();
  }

  /** Adds the events of a chunk. */
  addChunk({ bytes, offsets, lengths, count }: EventChunk): void {
    for (let index = 0; index < count; index++) {
      const start = offsets[index] ?? 0;
      this.add(bytes.subarray(start, start + (lengths[index] ?? 0)));
    }
  }

  /** The hash after `seq`; null if `seq` is not in the chain, or too long ago. */
  at(seq: number): Uint8Array | null {
    if (seq > this.#seq) return null;
    return this.#blocks.findLast(({ afterSeq }) => afterSeq <= seq)?.hashAt(seq) ?? null;
  }

  /** The hash after the last event, and the value before that event's block, from which it can be computed. */
  mark(): ChainMark {
    const block = this.#blocks.findLast(({ afterSeq }) => afterSeq < this.#seq) ?? this.#last();
    const { afterSeq: baseSeq, before: base } = block;
    return { baseSeq, base, seq: this.#seq, hash: block.hashAt(this.#seq) };
  }

  /** Where the block with `seq` begins, and the hash there; null if that is too long ago. */
  blockOf(seq: number): { readonly baseSeq: number; readonly base: Uint8Array } | null {
    const block = this.#blocks.findLast(({ afterSeq }) => afterSeq <= seq);
    return block === undefined ? null : { baseSeq: block.afterSeq, base: block.before };
  }

  #last(): Block {
    return present(this.#blocks.at(-1), "the block of a chain");
  }
}
