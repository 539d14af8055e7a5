// Assertions: a broken assumption stops the thread, in production too. Going on with wrong
// balances costs more than a restart, because the journal can always be replayed. So does a read of a typed
// array by an index that is not inside it.

/** A bug found at run time. Never caught below the thread's own error handler. */
export class AssertionFailure extends Error {
  override name = "AssertionFailure";
}

/** Stops the thread: what `words` say was expected does not hold. */
const failed = (message: string): never => {
  throw new AssertionFailure(message);
};

/** Stops the thread unless `condition` holds; `words` say what was expected. */
export const assert: (condition: boolean, message: string) => asserts condition = (
  condition,
  message,
) => {
  if (!condition) failed(message);
};

/** Marks the arm of an exhaustive switch that types say cannot be reached. */
export function unreachable(value: never): never {
  throw new AssertionFailure(`unreachable value: ${String(value)}`);
}

/** The value, which the caller knows to be present; stops the thread if it is not. */
export function present<T>(value: T | undefined | null, message: string): T {
  if (value === undefined || value === null) throw new AssertionFailure(`missing: ${message}`);
  return value;
}

// Reading a typed array by an index that is known to be inside it.
//
// The type checker cannot know it, so an accessor says it; a wrong index stops the thread instead of
// becoming a price. One function for each kind of array, because the compiler learns what a function
// reads wherever it is called from: with one for all, every read would be slow. They are constants, as are all small
// functions of the matching engine, because the compiler then knows what is called: a function that is declared
// may be assigned anew, and is looked up and compared at each call (docs/decisions/0064).

const outOfRange = (): never => {
  throw new AssertionFailure("an index lies inside its array");
};

/** The int32 at `at`; asserts that there is one. */
export const wordAt = (message: Int32Array, at: number): number => message[at] ?? outOfRange();

/** The byte at `at`; asserts that there is one. */
export const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] ?? outOfRange();

/** The 16-bit number at `at`; asserts that there is one. */
export const shortAt = (shorts: Uint16Array, at: number): number => shorts[at] ?? outOfRange();

/** The 53-bit integer at `at`; asserts that there is one. */
export const numberAt = (numbers: Float64Array, at: number): number => numbers[at] ?? outOfRange();

/** The int64 at `at`; asserts that there is one. */
export const amountAt = (amounts: BigInt64Array, at: number): bigint => amounts[at] ?? outOfRange();

/**
 * For each of `columns` the sum of the int64 at that place of every row, at most 2^20 rows of `width` from
 * `start` on; exact whatever they are. One pass, because rows lie far apart in memory, and by halves as
 * numbers, because a bigint for each would take several times as long.
 */
export function columnSums(
  amounts: BigInt64Array,
  { start, width, rows }: { start: number; width: number; rows: number },
  columns: readonly number[],
): bigint[] {
  assert(rows >= 0 && rows <= 2 ** 20, "sums of halves stay exact");
  assert(
    columns.every((column) => column >= 0 && column < width) &&
      start + width * rows <= amounts.length,
    "rows lie inside their array",
  );
  const { buffer, byteOffset, length } = amounts;
  // Each value is its low half, unsigned, and its high half, signed: this machine is little-endian.
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
