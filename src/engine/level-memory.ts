// Memory for price levels, shared by all sets of one thread: pages of 1,024 consecutive ranks, each of at most
// 32 rows of 32 ranks.
//
//   page   32 numbers of rows, 0 where there is none, and one word with a bit for each row there is
//   row    32 places for what a level holds, and one word with a bit for each level there is
//
// A page or row exists while it holds a level and is used again as soon as it is empty, last come first. So
// there are never more of either than levels, and never more levels than orders at rest. An order alone on its
// page takes 136 bytes here, and what its holder keeps for a row. Slots of the pool of orders run out first, so no
// order is refused for want of a page, and the orders that were there before decide nothing but which number a
// page has. Number 0 of each is an empty one that stands wherever there is none, so that looking needs no question;
// what holders keep at places of row 0 stays zero.

import { assert, wordAt } from "../core/assert.ts";
import { reservedMemory } from "../core/reserved-memory.ts";

/** Ranks of a row, and rows of a page: one word has a bit for each. */
export const rowRanks = 32;

/** Pages and rows for at most `levels` levels: reserved at once, touched only as they are used. */
export class LevelMemory {
  /** Rows 1 … `rows` exist: what holders keep by place has `(rows + 1) × rowRanks` cells. */
  readonly rows: number;
  /** By page: the numbers of its rows. */
  readonly children: Int32Array;
  /** By page: which rows it has; of a free page the next free one. */
  readonly pageBits: Int32Array;
  /** By row: which levels it has; of a free row the next free one. */
  readonly rowBits: Int32Array;
  #pagesTouched = 0;
  #rowsTouched = 0;
  #freePage = 0;
  #freeRow = 0;

  constructor(levels: number) {
    assert(Number.isInteger(levels) && levels >= 1, "there is room for a level");
    assert(levels < 2 ** 25, "places fit 31 bits, two cells a place");
    this.rows = levels;
    this.children = new Int32Array(reservedMemory(4 * rowRanks * (levels + 1)));
    this.pageBits = new Int32Array(reservedMemory(4 * (levels + 1)));
    this.rowBits = new Int32Array(reservedMemory(4 * (levels + 1)));
  }

  /** An empty page; asserts that fewer are in use than there may be levels. */
  takePage(): number {
    let page = this.#freePage;
    if (page !== 0) {
      this.#freePage = wordAt(this.pageBits, page);
    } else {
      page = ++this.#pagesTouched;
      assert(page <= this.rows, "there are no more pages than levels");
    }
    this.pageBits[page] = 0;
    return page;
  }

  /** Takes back a page without rows. */
  givePage(page: number): void {
    this.pageBits[page] = this.#freePage;
    this.#freePage = page;
  }

  /** An empty row; asserts that fewer are in use than there may be levels. */
  takeRow(): number {
    let row = this.#freeRow;
    if (row !== 0) {
      this.#freeRow = wordAt(this.rowBits, row);
    } else {
      row = ++this.#rowsTouched;
      assert(row <= this.rows, "there are no more rows than levels");
    }
    this.rowBits[row] = 0;
    return row;
  }

  /** Takes back a row without levels. */
  giveRow(row: number): void {
    this.rowBits[row] = this.#freeRow;
    this.#freeRow = row;
  }
}
