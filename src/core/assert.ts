// Assertions: a broken assumption stops the thread, in production too. Continuing with wrong balances costs
// more than a restart, because the journal can always be replayed. Reading a typed array out of bounds is
// such a broken assumption.

/** A bug found at run time. Only the thread's error handler catches it. */
export class AssertionFailure extends Error {
  override name = "AssertionFailure";
}

/** Stops the thread; `message` states the condition that must hold. */
const failed = (message: string): never => {
  throw new AssertionFailure(message);
};

/** Stops the thread unless `condition` holds; `message` states the condition in words ("… must …"). */
export const assert: (condition: boolean, message: string) => asserts condition = (
  condition,
  message,
) => {
  if (!condition) failed(message);
};

/** Marks the branch of an exhaustive switch that the types rule out. */
export function unreachable(value: never): never {
  throw new AssertionFailure(`unreachable value: ${String(value)}`);
}

/**
 * Returns the value, which the caller knows to be present. Stops the thread if it is missing; `message` names the value
 * or states the condition that must hold.
 */
export function present<T>(value: T | undefined | null, message: string): T {
  if (value === undefined || value === null) throw new AssertionFailure(`missing: ${message}`);
  return value;
}

// Reads of a typed array by an index known to be in bounds.
//
// The type checker cannot prove the bound, so each function asserts it: a wrong index stops the thread instead of
// yielding a wrong price. Each kind of array has its own function, because the JavaScript engine optimises a function
// for the types that it has seen, and one function for all kinds would be slow everywhere. The functions are
// constants, like all small functions of the matching engine: a declared function can be reassigned, so at each call
// the compiled code would look it up and compare it with the one that it was compiled for (docs/decisions/0064).

const outOfRange = (): never => {
  throw new AssertionFailure("the index must be inside the array");
};

/** The int32 at index `at`; asserts that the index is in bounds. */
export const wordAt = (words: Int32Array, at: number): number => words[at] ?? outOfRange();

/** The byte at index `at`; asserts that the index is in bounds. */
export const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] ?? outOfRange();

/** The 16-bit number at index `at`; asserts that the index is in bounds. */
export const shortAt = (shorts: Uint16Array, at: number): number => shorts[at] ?? outOfRange();

/** The 53-bit integer at index `at`; asserts that the index is in bounds. */
export const numberAt = (numbers: Float64Array, at: number): number => numbers[at] ?? outOfRange();

/** The int64 at index `at`; asserts that the index is in bounds. */
export const amountAt = (amounts: BigInt64Array, at: number): bigint => amounts[at] ?? outOfRange();

/**
 * Returns the sum of each of `columns`, exact for all values. `amounts` holds at most 2^20 rows of `width` values from
 * index `start` on. All columns are summed in one pass, because rows lie far apart in memory. The two 32-bit halves of
 * the values are summed as numbers, because one bigint per value would take several times as long.
 */
export function columnSums(
  amounts: BigInt64Array,
  { start, width, rows }: { start: number; width: number; rows: number },
  columns: readonly number[],
): bigint[] {
  assert(
    rows >= 0 && rows <= 2 ** 20,
    "there must be at most 2^20 rows, so that the sums of the halves stay exact",
  );
  assert(
    columns.every((column) => column >= 0 && column < width) &&
      start + width * rows <= amounts.length,
    "the rows must be inside the array",
  );
  const { buffer, byteOffset, length } = amounts;
  // Each value is an unsigned low half followed by a signed high half, because the machine is little-endian
  // (`createRecordViews` asserts that).
  const low = new Uint32Array(buffer, byteOffset, 2 * length);
  const high = new Int32Array(buffer, byteOffset, 2 * length);
  const lows = new Float64Array(columns.length);
  const highs = new Float64Array(columns.length);
  for (let row = 0, from = start; row < rows; row++, from += width) {
    for (let index = 0; index < columns.length; index++) {
      const at = 2 * (from + (columns[index] as number));
      lows[index] = (lows[index] as number) + (low[at] as number);
      highs[index] = (highs[index] as number) + (high[at + 1] as number);
    }
  }
  return columns.map((_, index) => {
    return BigInt(highs[index] as number) * 2n ** 32n + BigInt(lows[index] as number);
  });
}
