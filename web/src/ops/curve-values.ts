// The values of a chart's curve: one for each sample, from it and an earlier one, so that a chart, a card and a table say
// the same of the same seconds.

import { isBefore } from "./findings.ts";
import type { Metrics } from "./metrics-text.ts";
import { type Sample, startOf } from "./samples.ts";

export type Read = (from: Metrics, to: Metrics, seconds: number) => number | undefined;

/**
 * Returns one value for each sample. The first one after a restart, or after the venue did not answer, has none, so that
 * the line has a gap.
 */
export function over(all: readonly Sample[], read: Read): Array<number | undefined> {
  // The first sample that can begin a window moves on with the samples.
  let first = 0;
  return all.map((sample, at) => {
    const before = all[Math.max(0, at - 1)] ?? sample;
    if (sample.isAfterFault || startOf(before) !== startOf(sample)) first = at;
    while (first < at && !isBefore(all[first] ?? sample, sample)) first++;
    const from = all[first] ?? sample;
    const seconds = (sample.atMs - from.atMs) / 1000;
    return seconds > 0 ? read(from.metrics, sample.metrics, seconds) : undefined;
  });
}
