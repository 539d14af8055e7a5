// One record in a ring: a header of eight bytes, then the payload, then filler up to eight bytes.
//
//   byte 0            4            8                         8 + length     multiple of 8
//   ┌────────────────┬────────────┬─────────────────────────┬──────────────┐
//   │ length (int32) │ mark       │ payload                 │ filler       │
//   └────────────────┴────────────┴─────────────────────────┴──────────────┘
//
// A record never wraps: when the end of the ring is too near, a padding record fills it and the record
// starts at the front. Header and payload are aligned to 8 so that every typed-array view can address them.

/** Bytes in front of each payload. */
export const recordHeaderBytes = 8;

/** Records start at multiples of this. */
export const recordAlignment = 8;

/** Int32 words from the start of the header to its two fields. */
export const recordLengthWord = 0;
export const recordMarkWord = 1;

/** The two kinds of record; what a payload means is the codec's business. */
export const recordMark = 1;
export const paddingMark = 2;

/** Bytes a payload of `length` bytes takes in a ring, header and filler included. */
export function recordSpan(length: number): number {
  return (recordHeaderBytes + length + recordAlignment - 1) & -recordAlignment;
}
