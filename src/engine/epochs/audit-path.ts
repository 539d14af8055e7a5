// Makes inclusion proofs from tiles. A plan lists the hashes of a leaf's audit path (RFC 6962, 2.1.1) and the places
// of these hashes in tiles. The path itself is computed once the tiles are loaded. Planning is a separate step, so that
// the caller can fetch all tiles at once.

import { assert, present } from "../../core/assert.ts";
import { hashBytes, type TreeHasher } from "./tree-hash.ts";
import { tileBits } from "./tree-tiles.ts";

/** Adjacent hashes of one tile that form a complete subtree. */
interface Block {
  readonly level: number;
  readonly tile: number;
  /** First hash and count; the count is a power of two. */
  readonly from: number;
  readonly count: number;
}

/** For each hash of the path, bottom first: the blocks whose roots together give that hash. */
export type PathPlan = readonly (readonly Block[])[];

/** Identifies a tile; the store has one row of hashes under each name. */
export interface TileName {
  readonly level: number;
  readonly tile: number;
}

/** The largest power of two below `size`, as its exponent; asserts a size of at least 2. */
function splitBits(size: number): number {
  assert(size >= 2, "a subtree that is split must have at least two leaves");
  let bits = 0;
  while (2 ** (bits + 1) < size) bits++;
  return bits;
}

/** The complete subtrees of leaves `start` … `end` − 1, largest first; `start` is a multiple of their size. */
function blocksOf(start: number, end: number): Block[] {
  const blocks: Block[] = [];
  let from = start;
  while (from < end) {
    const bits = Math.floor(Math.log2(end - from));
    const level = Math.floor(bits / tileBits);
    const first = Math.floor(from / 2 ** (level * tileBits));
    blocks.push({
      level,
      tile: Math.floor(first / 2 ** tileBits),
      from: first % 2 ** tileBits,
      count: 2 ** (bits - level * tileBits),
    });
    from += 2 ** bits;
  }
  return blocks;
}

/** The path of leaf `index` in a tree of `size` leaves; asserts that the leaf exists. */
export function planPath(index: number, size: number): PathPlan {
  assert(index >= 0 && index < size, "the index of the leaf must be below the size of the tree");
  const path: Block[][] = [];
  let start = 0;
  let end = size;
  while (end - start > 1) {
    const middle = start + 2 ** splitBits(end - start);
    if (index < middle) {
      path.push(blocksOf(middle, end));
      end = middle;
    } else {
      path.push(blocksOf(start, middle));
      start = middle;
    }
  }
  return path.reverse();
}

/** The tiles a plan reads, without duplicates. */
export function tilesOf(plan: PathPlan): TileName[] {
  const names = new Map<string, TileName>();
  for (const { level, tile } of plan.flat()) names.set(`${level}/${tile}`, { level, tile });
  return [...names.values()];
}

/** The hashes of the path, bottom first; asserts that `hashesOf` has every tile of the plan. */
export function auditPath(
  plan: PathPlan,
  hashesOf: (name: TileName) => Uint8Array | undefined,
  hasher: TreeHasher,
): Uint8Array[] {
  return plan.map((blocks) => {
    const peaks = blocks.map((block) => {
      const hashes = present(hashesOf(block), "every tile of the audit path must be stored");
      assert(
        hashes.length >= (block.from + block.count) * hashBytes,
        "the tile must contain all hashes that the audit path needs",
      );
      return hasher.perfect(hashes, block.from * hashBytes, block.count);
    });
    return hasher.foldPeaks(peaks);
  });
}
