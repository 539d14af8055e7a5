// The three words of an idempotency key in a record, at the places that its layout gives them.

import type { RequestKey } from "../../core/request-keys.ts";
import { readInt64, writeInt64 } from "./record-fields.ts";

interface KeyPlaces {
  readonly high: number;
  readonly low: number;
  readonly payload: number;
}

/** Writes `key`; none as three zeros, which the record tells from a key of zeros by itself. */
export function writeRequestKey(
  i64: BigInt64Array,
  offset: number,
  at: KeyPlaces,
  key: RequestKey | null,
): void {
  writeInt64(i64, (offset + at.high) >> 3, key?.high ?? 0n);
  writeInt64(i64, (offset + at.low) >> 3, key?.low ?? 0n);
  writeInt64(i64, (offset + at.payload) >> 3, key?.payload ?? 0n);
}

export function readRequestKey(i64: BigInt64Array, offset: number, at: KeyPlaces): RequestKey {
  return {
    high: readInt64(i64, (offset + at.high) >> 3),
    low: readInt64(i64, (offset + at.low) >> 3),
    payload: readInt64(i64, (offset + at.payload) >> 3),
  };
}
