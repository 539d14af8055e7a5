// Reads that changes ask for: immediately after a change, then at most once in a while, so that a fill shows immediately and a
// busy account stays within its rate limits. Independent of page and network.

/** Longest time in ms until a read that failed is tried again. */
export const retryMsMax = 30_000;

/**
 * Returns a function that runs `read` at once, then at most every `everyMs`. Calls in between cause one more run. A read that
 * fails is tried again by itself, later each time, because nothing else may tell that what is shown is old.
 */
export function paced(read: () => Promise<void>, everyMs: number): () => void {
  let isPaused = false;
  let isStale = false;
  let retryMs = everyMs;
  /** One for all reads that failed: otherwise each of them would be tried again by itself. */
  let retry: ReturnType<typeof setTimeout> | undefined;
  const run = (): void => {
    isStale = isPaused;
    if (isPaused) return;
    isPaused = true;
    read().then(
      () => {
        clearTimeout(retry);
        retryMs = everyMs;
      },
      () => {
        clearTimeout(retry);
        retry = setTimeout(run, retryMs);
        retryMs = Math.min(2 * retryMs, retryMsMax);
      },
    );
    setTimeout(() => {
      isPaused = false;
      if (isStale) run();
    }, everyMs);
  };
  return run;
}
