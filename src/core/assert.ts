// Assertions: a broken assumption stops the thread, in production too. Going on with wrong
// balances costs more than a restart, because the journal can always be replayed.

/** A bug found at run time. Never caught below the thread's own error handler. */
export class AssertionFailure extends Error {
  override name = "AssertionFailure";
}

/** Stops the thread: what `words` say was expected does not hold. */
const failed = (words: string): never => {
  throw new AssertionFailure(words);
};

/** Stops the thread unless `condition` holds; `words` say what was expected. */
export const assert: (condition: boolean, words: string) => asserts condition = (
  condition,
  words,
) => {
  if (!condition) failed(words);
};

/** Marks the arm of an exhaustive switch that types say cannot be reached. */
export function unreachable(value: never): never {
  throw new AssertionFailure(`unreachable value: ${String(value)}`);
}

/** The value, which the caller knows to be present; stops the thread if it is not. */
export function present<T>(value: T | undefined | null, words: string): T {
  if (value === undefined || value === null) throw new AssertionFailure(`missing: ${words}`);
  return value;
}
