// Every resting order of one matcher, in one block of memory: one line per slot that clearing issues. A line is
// identified by the index of its first word; the queue ends follow the lines.
//
//   word  0     1     2      3      4          5        6           7
//        [ quantity ][price][next ][previous ][account][generation][state]    32 bytes an order
//                           [first][last     ]                                 8 bytes an end
//
// `state` is 0 in a slot that was never used. Otherwise bit 0 is the side, 1 post-only, 2 resting (cleared when the
// order leaves), 3 reduce-only, 4 that an iceberg order has hidden lots, and bits from 8 on are the market. The quantity
// is what an order shows. The block is reserved for all orders at once; the operating system provides memory only for
// pages that are used. The orders of a price and their queue end form a ring in which the end is linked like an order. So
// an order is removed with two writes and without a lookup of its level. Nothing is allocated later. Hot paths read the
// words directly, because the compiler inlines only a limited number of accessors.

import { assert, numberAt, wordAt } from "../../core/assert.ts";
import { OrderTrait, type Side } from "../../core/orders.ts";
import { reservedMemory } from "../../core/reserved-memory.ts";
import { LevelMemory, rowRanks } from "../level-memory.ts";
import type { IncomingOrder } from "./order-book.ts";

/** The line of a slot. No order uses line 0. */
export const lineOf = (slot: number): number => (slot + 1) << 3;

/** The slot of an order's line. */
export const slotOf = (line: number): number => (line >>> 3) - 1;

const wordsPerOrder = 8;
export const wordsPerEnd = 2;
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
const hiddenBit = 16;
const marketShift = 8;

/** The block of orders: the words of line `l` start at `l`, its quantity is at `l >>> 1`. */
export class OrderPool {
  /** Slots 0 … capacity − 1 exist. */
  readonly capacity: number;
  readonly words: Int32Array;
  readonly quantities: Float64Array;
  /** Owner of each order by slot, 0 if its account had no sub-accounts and was none. Only orders of owners read it. */
  readonly owners: Int32Array;
  /** By slot, of orders with hidden lots only: those lots, and the lots of one slice. */
  readonly #hidden: Float64Array;
  readonly #slices: Int32Array;
  /** Price levels of all books on this pool: at most as many as orders. */
  readonly levels: LevelMemory;
  /** The line of the queue end for index 0 of `levels`. */
  readonly firstEnd: number;

  constructor(capacity: number) {
    assert(
      Number.isInteger(capacity) && capacity >= 1,
      "the capacity of an order pool must be a positive integer",
    );
    const ordersWords = (capacity + 1) * wordsPerOrder;
    const words = ordersWords + (capacity + 1) * rowRanks * wordsPerEnd;
    assert(words < 2 ** 31, "word indexes must fit 31 bits");
    const block = reservedMemory(4 * words);
    this.capacity = capacity;
    this.words = new Int32Array(block);
    this.quantities = new Float64Array(block, 0, ordersWords >>> 1);
    this.owners = new Int32Array(reservedMemory(4 * capacity));
    this.#hidden = new Float64Array(reservedMemory(8 * capacity));
    this.#slices = new Int32Array(reservedMemory(4 * capacity));
    this.levels = new LevelMemory(capacity);
    this.firstEnd = ordersWords - nextWord;
  }

  /** Asserts that `slot` is free and that its last order had another generation. */
  assertFree(slot: number, generation: number): void {
    assert(
      slot >>> 0 === slot && slot < this.capacity,
      "the slot must be below the capacity of the pool",
    );
    const at = lineOf(slot);
    assert(
      (wordAt(this.words, at + stateWord) & restingBit) === 0,
      "the slot of a new order must be free",
    );
    assert(
      wordAt(this.words, at + generationWord) !== ~generation,
      "a slot must be reused with a different generation",
    );
  }

  /** Whether the order with exactly this handle rests here in `market`. */
  holds(slot: number, generation: number, market: number): boolean {
    assert(
      slot >>> 0 === slot && slot < this.capacity,
      "the slot must be below the capacity of the pool",
    );
    const at = lineOf(slot);
    const state = wordAt(this.words, at + stateWord);
    if ((state & restingBit) === 0 || wordAt(this.words, at + generationWord) !== ~generation)
      return false;
    assert(state >>> marketShift === market, "the handle must belong to this market");
    return true;
  }

  /** Stores an order in a free slot. */
  occupy(order: IncomingOrder, qty: number, market: number, traits: number): void {
    const words = this.words;
    const at = lineOf(order.slot);
    this.quantities[at >>> 1] = qty;
    words[at + priceWord] = order.price;
    words[at + accountWord] = order.account;
    this.owners[order.slot] = order.owner;
    words[at + generationWord] = ~order.generation;
    words[at + stateWord] =
      (market << marketShift) |
      restingBit |
      (traits & OrderTrait.postOnly) |
      (order.isReduceOnly ? reduceOnlyBit : 0) |
      order.side;
    if (order.icebergQty !== 0) this.#hide(at, qty, order);
  }

