// The digest of a statement of liabilities in records: its 32 bytes as four signed words, big-endian.

import { assert } from "../../core/assert.ts";

export interface DigestWords {
  readonly digestFirst: bigint;
  readonly digestSecond: bigint;
  readonly digestThird: bigint;
  readonly digestFourth: bigint;
}

const digestBytes = 32;

/** The words of a digest; asserts 32 bytes. */
export function digestWordsOf(digest: Uint8Array): DigestWords {
  assert(digest.length === digestBytes, "a digest must have 32 bytes");
  const view = new DataView(digest.buffer, digest.byteOffset, digestBytes);
  return {
    digestFirst: view.getBigInt64(0),
    digestSecond: view.getBigInt64(8),
    digestThird: view.getBigInt64(16),
    digestFourth: view.getBigInt64(24),
  };
}

/** The 32 bytes of a digest. */
export function digestOf({
  digestFirst,
  digestSecond,
  digestThird,
  digestFourth,
}: DigestWords): Uint8Array {
  const digest = new Uint8Array(digestBytes);
  const view = new DataView(digest.buffer);
  view.setBigInt64(0, digestFirst);
  view.setBigInt64(8, digestSecond);
  view.setBigInt64(16, digestThird);
  view.setBigInt64(24, digestFourth);
  return digest;
}
