// Whether this process is profiled: then what it starts is too, and its figures are not to be kept.

/** Node's options by which this process is profiled; none otherwise. */
export const profiling: readonly string[] = process.execArgv.filter((option) =>
  option.startsWith("--cpu-prof"),
);
