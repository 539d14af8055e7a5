// Snapshots as bytes: any plain object of numbers, strings, bigints and typed arrays, packed by msgpackr. The
// reader decides what a snapshot means and whether it can be trusted.

import { Packr } from "msgpackr";

// With these options, typed arrays keep their type and bigints their value.
const packr = new Packr({ moreTypes: true, structuredClone: false, useRecords: false });

/** Returns the bytes of `snapshot` in memory that the caller owns. */
export function packSnapshot(snapshot: object): Uint8Array {
  return Uint8Array.from(packr.pack(snapshot));
}

/** Unpacks a snapshot; throws for bytes that are not a packed value. */
export function unpackSnapshot(bytes: Uint8Array): unknown {
  return packr.unpack(bytes);
}
