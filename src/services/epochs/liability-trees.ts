// Builds the sum trees of a statement of liabilities: one an asset, with two leaves for each account above zero. A
// statement of a hundred thousand accounts has millions of leaves and nodes. So four hashes are computed at a time, and
// leaves and nodes have no object each: they are 32-bit words in a row, which hold the bytes in their order.
//
//   leaf in memory   tag (8 bytes) ‖ hash (32) ‖ sum (16)          node in memory   hash (32) ‖ sum (16)
//
// test/support/epochs/naive-liabilities.ts specifies the same trees one object at a time.

import { assert } from "../../core/assert.ts";
import { writeU64 } from "../../engine/epochs/epoch-header.ts";
import { copyBytes, hashBytes } from "../../engine/epochs/tree-hash.ts";
import type { OwnedAmounts } from "../../engine/risk/owned-amounts.ts";
import type { LiabilityTile } from "../../ports/journal/liability-store.ts";
import { HmacLanes } from "./hmac-lanes.ts";
import { leafOrder } from "./liability-order.ts";
import { Sha256Lanes } from "./sha256-lanes.ts";
import { laneBytes, lanes } from "./sha256-module.ts";

/** First bytes of the hashed data; those of epochs' trees are 0 to 3. Spec LIA-1. */
export const treePrefix = { leaf: 4, node: 5, share: 6, padding: 7 } as const;

/** Leaves or nodes of a tile; the next tiles are those of eight levels up. */
export const tileLevels = 8;
export const tileNodes = 2 ** tileLevels;
/** Even a venue with a handful of accounts has this many leaves, so that their number says nothing. */
const leavesMin = 64;

// Lengths in words.
const laneWords = laneBytes / 4;
const tagWords = 2;
const hashWords = 8;
const sumWords = 4;
const nodeWords = hashWords + sumWords;
const leafWords = tagWords + nodeWords;

/** Lengths in bytes of what is hashed. */
const messageBytes = { leaf: 78, node: 97, share: 35, padding: 38 } as const;
/**
 * Of each message, the bytes of the first lane before the words that are copied: a message is placed so that they are at
 * a multiple of four.
 */
const shifts = { leaf: 2, node: 3, share: 3, padding: 2 } as const;
/** Where the amount, fingerprint, account and salt are in a leaf, in words after its first two bytes. */
const leafAt = { amount: 2, fingerprint: 6, account: 14, salt: 15 } as const;
/** Where salt, tag and ratio are in a share, in words. */
const shareAt = { salt: 0, tag: 4, ratio: 6 } as const;
const saltWords = 4;
/** Where the number is in a padding leaf, in words after its first two bytes. */
const paddingNumberAt = 8;

/** The tree of one asset. */
export interface SumTree {
  /** Number of leaves, padding included. */
  readonly leaves: number;
  readonly root: Uint8Array;
  readonly total: bigint;
  readonly shortfall: bigint;
}

/** A word with its bytes reversed: memory is little-endian, hashed numbers are big-endian. */
function swapped(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | ((word >>> 24) & 0xff);
}

function copyWords(
  from: Uint32Array,
  start: number,
  to: Uint32Array,
  at: number,
  count: number,
): void {
  for (let index = 0; index < count; index++) to[at + index] = from[start + index] as number;
}

/** Adds the sums at `left` and `right`; asserts a result below 2^127. */
function addSums(
  from: Uint32Array,
  left: number,
  right: number,
  to: Uint32Array,
  at: number,
): void {
  let carry = 0;
  for (let index = sumWords - 1; index >= 0; index--) {
    const one = swapped(from[left + index] as number) >>> 0;
    const other = swapped(from[right + index] as number) >>> 0;
    const sum = one + other + carry;
    carry = sum > 0xffff_ffff ? 1 : 0;
    to[at + index] = swapped(sum | 0);
  }
  assert(swapped(to[at] as number) >= 0, "a sum must be below 2^127");
}

/** Set 0 of such a hasher has the messages, set 1 the digests, so that what all messages share is written once. */
function hasherOf(bytes: number, shift: number): Sha256Lanes {
  const hasher = new Sha256Lanes({ states: 0, sets: 2, shifts: [shift, 0] });
  hasher.pad(bytes);
  return hasher;
}

