// The order of leaves in a sum tree: by tag, and those of equal tag by hash. Each sort key holds the first 44 bits of a
// tag and the leaf's index, so that the runtime sorts plain integers; leaves whose keys tie are compared in full.

import { assert } from "../../core/assert.ts";

const indexBits = 20;
/** Bytes that decide the order: tag and hash. */
const comparedBytes = 40;

/**
 * The indexes of the leaves in their order. Each leaf has `width` words and begins with its tag and its hash. Asserts at
 * most 2^20 leaves.
 */
export function leafOrder(leaves: Uint32Array, width: number): Uint32Array {
  const count = leaves.length / width;
  assert(count <= 2 ** indexBits, "a tree must have at most 2^20 leaves");
  const bytes = new DataView(leaves.buffer, leaves.byteOffset);
  const keys = new BigUint64Array(count);
  // Little-endian, as on every machine that the venue runs on: the low word comes first.
  const words = new Uint32Array(keys.buffer);
  for (let index = 0; index < count; index++) {
    const at = index * width * 4;
    words[2 * index + 1] = bytes.getUint32(at);
    words[2 * index] = ((bytes.getUint32(at + 4) >>> indexBits) << indexBits) | index;
  }
  keys.sort();
  const order = new Uint32Array(count);
  for (let index = 0; index < count; index++)
    order[index] = (words[2 * index] as number) & (2 ** indexBits - 1);
  settleTies(order, words, (one, other) => compare(bytes, one * width * 4, other * width * 4));
  return order;
}

/** Orders neighbours whose keys have equal tags, which is rare, by insertion. */
function settleTies(
  order: Uint32Array,
  words: Uint32Array,
  compared: (one: number, other: number) => number,
): void {
  const isTied = (index: number) =>
    words[2 * index + 1] === words[2 * index - 1] &&
    (words[2 * index] as number) >>> indexBits === (words[2 * index - 2] as number) >>> indexBits;
  for (let index = 1; index < order.length; index++) {
    if (!isTied(index)) continue;
    const moved = order[index] as number;
    let to = index;
    while (to > 0 && isTied(to) && compared(moved, order[to - 1] as number) < 0) {
      order[to] = order[to - 1] as number;
      to--;
    }
    order[to] = moved;
  }
}

function compare(bytes: DataView, one: number, other: number): number {
  for (let index = 0; index < comparedBytes; index++) {
    const difference = bytes.getUint8(one + index) - bytes.getUint8(other + index);
    if (difference !== 0) return difference;
  }
  return 0;
}
