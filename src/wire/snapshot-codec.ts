// Snapshots as bytes: any plain object of numbers, strings, bigints and typed arrays, packed by
// msgpackr. What a snapshot means, and whether it can be trusted, is its reader's business.

import { Packr } from "msgpackr";

// Typed arrays come back as what they were, bigints whole.
const packr = new Packr({ moreTypes: true, structuredClone: false, useRecords: false });

/** The bytes of `snapshot`, owned by the caller. */
export function packSnapshot(snapshot: object): Uint8Array {
  return Uint8Array.from(packr.pack(snapshot));
}

/** What was packed; throws for bytes that are not a packed value. */
export function unpackSnapshot(bytes: Uint8Array): unknown {
  return packr.unpack(bytes);
}
