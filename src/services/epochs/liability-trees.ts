// Builds the sum trees of a statement of liabilities: one an asset, with two leaves for each account above zero. Hashes
// are computed four at a time, and leaves and nodes are bytes in a row, without an object each, because a statement of a
// hundred thousand accounts has millions of them.
//
//   leaf in memory   tag (8) ‖ hash (32) ‖ sum (16)          node in memory   hash (32) ‖ sum (16)
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
const Prefix = { leaf: 4, node: 5, share: 6, padding: 7 } as const;

const tagBytes = 8;
const sumBytes = 16;
export const nodeBytes = hashBytes + sumBytes;
export const leafBytes = tagBytes + nodeBytes;
/** Leaves or nodes of a tile; each further level of tiles is eight levels up. */
export const tileNodes = 256;
const tileLevels = 8;

/** Even a venue with a handful of accounts has this many leaves, so that their number says nothing. */
const leavesMin = 64;

const saltBytes = 16;
/** Where the amount, the fingerprint, the account and the salt begin in the bytes of a leaf. */
const leafParts = { amount: 10, fingerprint: 26, account: 58, salt: 62 } as const;
const messageBytes = { leaf: 78, node: 1 + 2 * nodeBytes, share: 35, padding: 38 } as const;
const shareParts = { key: 1, asset: 33, part: 34, ratio: 24 } as const;
const noFingerprint = new Uint8Array(hashBytes);

/** The tree of one asset. */
export interface SumTree {
  /** Number of leaves, padding included. */
  readonly leaves: number;
  readonly root: Uint8Array;
  readonly total: bigint;
  readonly shortfall: bigint;
}

function u32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

function readU32(bytes: Uint8Array, at: number): number {
  const high = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8);
  return (high | (bytes[at + 2] as number)) * 256 + (bytes[at + 3] as number);
}

/** Adds two sums of 16 bytes; the result must be below 2^127. */
function addSums(from: Uint8Array, left: number, right: number, out: Uint8Array, at: number): void {
  let carry = 0;
  for (let index = sumBytes - 4; index >= 0; index -= 4) {
    const sum = readU32(from, left + index) + readU32(from, right + index) + carry;
    carry = sum > 0xffff_ffff ? 1 : 0;
    u32(out, at + index, sum - carry * 2 ** 32);
  }
  assert((out[at] as number) < 128, "a sum must be below 2^127");
}

/** Builds the trees of one epoch. */
export class LiabilityTrees {
  readonly #epochKey: Uint8Array;
  readonly #owned: OwnedAmounts;
  readonly #keys: Uint8Array;
  readonly #fingerprints: Uint8Array;
  readonly #tiles: LiabilityTile[] = [];
  /** Set 0 has the messages, set 1 the digests, so that what all messages share is written once. */
  readonly #shares = new Sha256Lanes({ states: 0, sets: 2 });
  readonly #leaves = new Sha256Lanes({ states: 0, sets: 2 });
  readonly #nodes = new Sha256Lanes({ states: 0, sets: 2 });

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
    this.#fingerprints = new Uint8Array(owned.accounts.length * hashBytes);
    for (const [index, account] of owned.accounts.entries())
      this.#fingerprints.set(fingerprintOf(account) ?? noFingerprint, index * hashBytes);
    this.#shares.pad(messageBytes.share);
    this.#leaves.pad(messageBytes.leaf);
    this.#nodes.pad(messageBytes.node);
    for (let lane = 0; lane < lanes; lane++) {
      const start = lane * laneBytes;
      this.#shares.slots[start] = Prefix.share;
      this.#nodes.slots[start] = Prefix.node;
      this.#leaves.slots[start] = Prefix.leaf;
      writeU64(this.#leaves.slots, start + 1, epoch);
    }
  }

  /** The tiles of all trees built so far. */
  get tiles(): readonly LiabilityTile[] {
    return this.#tiles;
  }

