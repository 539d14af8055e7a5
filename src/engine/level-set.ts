// The price levels of one side of a book: a sorted set of ranks. Each rank has an index at which the owner of the set
// stores the level's data. An owner that stores zero for missing levels needs no other check; an owner with large,
// scattered data checks the bits with `has`.
//
//   rank   sign ── page number (20 bits) ── row (5) ── level (5)
//
// A page is found by its number and a row by its index in the page: two reads, at any price. The next lower level is in
// the same row, in the next lower row of the page, or in the next lower page: a constant number of steps. Nothing is
// moved in memory when the best price changes, and no search grows with the number of levels. All ranks of a set have
// the same sign.

import { assert, wordAt } from "../core/assert.ts";
import { priceTicksMax } from "../core/limits.ts";
import type { Side } from "../core/orders.ts";
import { reservedMemory } from "../core/reserved-memory.ts";
import type { LevelMemory } from "./level-memory.ts";
import { PageIndex, pagesMax } from "./page-index.ts";

/** A value worse than every rank: the best rank of an empty side, and the successor of the worst level. */
export const noRank = -priceTicksMax - 1;

/** Bits of a rank below its sign: page number, row and level. */
const keyMask = 2 ** 30 - 1;

assert(
  priceTicksMax < keyMask && pagesMax === 2 ** 20,
  "the bits of page, row and level must fit the rank",
);

/** The rank of a price on a side; higher is better. Applied to a rank, it returns the price. */
export const rankOf = (side: Side, price: number): number => {
  // Negates the price if `side` is 1, without a branch: sides are random, so a branch would often be mispredicted.
  return (price ^ -side) + side;
};

/** Ranks of one side; the owner of the set stores level data by index in its own arrays. */
export class LevelSet {
  /** The best rank, `noRank` while the set is empty. */
  best = noRank;
  readonly #memory: LevelMemory;
  readonly #children: Int32Array;
  readonly #pageBits: Int32Array;
  readonly #rowBits: Int32Array;
  /** Pages by number, 0 for none: 4 MiB, of which each touched range of 2^20 ticks uses 4 KiB. */
  readonly #pages = new Int32Array(reservedMemory(4 * pagesMax));
  readonly #index = new PageIndex();

  constructor(memory: LevelMemory) {
    this.#memory = memory;
    this.#children = memory.children;
    this.#pageBits = memory.pageBits;
    this.#rowBits = memory.rowBits;
  }

  /** The index of a rank; for a missing rank an index at which the owner stores zero. */
  find(rank: number): number {
    const page = wordAt(this.#pages, (rank & keyMask) >>> 10);
    const row = wordAt(this.#children, (page << 5) + ((rank >>> 5) & 31));
    return (row << 5) + (rank & 31);
  }

  /** Whether a level exists at an index that `find` has returned. */
  has(place: number): boolean {
    return ((wordAt(this.#rowBits, place >>> 5) >>> (place & 31)) & 1) !== 0;
  }

  /** Adds a rank that is not in the set; returns its index. */
  add(rank: number): number {
    const number = (rank & keyMask) >>> 10;
    let page = wordAt(this.#pages, number);
    if (page === 0) page = this.#addPage(number);
    const at = (page << 5) + ((rank >>> 5) & 31);
    let row = wordAt(this.#children, at);
    if (row === 0) row = this.#addRow(page, at);
    this.#rowBits[row] = wordAt(this.#rowBits, row) | (1 << (rank & 31));
    if (rank > this.best) this.best = rank;
    return (row << 5) + (rank & 31);
  }

  /** Removes a rank of the set; the owner has already stored zero at its index. */
  remove(rank: number): void {
    const number = (rank & keyMask) >>> 10;
    const page = wordAt(this.#pages, number);
    const at = (page << 5) + ((rank >>> 5) & 31);
    const row = wordAt(this.#children, at);
    const before = wordAt(this.#rowBits, row);
    const bits = before & ~(1 << (rank & 31));
    assert(bits !== before, "a level that is removed must exist");
    // The bits are written before any page is freed, because the search for the next lower rank starts at the removed
    // rank's row.
    this.#rowBits[row] = bits;
    if (rank === this.best) this.best = this.nextBelow(rank);
    if (bits === 0) this.#removeRow(number, page, at);
  }

  /** The best rank below `rank`, `noRank` if none. */
  nextBelow(rank: number): number {
    const number = (rank & keyMask) >>> 10;
    const page = wordAt(this.#pages, number);
    const place = (rank >>> 5) & 31;
    const row = wordAt(this.#children, (page << 5) + place);
    const levels = wordAt(this.#rowBits, row) & ((1 << (rank & 31)) - 1);
    if (levels !== 0) return (rank & -32) + 31 - Math.clz32(levels);
    const rows = wordAt(this.#pageBits, page) & ((1 << place) - 1);
    if (rows !== 0) return (rank & -1024) + this.#highestOf(page, rows);
    const next = this.#index.highestBelow(number);
    if (next < 0) return noRank;
    const found = wordAt(this.#pages, next);
    return (rank & ~keyMask) + (next << 10) + this.#highestOf(found, wordAt(this.#pageBits, found));
  }

  /** The highest level in the highest row of `rows` (bits of a page), relative to the page's first rank. */
  #highestOf(page: number, rows: number): number {
    const place = 31 - Math.clz32(rows);
    const row = wordAt(this.#children, (page << 5) + place);
    return (place << 5) + 31 - Math.clz32(wordAt(this.#rowBits, row));
  }

  #addPage(number: number): number {
    const page = this.#memory.takePage();
    this.#pages[number] = page;
    this.#index.add(number);
    return page;
  }

  #addRow(page: number, at: number): number {
    const row = this.#memory.takeRow();
    this.#children[at] = row;
    this.#pageBits[page] = wordAt(this.#pageBits, page) | (1 << (at & 31));
    return row;
  }

  /** Frees an empty row, and its page if it was the last row. */
  #removeRow(number: number, page: number, at: number): void {
    this.#memory.giveRow(wordAt(this.#children, at));
    this.#children[at] = 0;
    const rows = wordAt(this.#pageBits, page) & ~(1 << (at & 31));
    this.#pageBits[page] = rows;
    if (rows !== 0) return;
    this.#memory.givePage(page);
    this.#pages[number] = 0;
    this.#index.remove(number);
  }
}
