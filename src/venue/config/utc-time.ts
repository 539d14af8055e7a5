// Times and durations as operators write them: ISO 8601 in UTC, and whole numbers with a unit.

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/;
export const utcExpected = "a time in UTC such as 2026-01-31T09:30:00Z, before the year 2200";
/** Events count microseconds, whose safe integers end in 2255; steps go on from here. */
const endMs = Date.UTC(2200, 0);

/**
 * Returns the Unix ms of a time such as `2026-01-31T09:30:00Z`; null for another text, for a date that no calendar has, and
 * for times before 1970 and from 2200 on.
 */
export function utcMs(text: string): number | null {
  const ms = timeForm.test(text) ? Date.parse(text) : Number.NaN;
  // Days that a month does not have would count as days of the next one.
  const isReal = ms > 0 && ms < endMs && text.startsWith(new Date(ms).toISOString().slice(0, 10));
  return isReal ? ms : null;
}

const msByUnit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const durationForm = /^([1-9]\d{0,9})(ms|s|m|h|d)$/;
export const durationExpected = "a duration such as 250ms, 5s, 2m, 1h or 1d";

/** Returns the milliseconds of a duration such as `250ms` or `2m`; null for another text. */
export function durationMs(text: string): number | null {
  const match = durationForm.exec(text);
  return match === null ? null : Number(match[1]) * msByUnit[match[2] as keyof typeof msByUnit];
}
