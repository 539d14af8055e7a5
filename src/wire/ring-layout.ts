// Layout of one ring in shared memory: three counters, two cache lines apart, then the records.
//
//   byte 0        128           256           384
//   ┌─────────────┬─────────────┬─────────────┬──────────────── capacity bytes ───────────────┐
//   │ tail        │ head        │ high water  │ record │ record │ padding │ … │ record │      │
//   └─────────────┴─────────────┴─────────────┴───────────────────────────────────────────────┘
//     producer      consumer      consumer      each counter has exactly one writing thread
//
// Ring positions are free-running byte counts modulo 2^32 held in an Int32: `(tail − head) | 0` is the
// number of bytes in use whatever has wrapped, and `position & (capacity − 1)` is the place, because
// the capacity is a power of two of at most 2^30.
//
// Publication is one store of the tail per batch, not a length written last in each record: the tail
// covers every byte below it, so a record needs no atomic access of its own, whole batches become
// visible at once, and a consumer never meets a record half written.

/** One hundred and twenty-eight bytes: adjacent-line prefetch pulls cache lines in pairs. */
export const cacheLinePairBytes = 128;

/** Int32 index of the producer's ring position: everything below it is published. */
export const tailIndex = 0;

/** Int32 index of the consumer's ring position: everything below it may be overwritten. */
export const headIndex = cacheLinePairBytes / 4;

/** Int32 index of the most bytes the consumer ever found in use. */
export const highWaterIndex = (2 * cacheLinePairBytes) / 4;

/** Byte offset of the first record. */
export const recordsOffset = 3 * cacheLinePairBytes;

/** The smallest ring worth having: a few dozen records. */
export const ringCapacityMin = 1024;

/** Ring positions are Int32: the capacity must stay well below half their range. */
export const ringCapacityMax = 2 ** 30;
