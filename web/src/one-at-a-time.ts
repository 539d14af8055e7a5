// Reads that must not run beside each other, because the slower one would put its older answer over the newer one.

/**
 * Returns `read` so that only one runs at a time. What is asked for meanwhile is read after it, and of several only the
 * newest. The promise resolves when everything that was asked for is read, and rejects with the first error.
 */
export function oneAtATime<T>(read: (input: T) => Promise<void>): (input: T) => Promise<void> {
  const waiting: T[] = [];
  let running: Promise<void> | null = null;
  const readAll = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      waiting.length = 0;
      await read(next);
    }
  };
  return (input) => {
    waiting.push(input);
    running ??= readAll().finally(() => {
      running = null;
    });
    return running;
  };
}
