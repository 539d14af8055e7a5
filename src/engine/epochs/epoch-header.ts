// The header of an epoch, whose hash the venue commits to. Byte for byte as published (EPO-2):
//
//   "VEH1" │ u8 length, venue │ u64 epoch │ u64 start ms │ u64 end ms │ u64 first seq │ u64 last seq
//          │ u64 journal entries │ u64 fills │ merkle root (32) │ root of the epoch before (32)

import { assert } from "../../core/assert.ts";
import { copyBytes, HashPrefix, hashBytes, type TreeHasher } from "./tree-hash.ts";

export interface EpochHeader {
  readonly venue: string;
  readonly epoch: number;
  readonly startMs: number;
  readonly endMs: number;
  /** `lastSeq` + 1 for an empty epoch. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly journalCount: number;
  readonly fillCount: number;
  readonly merkleRoot: Uint8Array;
  readonly prevRoot: Uint8Array;
}

/** The previous root in the header of the first epoch: zeros. */
export const noRoot: Uint8Array = new Uint8Array(hashBytes);

const text = new TextEncoder();
const magic = text.encode("VEH1");
const venueBytesMax = 255;

/** Writes a safe integer ≥ 0 as eight bytes, big-endian. */
export function writeU64(out: Uint8Array, at: number, value: number): void {
  assert(
    Number.isSafeInteger(value) && value >= 0,
    "the value must be a non-negative safe integer",
  );
  const high = Math.floor(value / 2 ** 32);
  out[at] = high >>> 24;
  out[at + 1] = high >>> 16;
  out[at + 2] = high >>> 8;
  out[at + 3] = high;
  const low = value >>> 0;
  out[at + 4] = low >>> 24;
  out[at + 5] = low >>> 16;
  out[at + 6] = low >>> 8;
  out[at + 7] = low;
}

/** The header's bytes; asserts a venue name of 1 to 255 bytes and counts consistent with the seqs. */
export function encodeEpochHeader(header: EpochHeader): Uint8Array {
  const venue = text.encode(header.venue);
  assert(
    venue.length > 0 && venue.length <= venueBytesMax,
    "the name of the venue must have 1 to 255 bytes",
  );
  assert(
    header.lastSeq - header.firstSeq + 1 === header.journalCount,
    "the number of entries must match the range of their seqs",
  );
  const bytes = new Uint8Array(magic.length + 1 + venue.length + 7 * 8 + 2 * hashBytes);
  bytes.set(magic, 0);
  bytes[magic.length] = venue.length;
  bytes.set(venue, magic.length + 1);
  let at = magic.length + 1 + venue.length;
  const numbers = [
    header.epoch,
    header.startMs,
    header.endMs,
    header.firstSeq,
    header.lastSeq,
    header.journalCount,
    header.fillCount,
  ];
  for (const value of numbers) {
    writeU64(bytes, at, value);
    at += 8;
  }
  copyBytes(header.merkleRoot, 0, bytes, at, hashBytes);
  copyBytes(header.prevRoot, 0, bytes, at + hashBytes, hashBytes);
  return bytes;
}

/** The committed root: the hash of the header. */
export function epochRoot(header: EpochHeader, hasher: TreeHasher): Uint8Array {
  const bytes = encodeEpochHeader(header);
  const data = new Uint8Array(1 + bytes.length);
  data[0] = HashPrefix.header;
  data.set(bytes, 1);
  const root = new Uint8Array(hashBytes);
  hasher.hashInto(data, root, 0);
  return root;
}
