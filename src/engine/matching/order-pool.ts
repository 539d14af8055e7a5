// Every resting order of one matcher, in one block of memory: a line for each slot clearing issues. Line 0 belongs to
// no slot. It is "none" in links and queues, and may be written as any other: what has no neighbour needs no question.
//
//   word  0     1     2      3      4          5        6           7
//        [ quantity ][price][next ][previous ][account][generation][state]    32 bytes an order
//
// `state` is 0 in a slot never used; else bit 0 side, 1 post-only, 2 resting, 3 reduce-only, 8… market.
// The block is reserved for all orders at once and the system backs only the pages that are used.
// Links make each price a queue; whose queue is the ladder's business, and where its ends lie is decided here,
// because all ladders share what all orders share. Nothing is allocated later.
// The paths every order takes read the words directly: the compiler inlines only so many accessors.

import { assert } from "../../core/assert.ts";
import { numberAt, wordAt } from "../../core/cells.ts";
import type { Side } from "../../core/orders.ts";
import { reservedMemory } from "../../core/reserved-memory.ts";
import { LevelMemory, rowRanks } from "../level-memory.ts";
import { type IncomingOrder, OrderTrait } from "./order-book.ts";

/** The end of a queue: no order. */
export const noLine = 0;

/** The line of a slot. */
export function lineOf(slot: number): number {
  return slot + 1;
}

/** The slot of a line of an order. */
export function slotOf(line: number): number {
  return line - 1;
}

const bytesPerOrder = 32;
const priceWord = 2;
export const nextWord = 3;
export const previousWord = 4;
export const accountWord = 5;
const generationWord = 6;
const stateWord = 7;

const sideBit = 1;
const postOnlyBit = OrderTrait.postOnly;
const restingBit = 4;
const reduceOnlyBit = 8;
const marketShift = 8;

/**
 * The block of orders: words of line `l` start at `l << 3`, its quantity stands at `l << 2`.
 */
export class OrderPool {
  /** Slots 0 … capacity − 1 exist. */
  readonly capacity: number;
  readonly words: Int32Array;
  readonly quantities: Float64Array;
  /** Price levels of all books on this pool: as many as orders at the most. */
  readonly levels: LevelMemory;
  /** First and last order of each level by its place, side by side; `noLine` where there is no level. */
  readonly queues: Int32Array;

  constructor(capacity: number) {
    assert(Number.isInteger(capacity) && capacity >= 1, "a pool has room for an order");
    assert(capacity <= 2 ** 26, "word indexes of a pool fit 31 bits");
    const block = new ArrayBuffer((capacity + 1) * bytesPerOrder);
    this.capacity = capacity;
    this.words = new Int32Array(block);
    this.quantities = new Float64Array(block);
    this.levels = new LevelMemory(capacity);
    this.queues = new Int32Array(reservedMemory(8 * rowRanks * (capacity + 1)));
  }

  /** Asserts that `slot` is free and that the order coming to it has a handle of its own. */
  assertFree(slot: number, generation: number): void {
    assert(slot >>> 0 === slot && slot < this.capacity, "slot exists");
    const at = lineOf(slot) << 3;
    const state = wordAt(this.words, at + stateWord);
    assert((state & restingBit) === 0, "the slot of a new order is free");
    assert(
      state === 0 || wordAt(this.words, at + generationWord) !== generation,
      "a slot is used again under another generation",
    );
  }

  /** Whether the order of exactly this handle rests here, and that it does so in `market`. */
  holds(slot: number, generation: number, market: number): boolean {
    assert(slot >>> 0 === slot && slot < this.capacity, "slot exists");
    const at = lineOf(slot) << 3;
    const state = wordAt(this.words, at + stateWord);
    if ((state & restingBit) === 0 || wordAt(this.words, at + generationWord) !== generation)
      return false;
    assert(state >>> marketShift === market, "a handle belongs to one market");
    return true;
  }

  /** Fills a free slot. */
  occupy(order: IncomingOrder, qty: number, market: number, traits: number): void {
    const words = this.words;
    const line = lineOf(order.slot);
    const at = line << 3;
    this.quantities[line << 2] = qty;
    words[at + priceWord] = order.price;
    words[at + accountWord] = order.account;
    words[at + generationWord] = order.generation;
    words[at + stateWord] =
      (market << marketShift) |
      restingBit |
      (traits & OrderTrait.postOnly) |
      (order.isReduceOnly ? reduceOnlyBit : 0) |
      order.side;
  }

  /** Empties a line, leaving its generation so that a stale handle stays recognisable. */
  release(line: number): void {
    const at = (line << 3) + stateWord;
    const state = wordAt(this.words, at);
    assert((state & restingBit) !== 0, "a released line was in use");
    this.words[at] = state & ~restingBit;
  }

  /** Forgets that a line was used: an amended order comes back under its own handle. */
  vacate(line: number): void {
    this.words[(line << 3) + stateWord] = 0;
  }

  qty(line: number): number {
    return numberAt(this.quantities, line << 2);
  }

  setQty(line: number, qty: number): void {
    this.quantities[line << 2] = qty;
  }

  price(line: number): number {
    return wordAt(this.words, (line << 3) + priceWord);
  }

  account(line: number): number {
    return wordAt(this.words, (line << 3) + accountWord);
  }

  generation(line: number): number {
    return wordAt(this.words, (line << 3) + generationWord);
  }

  side(line: number): Side {
    // Without a branch: sides come at random.
    return (wordAt(this.words, (line << 3) + stateWord) & sideBit) as Side;
  }

  postOnly(line: number): boolean {
    return (wordAt(this.words, (line << 3) + stateWord) & postOnlyBit) !== 0;
  }

  isReduceOnly(line: number): boolean {
    return (wordAt(this.words, (line << 3) + stateWord) & reduceOnlyBit) !== 0;
  }

  /** The order behind, at the same price. */
  next(line: number): number {
    return wordAt(this.words, (line << 3) + nextWord);
  }
}
