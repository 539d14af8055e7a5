// Sum trees of liabilities as docs/spec/liabilities.md describes them, with one object a leaf and one hash at a time. The
// published vectors come from here, and the fast trees are compared with it.

import { createHash, createHmac } from "node:crypto";

export interface StatedAmount {
  readonly account: number;
  /** 32 bytes. */
  readonly fingerprint: Uint8Array;
  /** Minor units; negative for an account that owes. */
  readonly amount: bigint;
}

export interface NaiveLeaf {
  readonly tag: Buffer;
  readonly hash: Buffer;
  readonly sum: bigint;
  /** Null for padding. */
  readonly of: { readonly account: number; readonly part: number; readonly salt: Buffer } | null;
}

export interface SumNode {
  readonly hash: Buffer;
  readonly sum: bigint;
}

const leavesMin = 64;

const sha256 = (...parts: readonly Uint8Array[]) =>
  createHash("sha256").update(Buffer.concat(parts)).digest();
const hmac = (key: Uint8Array, message: Uint8Array | string) =>
  createHmac("sha256", key).update(message).digest();

/** `value` ≥ 0 in `bytes` bytes, big-endian. */
export function bigEndian(value: bigint | number, bytes: number): Buffer {
  return Buffer.from(
    BigInt(value)
      .toString(16)
      .padStart(2 * bytes, "0"),
    "hex",
  );
}

export function liabilityKeyOf(nonceKey: Uint8Array): Buffer {
  return hmac(nonceKey, "liabilities");
}

export function epochKeyOf(nonceKey: Uint8Array, epoch: number): Buffer {
  return hmac(liabilityKeyOf(nonceKey), bigEndian(epoch, 8));
}

export function accountKeyOf(epochKey: Uint8Array, account: number): Buffer {
  return hmac(epochKey, bigEndian(account, 4));
}

/** The tree of one asset in one epoch. */
export class NaiveSumTree {
  readonly leaves: readonly NaiveLeaf[];
  /** The nodes by level, the leaves first. */
  readonly levels: readonly (readonly SumNode[])[];
  readonly shortfall: bigint;

  constructor(
    { epoch, epochKey }: { readonly epoch: number; readonly epochKey: Uint8Array },
    asset: number,
    amounts: readonly StatedAmount[],
  ) {
    const real = amounts.flatMap((stated) => {
      if (stated.amount <= 0n) return [];
      const key = accountKeyOf(epochKey, stated.account);
      const shares = [0, 1].map((part) => sha256(Buffer.of(6), key, Buffer.of(asset, part)));
      const ratio = BigInt(shares[0]?.readUInt32BE(24) ?? 0);
      const first = (stated.amount * ratio) / 2n ** 32n;
      return [first, stated.amount - first].map((sum, part) => {
        const salt = Buffer.from(shares[part]?.subarray(0, 16) ?? []);
        const hash = sha256(
          ...[Buffer.of(4), bigEndian(epoch, 8), Buffer.of(asset), bigEndian(sum, 16)],
          ...[stated.fingerprint, bigEndian(stated.account, 4), salt],
        );
        const tag = Buffer.from(shares[part]?.subarray(16, 24) ?? []);
        return { tag, hash, sum, of: { account: stated.account, part, salt } };
      });
    });
    let size = leavesMin;
    while (size < real.length) size *= 2;
    const padding = Array.from({ length: size - real.length }, (_, index) => {
      const hash = sha256(Buffer.of(7), epochKey, Buffer.of(asset), bigEndian(index, 4));
      return { tag: Buffer.from(hash.subarray(0, 8)), hash, sum: 0n, of: null };
    });
    this.leaves = [...real, ...padding].sort(
      (one, other) => Buffer.compare(one.tag, other.tag) || Buffer.compare(one.hash, other.hash),
    );
    this.levels = levelsOf(this.leaves);
    this.shortfall = amounts.reduce((sum, { amount }) => sum - (amount < 0n ? amount : 0n), 0n);
  }

  get root(): SumNode {
    return this.levels.at(-1)?.[0] as SumNode;
  }

  /** The neighbours on the way from a leaf to the root. */
  path(index: number): SumNode[] {
    return this.levels.slice(0, -1).map((nodes, level) => nodes[(index >> level) ^ 1] as SumNode);
  }
}

/** The levels of the tree over leaves, which must be a power of two, and their sums; the leaves first. */
export function levelsOf(leaves: readonly SumNode[]): (readonly SumNode[])[] {
  const levels: (readonly SumNode[])[] = [leaves];
  for (let nodes: readonly SumNode[] = leaves; nodes.length > 1; ) {
    nodes = Array.from({ length: nodes.length / 2 }, (_, index) => {
      const [left, right] = [nodes[2 * index] as SumNode, nodes[2 * index + 1] as SumNode];
      const sides = [left.hash, bigEndian(left.sum, 16), right.hash, bigEndian(right.sum, 16)];
      return { hash: sha256(Buffer.of(5), ...sides), sum: left.sum + right.sum };
    });
    levels.push(nodes);
  }
  return levels;
}
