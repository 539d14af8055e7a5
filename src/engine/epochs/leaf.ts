// A leaf: what an epoch says of one journal entry or one fill. Byte for byte as ledger.md e.1:
//
//   "VJL1" │ u8 kind │ u64 seq or trade number │ u64 µs │ u16 type │ u8 length, reference │ body hash
//
// Everything but the body is public; the body stands as a hash over it and a nonce only its owner gets.

import { assert } from "../../core/assert.ts";
import { writeU64 } from "./epoch-header.ts";
import { copyBytes, HashPrefix, hashBytes, type TreeHasher } from "./tree-hash.ts";

export const LeafKind = { journal: 1, fill: 2 } as const;
export type LeafKind = (typeof LeafKind)[keyof typeof LeafKind];

/** Type of every fill record; those of journal entries are the event kinds. */
export const fillType = 100;

export interface LeafFields {
  readonly kind: LeafKind;
  /** Seq of a journal entry, number of a trade. */
  readonly number: number;
  readonly tsUs: number;
  readonly type: number;
  /** ASCII, 0 to 255 characters. */
  readonly ref: string;
}

const text = new TextEncoder();
const magic = [0x56, 0x4a, 0x4c, 0x31] as const;
const refAt = 24;
const refBytesMax = 255;
export const nonceBytes = 16;
/** Far beyond the longest body; a longer one is a bug. */
const bodyBytesMax = 4096;

/** The first `length` bytes; kept by length, because a new view costs as much as hashing it. */
function viewOf(views: Uint8Array[], bytes: Uint8Array, length: number): Uint8Array {
  const known = views[length];
  if (known !== undefined) return known;
  const view = bytes.subarray(0, length);
  views[length] = view;
  return view;
}

/** Makes leaf data and leaf hashes in memory of its own: one a thread. */
export class LeafWriter {
  readonly #hasher: TreeHasher;
  /** The prefix of a leaf's hash, then its data. */
  readonly #leaf = new Uint8Array(1 + refAt + refBytesMax + hashBytes);
  readonly #body = new Uint8Array(1 + nonceBytes + bodyBytesMax);
  readonly #bodyHash = new Uint8Array(hashBytes);
  readonly #leafViews: Uint8Array[] = [];
  readonly #bodyViews: Uint8Array[] = [];

  constructor(hasher: TreeHasher) {
    this.#hasher = hasher;
    this.#leaf[0] = HashPrefix.leaf;
    for (const [place, byte] of magic.entries()) this.#leaf[1 + place] = byte;
    this.#body[0] = HashPrefix.body;
  }

  /** The hash of a body under a nonce, written to `out` at `at`; asserts at most 4096 bytes. */
  bodyHash(nonce: Uint8Array, body: string, out: Uint8Array, at: number): void {
    const bytes = this.#body;
    copyBytes(nonce, 0, bytes, 1, nonceBytes);
    const end = this.#writeBody(body);
    this.#hasher.hashInto(viewOf(this.#bodyViews, bytes, end), out, at);
  }

  /** The hash of the leaf with that body, written to `out` at `at`. */
  leafHash(fields: LeafFields, nonce: Uint8Array, body: string, out: Uint8Array, at: number): void {
    this.bodyHash(nonce, body, this.#bodyHash, 0);
    const length = this.#write(fields, this.#bodyHash);
    this.#hasher.hashInto(viewOf(this.#leafViews, this.#leaf, 1 + length), out, at);
  }

  /** The leaf's data, as a verifier rebuilds it. */
  leafData(fields: LeafFields, bodyHash: Uint8Array): Uint8Array {
    const length = this.#write(fields, bodyHash);
    return this.#leaf.slice(1, 1 + length);
  }

  /** Writes a body behind its nonce; answers where it ends. Almost all bodies are ASCII. */
  #writeBody(body: string): number {
    const bytes = this.#body;
    const start = 1 + nonceBytes;
    assert(body.length <= bodyBytesMax, "a body has room");
    for (let place = 0; place < body.length; place++) {
      const code = body.charCodeAt(place);
      if (code > 127) {
        const { read, written } = text.encodeInto(body, bytes.subarray(start));
        assert(read === body.length, "a body has room");
        return start + written;
      }
      bytes[start + place] = code;
    }
    return start + body.length;
  }

  #write({ kind, number, tsUs, type, ref }: LeafFields, bodyHash: Uint8Array): number {
    const leaf = this.#leaf;
    assert(ref.length <= refBytesMax, "a reference has room");
    leaf[5] = kind;
    writeU64(leaf, 6, number);
    writeU64(leaf, 14, tsUs);
    leaf[22] = type >> 8;
    leaf[23] = type & 255;
    leaf[24] = ref.length;
    for (let place = 0; place < ref.length; place++) {
      leaf[1 + refAt + place] = ref.charCodeAt(place);
    }
    copyBytes(bodyHash, 0, leaf, 1 + refAt + ref.length, hashBytes);
    return refAt + ref.length + hashBytes;
  }
}