/** Messages and digests as words. */
class WordLanes {
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
  readonly digests: Uint32Array;
  readonly #hasher: Sha256Lanes;
  readonly #blocks: number;

  constructor(length: number, shift: number, prefix: number) {
    this.#hasher = hasherOf(length, shift);
    this.#blocks = this.#hasher.blocksOf(length);
    this.bytes = this.#hasher.slots;
    this.words = this.#hasher.words(0);
    this.digests = this.#hasher.words(1);
    for (let lane = 0; lane < lanes; lane++) this.bytes[lane * laneBytes] = prefix;
  }

  hash(): void {
    this.#hasher.hash(this.#blocks, null, 0, 1);
  }
}

/** Builds the trees of one epoch. */
export class LiabilityTrees {
  readonly #epochKey: Uint8Array;
  readonly #owned: OwnedAmounts;
  readonly #keys: Uint32Array;
  readonly #fingerprints: Uint32Array;
  readonly #tiles: LiabilityTile[] = [];
  readonly #shares = new WordLanes(messageBytes.share, shifts.share, treePrefix.share);
  readonly #leaves = new WordLanes(messageBytes.leaf, shifts.leaf, treePrefix.leaf);
  readonly #nodes = new WordLanes(messageBytes.node, shifts.node, treePrefix.node);

  /** `epochKey` has 32 bytes; `fingerprintOf` says whose wallet key an account belongs to, null for none. */
  constructor(
    epoch: number,
    epochKey: Uint8Array,
    owned: OwnedAmounts,
    fingerprintOf: (account: number) => Uint8Array | null,
  ) {
    this.#epochKey = epochKey;
    this.#owned = owned;
    this.#keys = accountKeys(epochKey, owned.accounts);
    const fingerprints = new Uint8Array(owned.accounts.length * hashBytes);
    for (let index = 0; index < owned.accounts.length; index++) {
      const fingerprint = fingerprintOf(owned.accounts[index] as number);
      if (fingerprint !== null) fingerprints.set(fingerprint, index * hashBytes);
    }
    this.#fingerprints = new Uint32Array(fingerprints.buffer);
    for (let lane = 0; lane < lanes; lane++)
      writeU64(this.#leaves.bytes, lane * laneBytes + 1, epoch);
  }

  /** The tiles of all trees built so far. */
  get tiles(): readonly LiabilityTile[] {
    return this.#tiles;
  }

  /** Builds the tree of an asset. */
  build(asset: number): SumTree {
    const amounts = this.#owned.byAsset[asset] ?? new BigInt64Array();
    const { real, total, shortfall } = sumsOf(amounts);
    let size = leavesMin;
    while (size < real) size *= 2;
    const unordered = new Uint32Array(size * leafWords);
    this.#addLeaves(asset, amounts, unordered);
    this.#addPadding(asset, unordered, real);
    const root = this.#climb(asset, ordered(unordered));
    return { leaves: size, root, total, shortfall };
  }

  /** Writes the leaves of all accounts above zero: two accounts, with both parts of each, at a time. */
  #addLeaves(asset: number, amounts: BigInt64Array, out: Uint32Array): void {
    for (let lane = 0; lane < lanes; lane++) {
      this.#shares.bytes[lane * laneBytes + 33] = asset;
      this.#shares.bytes[lane * laneBytes + 34] = lane & 1;
      this.#leaves.bytes[lane * laneBytes + 9] = asset;
    }
    const words = wordsOf(amounts);
    let [at, waiting] = [0, -1];
    for (let index = 0; index < amounts.length; index++) {
      if (!isPositive(words, index)) continue;
      if (waiting < 0) waiting = index;
      else {
        this.#addPair(waiting, index, words, out, at);
        at += lanes * leafWords;
        waiting = -1;
      }
    }
    if (waiting >= 0) this.#addPair(waiting, -1, words, out, at);
  }

