// A leaf: an epoch's commitment to one journal entry or one fill. Byte for byte as published (EPO-2):
//
//   "VJL1" │ u8 kind │ u64 seq or trade number │ u64 µs │ u16 type │ u8 length, reference │ body hash
//
// Everything except the body is public. The body itself is not in the leaf, only its hash under a secret nonce. The
// owner of the entry receives both body and nonce.

import { assert } from "../../core/assert.ts";
import type { MarketTable } from "../../core/markets.ts";
import { BodyWriter } from "./body-writer.ts";
import { writeU64 } from "./epoch-header.ts";
import { pieceOf, TextWriter } from "./text-writer.ts";
import { copyBytes, HashPrefix, hashBytes, type TreeHasher } from "./tree-hash.ts";

export const LeafKind = { journal: 1, fill: 2 } as const;
export type LeafKind = (typeof LeafKind)[keyof typeof LeafKind];

/** Type of every fill record; types of journal entries are the event kinds. */
export const fillType = 100;

/** The reference by which an entry can be found besides its seq: `o-12`, `t-3`, or none. */
export interface LeafRef {
  readonly letter: "o" | "t";
  readonly number: number;
}

export interface LeafFields {
  readonly kind: LeafKind;
  /** Seq of a journal entry, number of a trade. */
  readonly number: number;
  readonly tsUs: number;
  readonly type: number;
  readonly ref: LeafRef | null;
}

/** A reference in the form of leaves and proofs; empty for none. */
export function refText(ref: LeafRef | null): string {
  return ref === null ? "" : `${ref.letter}-${ref.number}`;
}

const magic = pieceOf("VJL1").bytes;
const refLeads = { o: pieceOf("o-"), t: pieceOf("t-") } as const;
const refAt = 24;
/** Length of the longest reference: a letter, a hyphen and a safe integer of 16 digits. */
const refBytesMax = 18;
export const nonceBytes = 16;
const bodyAt = 1 + nonceBytes;
/** Far more than the longest body needs; a longer body is a bug. */
const bodyBytesMax = 4096;

/** The first `length` bytes. Views are cached by length, because creating one costs as much as hashing it. */
function viewOf(views: Uint8Array[], bytes: Uint8Array, length: number): Uint8Array {
  const known = views[length];
  if (known !== undefined) return known;
  const view = bytes.subarray(0, length);
  views[length] = view;
  return view;
}

/** Builds leaf data and leaf hashes in its own memory: one per thread. */
export class LeafWriter {
  /** The current body; `begin` starts a new one. */
  readonly body: BodyWriter;
  readonly #hasher: TreeHasher;
  /** The prefix of a leaf hash, then the leaf data. */
  readonly #leaf = new TextWriter(new Uint8Array(1 + refAt + refBytesMax + hashBytes));
  /** The prefix of a body hash, its nonce, the body. */
  readonly #bodyBytes = new Uint8Array(bodyAt + bodyBytesMax);
  readonly #bodyHash = new Uint8Array(hashBytes);
  readonly #leafViews: Uint8Array[] = [];
  readonly #bodyViews: Uint8Array[] = [];

  /** `table` has the markets and assets that the bodies name. */
  constructor(hasher: TreeHasher, table: MarketTable) {
    this.#hasher = hasher;
    this.body = new BodyWriter(table, this.#bodyBytes);
    const leaf = this.#leaf.bytes;
    leaf[0] = HashPrefix.leaf;
    copyBytes(magic, 0, leaf, 1, magic.length);
    this.#bodyBytes[0] = HashPrefix.body;
  }

  /** Starts a new body; write it through the returned writer. */
  begin(): BodyWriter {
    this.body.at = bodyAt;
    return this.body;
  }

  /** The body as text. */
  bodyText(): string {
    return this.body.textFrom(bodyAt);
  }

  /** The body's hash under a nonce, written to `out` at `at`; asserts a body of at most 4096 bytes. */
  bodyHash(nonce: Uint8Array, out: Uint8Array, at: number): void {
    const bytes = this.#bodyBytes;
    const end = this.body.at;
    assert(end <= bytes.length, "the body must fit the buffer");
    copyBytes(nonce, 0, bytes, 1, nonceBytes);
    this.#hasher.hashInto(viewOf(this.#bodyViews, bytes, end), out, at);
  }

  /** The hash of the leaf with the current body, written to `out` at `at`. */
  leafHash(fields: LeafFields, nonce: Uint8Array, out: Uint8Array, at: number): void {
    this.bodyHash(nonce, this.#bodyHash, 0);
    const length = this.#write(fields, this.#bodyHash);
    const { bytes } = this.#leaf;
    this.#hasher.hashInto(viewOf(this.#leafViews, bytes, 1 + length), out, at);
  }

  /** The leaf's data, as a verifier rebuilds it. */
  leafData(fields: LeafFields, bodyHash: Uint8Array): Uint8Array {
    const length = this.#write(fields, bodyHash);
    return this.#leaf.bytes.slice(1, 1 + length);
  }

  #write({ kind, number, tsUs, type, ref }: LeafFields, bodyHash: Uint8Array): number {
    const leaf = this.#leaf;
    const { bytes } = leaf;
    bytes[5] = kind;
    writeU64(bytes, 6, number);
    writeU64(bytes, 14, tsUs);
    bytes[22] = type >> 8;
    bytes[23] = type & 255;
    leaf.at = 1 + refAt;
    if (ref !== null) {
      leaf.piece(refLeads[ref.letter]);
      leaf.whole(ref.number);
    }
    bytes[refAt] = leaf.at - 1 - refAt;
    copyBytes(bodyHash, 0, bytes, leaf.at, hashBytes);
    return leaf.at - 1 + hashBytes;
  }
}
