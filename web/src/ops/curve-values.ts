// The values of a chart's curve: one for each sample, from it and the sample before.

import type { Metrics } from "./metrics-text.ts";
import { type Sample, startOf } from "./samples.ts";

export type Read = (from: Metrics, to: Metrics, seconds: number) => number | undefined;

/**
 * Returns one value for each sample. The first one after a restart, or after the venue did not answer, has none, so that
 * the line has a gap.
 */
export function over(all: readonly Sample[], read: Read): Array<number | undefined> {
  return all.map((sample, at) => {
    const before = all[Math.max(0, at - 1)] ?? sample;
    const seconds = (sample.atMs - before.atMs) / 1000;
    const isOther = startOf(before) !== startOf(sample);
    if (seconds <= 0 || sample.isAfterFault || isOther) return undefined;
    return read(before.metrics, sample.metrics, seconds);
  });
}
