// Timers whose intervals are multiples of each other wake their thread together, because each fires at multiples of its
// interval. Timers that start at arbitrary times would each wake an idle thread on their own.

/**
 * Calls `run` at every multiple of `everyMs` milliseconds of this thread's monotonic time, until the returned function
 * is called. A call that would come less than half an interval after the previous one is left out. Without `isRef`, the
 * timer does not keep the process alive.
 */
export function alignedInterval(run: () => void, everyMs: number, isRef = false): () => void {
  let timer: NodeJS.Timeout | null = null;
  const schedule = () => {
    const leftMs = everyMs - (performance.now() % everyMs);
    timer = setTimeout(tick, Math.ceil(leftMs < everyMs / 2 ? leftMs + everyMs : leftMs));
    if (!isRef) timer.unref();
  };
  const tick = () => {
    schedule();
    run();
  };
  schedule();
  return () => {
    if (timer !== null) clearTimeout(timer);
  };
}
