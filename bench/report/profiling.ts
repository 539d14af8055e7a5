// Detects whether a profiler runs on this process. If one runs, child processes are profiled too and the figures are
// not stored.

/** The profiling options that Node was started with; empty without a profiler. */
export const profiling: readonly string[] = process.execArgv.filter((option) =>
  option.startsWith("--cpu-prof"),
);
