// The time span of a history query on the perpetual surface: at most seven days, by default the last seven.

import { badCombination, refused, spanTooLong } from "../requests/surface-error.ts";

const spanMaxMs = 7 * 86_400_000;

/** Times of a query in microseconds. */
export interface HistoryRange {
  /** First time, inclusive; null selects the newest rows. */
  readonly startUs: number | null;
  /** End of the range, exclusive; null for no upper limit. */
  readonly endUs: number | null;
  /** Lower limit in microseconds if the newest rows are selected: older rows are omitted. */
  readonly floorUs: number;
}

/** No time limits: for queries that specify their first row by id. */
export const everything: HistoryRange = { startUs: null, endUs: null, floorUs: 0 };

/** The range between a start and an end time in milliseconds; either time may be missing. */
export function historyRange(
  { startTime, endTime }: { startTime?: number | undefined; endTime?: number | undefined },
  nowMs: number,
): HistoryRange {
  if (startTime === undefined) {
    const endMs = endTime ?? nowMs;
    const endUs = endTime === undefined ? null : (endTime + 1) * 1000;
    return { startUs: null, endUs, floorUs: (endMs - spanMaxMs) * 1000 };
  }
  const endMs = endTime ?? startTime + spanMaxMs;
  if (endMs < startTime) refused(badCombination);
  if (endMs - startTime > spanMaxMs) refused(spanTooLong(spanMaxMs / 3_600_000));
  // The upper bound is exclusive: one millisecond is added so that the range includes all of the last millisecond.
  return { startUs: startTime * 1000, endUs: (endMs + 1) * 1000, floorUs: 0 };
}