  /** Hides what an iceberg order with `qty` open lots does not show. */
  #hide(line: number, qty: number, { slot, icebergQty, shownQty }: IncomingOrder): void {
    const shown = shownQty === 0 ? Math.min(icebergQty, qty) : shownQty;
    assert(
      icebergQty > 0 && shown <= icebergQty && shown <= qty,
      "an iceberg order must show no more than a slice and no more than its open quantity",
    );
    this.#slices[slot] = icebergQty;
    this.#setShown(line, shown, qty - shown);
  }

  #setShown(line: number, shown: number, hidden: number): void {
    const at = line + stateWord;
    const state = wordAt(this.words, at);
    assert(shown > 0 && hidden >= 0, "a resting order must show at least one lot");
    this.words[at] = hidden > 0 ? state | hiddenBit : state & ~hiddenBit;
    this.#hidden[slotOf(line)] = hidden;
    this.setQty(line, shown);
  }

  /** Whether the order is an iceberg order with hidden lots. */
  hides(line: number): boolean {
    return (wordAt(this.words, line + stateWord) & hiddenBit) !== 0;
  }

  /** Lots that the order does not show. */
  hiddenQty(line: number): number {
    return this.hides(line) ? numberAt(this.#hidden, slotOf(line)) : 0;
  }

  /** Lots of one slice of an order with hidden lots. */
  sliceQty(line: number): number {
    return wordAt(this.#slices, slotOf(line));
  }

  /** All open lots: those that the order shows and the hidden ones. */
  openQty(line: number): number {
    return this.qty(line) + this.hiddenQty(line);
  }

  /** Reduces an order to `open` lots, hidden ones first, so that what it shows changes as little as possible. */
  reduceTo(line: number, open: number): void {
    assert(open > 0 && open <= this.openQty(line), "an order must not grow when it is reduced");
    if (!this.hides(line)) this.setQty(line, open);
    else {
      const shown = Math.min(this.qty(line), open);
      this.#setShown(line, shown, open - shown);
    }
  }

  /** Shows the next slice of an order with hidden lots, whose slice has been filled. */
  showNext(line: number): void {
    const hidden = this.hiddenQty(line);
    assert(hidden > 0, "an order that shows its next slice must have hidden lots");
    const shown = Math.min(this.sliceQty(line), hidden);
    this.#setShown(line, shown, hidden - shown);
  }

  /** Removes an order from its queue; true if it was alone, so its level must be removed too. */
  unlink(line: number): boolean {
    const words = this.words;
    const previous = wordAt(words, line + previousWord);
    const next = wordAt(words, line + nextWord);
    words[previous + nextWord] = next;
    words[next + previousWord] = previous;
    // Only the queue end is on both sides of a single order.
    return previous === next;
  }

  /** Clears a line but keeps its generation, so that a stale handle is recognised. */
  release(line: number): void {
    const at = line + stateWord;
    const state = wordAt(this.words, at);
    assert((state & restingBit) !== 0, "a pool line must be in use when it is released");
    this.words[at] = state & ~restingBit;
  }

  /** Clears the generation of a released line, so that an amended order can be added again under the same handle. */
  vacate(line: number): void {
    this.words[line + generationWord] = 0;
  }

  qty(line: number): number {
    return numberAt(this.quantities, line >>> 1);
  }

  setQty(line: number, qty: number): void {
    this.quantities[line >>> 1] = qty;
  }

  price(line: number): number {
    return wordAt(this.words, line + priceWord);
  }

  account(line: number): number {
    return wordAt(this.words, line + accountWord);
  }

  /** Whether an order belongs to `owner`: to the account itself or to one of its sub-accounts. */
  isOwnedBy(line: number, owner: number): boolean {
    return this.account(line) === owner || wordAt(this.owners, slotOf(line)) === owner;
  }

  generation(line: number): number {
    return ~wordAt(this.words, line + generationWord);
  }

  side(line: number): Side {
    // Computed without a branch: sides are random, so a branch would often be mispredicted.
    return (wordAt(this.words, line + stateWord) & sideBit) as Side;
  }

  postOnly(line: number): boolean {
    return (wordAt(this.words, line + stateWord) & postOnlyBit) !== 0;
  }

  isReduceOnly(line: number): boolean {
    return (wordAt(this.words, line + stateWord) & reduceOnlyBit) !== 0;
  }

  /** The next order at the same price, or the end of the queue; from the end, the first order. */
  next(line: number): number {
    return wordAt(this.words, line + nextWord);
  }
}