  /** Builds the tree of an asset. */
  build(asset: number): SumTree {
    const amounts = this.#owned.byAsset[asset] ?? new BigInt64Array();
    let [real, shortfall, total] = [0, 0n, 0n];
    for (const amount of amounts) {
      if (amount > 0n) {
        real += 2;
        total += amount;
      } else if (amount < 0n) shortfall -= amount;
    }
    let size = leavesMin;
    while (size < real) size *= 2;
    const unordered = new Uint8Array(size * leafBytes);
    this.#addLeaves(asset, amounts, unordered);
    this.#addPadding(asset, unordered, real);
    const root = this.#climb(asset, ordered(unordered));
    return { leaves: size, root, total, shortfall };
  }

  /** Writes the leaves of all accounts above zero: two accounts, with both parts of each, at a time. */
  #addLeaves(asset: number, amounts: BigInt64Array, out: Uint8Array): void {
    const { slots: shares } = this.#shares;
    for (let lane = 0; lane < lanes; lane++) {
      shares[lane * laneBytes + shareParts.asset] = asset;
      shares[lane * laneBytes + shareParts.part] = lane & 1;
      this.#leaves.slots[lane * laneBytes + 9] = asset;
    }
    let at = 0;
    let waiting = -1;
    for (let index = 0; index < amounts.length; index++) {
      if ((amounts[index] as bigint) <= 0n) continue;
      if (waiting < 0) {
        waiting = index;
        continue;
      }
      at = this.#addPair(waiting, index, amounts, out, at);
      waiting = -1;
    }
    if (waiting >= 0) this.#addPair(waiting, -1, amounts, out, at);
  }

  /** Writes the leaves of two accounts, or of one if `second` is negative; returns where the next ones go. */
  #addPair(
    first: number,
    second: number,
    amounts: BigInt64Array,
    out: Uint8Array,
    at: number,
  ): number {
    const { slots: shares } = this.#shares;
    const some = second < 0 ? 2 : lanes;
    for (let lane = 0; lane < some; lane++) {
      const index = lane < 2 ? first : second;
      const key = lane * laneBytes + shareParts.key;
      copyBytes(this.#keys, index * hashBytes, shares, key, hashBytes);
    }
    this.#shares.hash(1, null, 0, 1);
    this.#split(0, first, amounts[first] as bigint);
    if (second >= 0) this.#split(2, second, amounts[second] as bigint);
    this.#leaves.hash(2, null, 0, 1);
    const [drawn, hashes] = [this.#shares.sets[1], this.#leaves.sets[1]] as const;
    const { slots: leaves } = this.#leaves;
    let end = at;
    for (let lane = 0; lane < some; lane++) {
      const start = lane * laneBytes;
      copyBytes(drawn as Uint8Array, start + saltBytes, out, end, tagBytes);
      copyBytes(hashes as Uint8Array, start, out, end + tagBytes, hashBytes);
      const sum = end + tagBytes + hashBytes;
      copyBytes(leaves, start + leafParts.amount, out, sum, sumBytes);
      end += leafBytes;
    }
    return end;
  }

  /** Writes the messages of an account's two leaves, in lanes `lane` and `lane` + 1, from its shares. */
  #split(lane: number, index: number, amount: bigint): void {
    const drawn = this.#shares.sets[1] as Uint8Array;
    const ratio = readU32(drawn, lane * laneBytes + shareParts.ratio);
    const first = (amount * BigInt(ratio)) >> 32n;
    this.#writeLeaf(lane, index, first);
    this.#writeLeaf(lane + 1, index, amount - first);
  }

  #writeLeaf(lane: number, index: number, amount: bigint): void {
    const { slots } = this.#leaves;
    const start = lane * laneBytes;
    // An amount is an int64: the upper half of the 16 bytes stays zero.
    const at = start + leafParts.amount + 8;
    u32(slots, at, Number(amount >> 32n));
    u32(slots, at + 4, Number(BigInt.asUintN(32, amount)));
    const fingerprint = start + leafParts.fingerprint;
    copyBytes(this.#fingerprints, index * hashBytes, slots, fingerprint, hashBytes);
    u32(slots, start + leafParts.account, this.#owned.accounts[index] as number);
    const drawn = this.#shares.sets[1] as Uint8Array;
    copyBytes(drawn, start, slots, start + leafParts.salt, saltBytes);
  }

  /** Fills `out` with padding leaves from leaf `from` on. */
  #addPadding(asset: number, out: Uint8Array, from: number): void {
    const hasher = new Sha256Lanes({ states: 0, sets: 2 });
    const [messages, digests] = hasher.sets as [Uint8Array, Uint8Array];
    hasher.pad(messageBytes.padding);
    for (let lane = 0; lane < lanes; lane++) {
      messages[lane * laneBytes] = Prefix.padding;
      messages.set(this.#epochKey, lane * laneBytes + 1);
      messages[lane * laneBytes + 1 + hashBytes] = asset;
    }
    const count = out.length / leafBytes - from;
    for (let first = 0; first < count; first += lanes) {
      for (let lane = 0; lane < lanes; lane++)
        u32(messages, lane * laneBytes + 2 + hashBytes, first + lane);
      hasher.hash(1, null, 0, 1);
      for (let lane = 0; lane < lanes && first + lane < count; lane++) {
        const at = (from + first + lane) * leafBytes;
        copyBytes(digests, lane * laneBytes, out, at, tagBytes);
        copyBytes(digests, lane * laneBytes, out, at + tagBytes, hashBytes);
      }
    }
  }

  /** Computes all nodes over the leaves, keeps the tiles, and returns the root. */
  #climb(asset: number, leaves: Uint8Array): Uint8Array {
    this.#keep(asset, 0, leaves, leafBytes);
    let count = leaves.length / leafBytes;
    // Leaves without their tags: the nodes of level 0.
    let nodes = new Uint8Array(count * nodeBytes);
    for (let index = 0; index < count; index++)
      copyBytes(leaves, index * leafBytes + tagBytes, nodes, index * nodeBytes, nodeBytes);
    for (let level = 1; count > 1; level++) {
      count /= 2;
      const above = new Uint8Array(count * nodeBytes);
      this.#join(nodes, above, count);
      nodes = above;
      if (level % tileLevels === 0) this.#keep(asset, level, nodes, nodeBytes);
    }
    return nodes.slice(0, hashBytes);
  }

  /** Computes `count` parents of adjacent nodes. */
  #join(nodes: Uint8Array, above: Uint8Array, count: number): void {
    const [messages, digests] = this.#nodes.sets as [Uint8Array, Uint8Array];
    for (let first = 0; first < count; first += lanes) {
      const some = Math.min(lanes, count - first);
      for (let lane = 0; lane < some; lane++) {
        const pair = (first + lane) * 2 * nodeBytes;
        copyBytes(nodes, pair, messages, lane * laneBytes + 1, 2 * nodeBytes);
      }
      this.#nodes.hash(2, null, 0, 1);
      for (let lane = 0; lane < some; lane++) {
        const at = (first + lane) * nodeBytes;
        const left = 2 * at + hashBytes;
        copyBytes(digests, lane * laneBytes, above, at, hashBytes);
        addSums(nodes, left, left + nodeBytes, above, at + hashBytes);
      }
    }
  }

  #keep(asset: number, level: number, bytes: Uint8Array, each: number): void {
    const step = tileNodes * each;
    for (let start = 0; start < bytes.length; start += step) {
      const nodes = bytes.subarray(start, start + step);
      this.#tiles.push({ asset, level, tile: start / step, nodes });
    }
  }
}

function accountKeys(epochKey: Uint8Array, accounts: Int32Array): Uint8Array {
  const hmacs = new HmacLanes(epochKey, 4);
  const keys = new Uint8Array(accounts.length * hashBytes);
  for (let first = 0; first < accounts.length; first += lanes) {
    const some = Math.min(lanes, accounts.length - first);
    for (let lane = 0; lane < some; lane++)
      u32(hmacs.messages, lane * laneBytes, accounts[first + lane] as number);
    hmacs.hash();
    for (let lane = 0; lane < some; lane++)
      copyBytes(hmacs.digests, lane * laneBytes, keys, (first + lane) * hashBytes, hashBytes);
  }
  return keys;
}

function ordered(leaves: Uint8Array): Uint8Array {
  const sorted = new Uint8Array(leaves.length);
  const order = leafOrder({ bytes: leaves, width: leafBytes });
  for (let index = 0; index < order.length; index++) {
    const from = (order[index] as number) * leafBytes;
    copyBytes(leaves, from, sorted, index * leafBytes, leafBytes);
  }
  return sorted;
}
