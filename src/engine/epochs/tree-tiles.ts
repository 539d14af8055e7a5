// A Merkle tree stored in tiles: 256 hashes of one level each. Level 0 holds leaf hashes, level n the roots of the
// full tiles of level n − 1, so a proof reads only a few tiles however large the tree is.
//
//   level 1   [ root of tile 0 │ root of tile 1 │ … ]
//   level 0   [ leaf 0 … 255 ]  [ leaf 256 … 511 ]  [ leaf 512 … (not full) ]
//
// A full tile never changes. The last tile of each level, if it is not full, is written when the tree is finished.

import { assert } from "../../core/assert.ts";
import { copyBytes, hashBytes, type TreeHasher } from "./tree-hash.ts";

export const tileHashes = 256;
export const tileBits = 8;

/** One tile; `hashes` holds 1 to 256 adjacent hashes. */
export interface Tile {
  readonly level: number;
  readonly tile: number;
  readonly hashes: Uint8Array;
}

/** An unfinished tree as plain data: its size and its partial tiles, by level. */
export interface OpenTree {
  readonly size: number;
  readonly tails: readonly Uint8Array[];
}

export const noTree: OpenTree = { size: 0, tails: [] };

interface Level {
  readonly hashes: Uint8Array;
  count: number;
  /** Index of the tile that is being filled: the number of full tiles of this level. */
  tile: number;
}

export class TreeBuilder {
  readonly #hasher: TreeHasher;
  readonly #emit: (tile: Tile) => void;
  readonly #levels: Level[] = [];
  #size: number;

  /** Continues the tree `open`; `emit` receives each full tile once. */
  constructor(hasher: TreeHasher, emit: (tile: Tile) => void, open: OpenTree = noTree) {
    this.#hasher = hasher;
    this.#emit = emit;
    this.#size = open.size;
    for (const [level, tail] of open.tails.entries()) {
      const hashes = new Uint8Array(tileHashes * hashBytes);
      hashes.set(tail);
      const before = Math.floor(open.size / tileHashes ** (level + 1));
      this.#levels.push({ hashes, count: tail.length / hashBytes, tile: before });
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Adds the leaf hash at byte `start` of `from`. */
  append(from: Uint8Array, start: number): void {
    this.#size++;
    this.#add(0, from, start);
  }

  /** The current tree, to continue later. */
  open(): OpenTree {
    const tails = this.#levels.map(({ hashes, count }) => hashes.slice(0, count * hashBytes));
    return { size: this.#size, tails };
  }

  /** Emits the partial tiles and returns the root. The builder cannot be used afterwards. */
  finish(): Uint8Array {
    const peaks: Uint8Array[] = [];
    for (let level = this.#levels.length - 1; level >= 0; level--) {
      const { hashes, count, tile } = this.#levels[level] as Level;
      if (count === 0) continue;
      this.#emit({ level, tile, hashes: hashes.slice(0, count * hashBytes) });
      let from = 0;
      for (let width = tileHashes / 2; width > 0; width >>= 1) {
        if ((count & width) === 0) continue;
        peaks.push(this.#hasher.perfect(hashes, from * hashBytes, width));
        from += width;
      }
    }
    return this.#hasher.foldPeaks(peaks);
  }

  #add(level: number, from: Uint8Array, start: number): void {
    const own = this.#levelOf(level);
    copyBytes(from, start, own.hashes, own.count * hashBytes, hashBytes);
    own.count++;
    if (own.count < tileHashes) return;
    this.#emit({ level, tile: own.tile, hashes: own.hashes.slice() });
    const root = this.#hasher.perfect(own.hashes, 0, tileHashes);
    own.count = 0;
    own.tile++;
    this.#add(level + 1, root, 0);
  }

  #levelOf(level: number): Level {
    const known = this.#levels[level];
    if (known !== undefined) return known;
    assert(level === this.#levels.length, "tree levels must be added one at a time");
    const made = { hashes: new Uint8Array(tileHashes * hashBytes), count: 0, tile: 0 };
    this.#levels.push(made);
    return made;
  }
}
