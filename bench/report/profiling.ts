// Whether this process is profiled; child processes are profiled too, and the figures are not stored.

/** Node's profiling options of this process; none if it is not profiled. */
export const profiling: readonly string[] = process.execArgv.filter((option) =>
  option.startsWith("--cpu-prof"),
);
