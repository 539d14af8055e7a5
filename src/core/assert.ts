// Assertions: a broken assumption stops the thread, in production too. Continuing with wrong balances costs
// more than a restart, because the journal can always be replayed. Reading a typed array out of bounds is
// such a broken assumption.

/** A bug found at run time. Only the thread's error handler catches it. */
export class AssertionFailure extends Error {
  override name = "AssertionFailure";
}

/** Stops the thread; `message` states the condition that should have held. */
const failed = (message: string): never => {
  throw new AssertionFailure(message);
};

/** Stops the thread unless `condition` holds; `message` states the condition. */
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

/** The value, which the caller knows to be present; stops the thread if it is missing. */
export function present<T>(value: T | undefined | null, message: string): T {
  if (value === undefined || value === null) throw new AssertionFailure(`missing: ${message}`);
  return value;
}

// Reads of a typed array by an index known to be in bounds.
//
// The type checker cannot prove the bound, so an accessor asserts it: a wrong index stops the thread instead
// of becoming a price. Each kind of array has its own function, because the engine's type feedback belongs to
// the function, and one function for all arrays would be slow everywhere. They are constants, like all small
// functions of the matching engine: a declared function can be reassigned, so each call would look it up and
// compare it (docs/decisions/0064).

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
 * The sum of the int64 in each of `columns` over at most 2^20 rows of `width`, starting at `start`; exact for
 * all values. It takes one pass, because rows lie far apart in memory, and sums the halves as numbers,
 * because one bigint per value would take several times as long.
 */
export function columnSums(
  amounts: BigInt64Array,
  { start, width, rows }: { start: number; width: number; rows: number },
  columns: readonly number[],
): bigint[] {
  assert(
    rows >= 0 && rows <= 2 ** 20,
    "there must be few enough rows for the sums of the halves to stay exact",
  );
  assert(
    columns.every((column) => column >= 0 && column < width) &&
      start + width * rows <= amounts.length,
    "the rows must be inside the array",
  );
  const { buffer, byteOffset, length } = amounts;
  // Each value is an unsigned low half and a signed high half: this machine is little-endian.
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