  /** Writes the leaves of two accounts, or of one if `second` is negative. */
  #addPair(
    first: number,
    second: number,
    amounts: Uint32Array,
    out: Uint32Array,
    at: number,
  ): void {
    const { words: messages, digests: drawn } = this.#shares;
    const some = second < 0 ? 2 : lanes;
    for (let lane = 0; lane < some; lane++) {
      const index = lane < 2 ? first : second;
      copyWords(this.#keys, index * hashWords, messages, lane * laneWords, hashWords);
    }
    this.#shares.hash();
    this.#split(0, first, amounts);
    if (second >= 0) this.#split(2, second, amounts);
    this.#leaves.hash();
    const { words: leaves, digests: hashes } = this.#leaves;
    for (let lane = 0; lane < some; lane++) {
      const start = lane * laneWords;
      const leaf = at + lane * leafWords;
      copyWords(drawn, start + shareAt.tag, out, leaf, tagWords);
      copyWords(hashes, start, out, leaf + tagWords, hashWords);
      copyWords(leaves, start + leafAt.amount, out, leaf + tagWords + hashWords, sumWords);
    }
  }

  /**
   * Writes the messages of an account's two leaves, in lanes `lane` and `lane` + 1, from its shares. Part 0 has
   * amount × ratio ÷ 2^32, rounded down: the product has 95 bits and is computed in parts below 2^53.
   */
  #split(lane: number, index: number, amounts: Uint32Array): void {
    const low = amounts[2 * index] as number;
    const high = amounts[2 * index + 1] as number;
    const ratio = swapped(this.#shares.digests[lane * laneWords + shareAt.ratio] as number) >>> 0;
    const ratioHigh = ratio >>> 16;
    const ratioLow = ratio & 0xffff;
    const ofLow = Math.floor((low * ratioHigh + Math.floor((low * ratioLow) / 2 ** 16)) / 2 ** 16);
    const top = high * ratioHigh;
    const topHigh = Math.floor(top / 2 ** 16);
    const rest = (top - topHigh * 2 ** 16) * 2 ** 16 + high * ratioLow + ofLow;
    const firstHigh = topHigh + Math.floor(rest / 2 ** 32);
    const firstLow = rest % 2 ** 32;
    const isBorrowed = firstLow > low;
    this.#writeLeaf(lane, index, firstHigh, firstLow);
    const [lastHigh, lastLow] = [high - firstHigh - (isBorrowed ? 1 : 0), (low - firstLow) >>> 0];
    this.#writeLeaf(lane + 1, index, lastHigh, lastLow);
  }

  #writeLeaf(lane: number, index: number, high: number, low: number): void {
    const { words } = this.#leaves;
    const start = lane * laneWords;
    // An amount is an int64: the upper half of its 16 bytes stays zero.
    words[start + leafAt.amount + 2] = swapped(high);
    words[start + leafAt.amount + 3] = swapped(low);
    const fingerprint = start + leafAt.fingerprint;
    copyWords(this.#fingerprints, index * hashWords, words, fingerprint, hashWords);
    words[start + leafAt.account] = swapped(this.#owned.accounts[index] as number);
    const salt = lane * laneWords + shareAt.salt;
    copyWords(this.#shares.digests, salt, words, start + leafAt.salt, saltWords);
  }

  /** Fills `out` with padding leaves from leaf `from` on. */
  #addPadding(asset: number, out: Uint32Array, from: number): void {
    const padding = new WordLanes(messageBytes.padding, shifts.padding, treePrefix.padding);
    const { bytes, words, digests } = padding;
    for (let lane = 0; lane < lanes; lane++) {
      bytes.set(this.#epochKey, lane * laneBytes + 1);
      bytes[lane * laneBytes + 1 + hashBytes] = asset;
    }
    const count = out.length / leafWords - from;
    for (let first = 0; first < count; first += lanes) {
      for (let lane = 0; lane < lanes; lane++)
        words[lane * laneWords + paddingNumberAt] = swapped(first + lane);
      padding.hash();
      for (let lane = 0; lane < lanes && first + lane < count; lane++) {
        const leaf = (from + first + lane) * leafWords;
        copyWords(digests, lane * laneWords, out, leaf, tagWords);
        copyWords(digests, lane * laneWords, out, leaf + tagWords, hashWords);
      }
    }
  }

  /** Computes all nodes over the leaves, keeps the tiles, and returns the root. */
  #climb(asset: number, leaves: Uint32Array): Uint8Array {
    this.#keep(asset, 0, leaves, leafWords);
    let count = leaves.length / leafWords / 2;
    let nodes = this.#joined(leaves, leafWords, count);
    for (let level = 2; count > 1; level++) {
      count /= 2;
      nodes = this.#joined(nodes, nodeWords, count);
      if (level % tileLevels === 0) this.#keep(asset, level, nodes, nodeWords);
    }
    return new Uint8Array(nodes.buffer).slice(0, hashBytes);
  }

  /** Computes `count` parents of neighbours, each of which ends `stride` words after the one before it. */
  #joined(below: Uint32Array, stride: number, count: number): Uint32Array {
    const above = new Uint32Array(count * nodeWords);
    const { words: messages, digests } = this.#nodes;
    const skipped = stride - nodeWords;
    for (let first = 0; first < count; first += lanes) {
      const some = Math.min(lanes, count - first);
      for (let lane = 0; lane < some; lane++) {
        const left = (first + lane) * 2 * stride + skipped;
        const to = lane * laneWords;
        copyWords(below, left, messages, to, nodeWords);
        copyWords(below, left + stride, messages, to + nodeWords, nodeWords);
      }
      this.#nodes.hash();
      for (let lane = 0; lane < some; lane++) {
        const at = (first + lane) * nodeWords;
        copyWords(digests, lane * laneWords, above, at, hashWords);
        const left = (first + lane) * 2 * stride + skipped + hashWords;
        addSums(below, left, left + stride, above, at + hashWords);
      }
    }
    return above;
  }

  #keep(asset: number, level: number, words: Uint32Array, each: number): void {
    const bytes = new Uint8Array(words.buffer);
    const step = tileNodes * each * 4;
    for (let start = 0; start < bytes.length; start += step) {
      const nodes = bytes.subarray(start, start + step);
      this.#tiles.push({ asset, level, tile: start / step, nodes });
    }
  }
}

