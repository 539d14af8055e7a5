// The hashes of RFC 6962: the prefixes of leaves and nodes, and the root of a run of adjacent hashes. The hash
// function is a parameter, because core and engine must not import one.

import { assert } from "../../core/assert.ts";

export const hashBytes = 32;

/** First byte of the hashed data, distinct for each kind of data. RFC 6962 (EPO-1). */
export const HashPrefix = { leaf: 0, parent: 1, header: 2, body: 3 } as const;

/** Writes the SHA-256 of `data` to `out` at byte `at`. */
export type HashInto = (data: Uint8Array, out: Uint8Array, at: number) => void;

/**
 * Hashes `count` pairs of adjacent hashes into their parent nodes. The pairs begin at byte `start` of `from`; the nodes
 * are written to `out`, beginning at byte `at`. Input and output may begin at the same byte of the same memory.
 */
export type HashPairs = (
  from: Uint8Array,
  start: number,
  count: number,
  out: Uint8Array,
  at: number,
) => void;

/** Copies `count` bytes; a loop, because for one or two hashes a call to `set` would take longer. */
export function copyBytes(
  from: Uint8Array,
  start: number,
  to: Uint8Array,
  at: number,
  count: number,
): void {
  for (let index = 0; index < count; index++) to[at + index] = from[start + index] as number;
}

/** Computes tree nodes in preallocated memory. */
export class TreeHasher {
  readonly hashInto: HashInto;
  readonly #node = new Uint8Array(1 + 2 * hashBytes);
  readonly #row = new Uint8Array(256 * hashBytes);

  readonly #pairs: HashPairs;

  /** `pairs` is an optional faster way to hash adjacent nodes. */
  constructor(hashInto: HashInto, pairs?: HashPairs) {
    this.hashInto = hashInto;
    this.#node[0] = HashPrefix.parent;
    this.#pairs = pairs ?? ((...indexes) => this.#oneByOne(...indexes));
  }

  /** The root of no leaves: the hash of no bytes. */
  empty(): Uint8Array {
    const root = new Uint8Array(hashBytes);
    this.hashInto(new Uint8Array(), root, 0);
    return root;
  }

  /** The node over `left` and `right`, 32 bytes each. */
  node(left: Uint8Array, right: Uint8Array): Uint8Array {
    const out = new Uint8Array(hashBytes);
    copyBytes(left, 0, this.#node, 1, hashBytes);
    copyBytes(right, 0, this.#node, 1 + hashBytes, hashBytes);
    this.hashInto(this.#node, out, 0);
    return out;
  }

  /**
   * The root over `count` adjacent hashes in `hashes` from byte `start`; asserts a power of two up to 256, because
   * only such runs are complete subtrees.
   */
  perfect(hashes: Uint8Array, start: number, count: number): Uint8Array {
    assert(
      count > 0 && count <= 256 && (count & (count - 1)) === 0,
      "the size of a complete subtree must be a power of two",
    );
    const row = this.#row;
    copyBytes(hashes, start, row, 0, count * hashBytes);
    for (let width = count; width > 1; width >>= 1) this.#pairs(row, 0, width >> 1, row, 0);
    return row.slice(0, hashBytes);
  }

  #oneByOne(from: Uint8Array, start: number, count: number, out: Uint8Array, at: number): void {
    for (let index = 0; index < count; index++) {
      copyBytes(from, start + index * 2 * hashBytes, this.#node, 1, 2 * hashBytes);
      this.hashInto(this.#node, out, at + index * hashBytes);
    }
  }

  /**
   * The root over complete subtrees of decreasing size, left to right, combined from the right as RFC 6962 splits a
   * tree.
   */
  foldPeaks(peaks: readonly Uint8Array[]): Uint8Array {
    let root = peaks[peaks.length - 1];
    if (root === undefined) return this.empty();
    for (let index = peaks.length - 2; index >= 0; index--) {
      root = this.node(peaks[index] as Uint8Array, root);
    }
    return root;
  }
}
