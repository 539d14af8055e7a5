// Memory for price levels, shared by all sets of one thread: pages of 1,024 consecutive ranks, each of at most
// 32 rows of 32 ranks.
//
//   page   32 numbers of rows, 0 for a missing row, and one word with a bit for each existing row
//   row    32 indexes of level data, and one word with a bit for each existing level
//
// A page or row exists while it contains a level; empty ones are reused, last freed first. So there are never more
// pages or rows than levels, and never more levels than resting orders. An order alone on its page takes 136 bytes
// here, plus what the owner of the set stores per row. Order slots run out first, so no order is refused for lack of a
// page. Earlier orders influence only which number a page or row gets. Page 0 and row 0 are always empty and are used
// for missing pages and rows, so lookups need no check; owners leave zero at the indexes of row 0.

import { assert, wordAt } from "../core/assert.ts";
import { reservedMemory } from "../core/reserved-memory.ts";

/** Ranks per row and rows per page: one bit each in a word. */
export const rowRanks = 32;

/** Pages and rows for at most `levels` levels. Their memory is reserved at the start and touched only as it is used. */
export class LevelMemory {
  /** Rows 1 … `rows` exist: owners of sets allocate `(rows + 1) × rowRanks` elements. */
  readonly rows: number;
  /** By page: the numbers of its rows. */
  readonly children: Int32Array;
  /** By page: a bit for each of its rows; for a free page, the number of the next free page. */
  readonly pageBits: Int32Array;
  /** By row: a bit for each of its levels; for a free row, the number of the next free row. */
  readonly rowBits: Int32Array;
  #pagesTouched = 0;
  #rowsTouched = 0;
  #freePage = 0;
  #freeRow = 0;

  constructor(levels: number) {
    assert(
      Number.isInteger(levels) && levels >= 1,
      "the number of levels must be a positive integer",
    );
    assert(levels < 2 ** 25, "there must be few enough levels for element indexes to fit 31 bits");
    this.rows = levels;
    this.children = new Int32Array(reservedMemory(4 * rowRanks * (levels + 1)));
    this.pageBits = new Int32Array(reservedMemory(4 * (levels + 1)));
    this.rowBits = new Int32Array(reservedMemory(4 * (levels + 1)));
  }

  /** An empty page; asserts that fewer pages are in use than levels may exist. */
  takePage(): number {
    let page = this.#freePage;
    if (page !== 0) {
      this.#freePage = wordAt(this.pageBits, page);
    } else {
      page = ++this.#pagesTouched;
      assert(page <= this.rows, "there must be no more pages than levels");
    }
    this.pageBits[page] = 0;
    return page;
  }

  /** Frees a page without rows. */
  givePage(page: number): void {
    this.pageBits[page] = this.#freePage;
    this.#freePage = page;
  }

  /** An empty row; asserts that fewer rows are in use than levels may exist. */
  takeRow(): number {
    let row = this.#freeRow;
    if (row !== 0) {
      this.#freeRow = wordAt(this.rowBits, row);
    } else {
      row = ++this.#rowsTouched;
      assert(row <= this.rows, "there must be no more rows than levels");
    }
    this.rowBits[row] = 0;
    return row;
  }

  /** Frees a row without levels. */
  giveRow(row: number): void {
    this.rowBits[row] = this.#freeRow;
    this.#freeRow = row;
  }
}