/** The low and high words of int64 amounts, in turn. */
function wordsOf(amounts: BigInt64Array): Uint32Array {
  return new Uint32Array(amounts.buffer, amounts.byteOffset, amounts.length * 2);
}

function isPositive(words: Uint32Array, index: number): boolean {
  const high = (words[2 * index + 1] as number) | 0;
  return high > 0 || (high === 0 && words[2 * index] !== 0);
}

/** The sum of what is above zero, with its number of leaves, and of what is below. */
function sumsOf(amounts: BigInt64Array): { real: number; total: bigint; shortfall: bigint } {
  const words = wordsOf(amounts);
  // At most 2^18 accounts: sums of their words are exact.
  let [aboveLow, aboveHigh, belowLow, belowHigh, real] = [0, 0, 0, 0, 0];
  for (let index = 0; index < amounts.length; index++) {
    const lowWord = words[2 * index] as number;
    const highWord = (words[2 * index + 1] as number) | 0;
    if (isPositive(words, index)) {
      aboveLow += lowWord;
      aboveHigh += highWord;
      real += 2;
    } else {
      belowLow += lowWord;
      belowHigh += highWord;
    }
  }
  const total = (BigInt(aboveHigh) << 32n) + BigInt(aboveLow);
  return { real, total, shortfall: -((BigInt(belowHigh) << 32n) + BigInt(belowLow)) };
}

function accountKeys(epochKey: Uint8Array, accounts: Int32Array): Uint32Array {
  const hmacs = new HmacLanes(epochKey, 4);
  const messages = new DataView(hmacs.messages.buffer, hmacs.messages.byteOffset);
  const keys = new Uint8Array(accounts.length * hashBytes);
  for (let first = 0; first < accounts.length; first += lanes) {
    const some = Math.min(lanes, accounts.length - first);
    for (let lane = 0; lane < some; lane++)
      messages.setUint32(lane * laneBytes, accounts[first + lane] as number);
    hmacs.hash();
    for (let lane = 0; lane < some; lane++)
      copyBytes(hmacs.digests, lane * laneBytes, keys, (first + lane) * hashBytes, hashBytes);
  }
  return new Uint32Array(keys.buffer);
}

function ordered(leaves: Uint32Array): Uint32Array {
  const sorted = new Uint32Array(leaves.length);
  const order = leafOrder(leaves, leafWords);
  for (let index = 0; index < order.length; index++)
    copyWords(leaves, (order[index] as number) * leafWords, sorted, index * leafWords, leafWords);
  return sorted;
}
