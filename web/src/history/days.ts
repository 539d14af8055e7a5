// Days of filters, "2026-11-29", as times: in UTC, or in the browser's own zone. Independent of page and network.

/** The day that contains a time; empty for no time. */
export function dayOf(ms: number | null, isUtc: boolean): string {
  if (ms === null) return "";
  const offsetMs = isUtc ? 0 : new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offsetMs).toISOString().slice(0, 10);
}

/** The first millisecond of a day; null for a text that is no day. */
export function startOfDay(day: string, isUtc: boolean): number | null {
  const ms = Date.parse(`${day}T00:00:00${isUtc ? "Z" : ""}`);
  return Number.isNaN(ms) ? null : ms;
}

/** The last millisecond of a day, which may have 23 or 25 hours; null for a text that is no day. */
export function endOfDay(day: string, isUtc: boolean): number | null {
  const start = startOfDay(day, isUtc);
  if (start === null) return null;
  const next = new Date(start);
  if (isUtc) next.setUTCDate(next.getUTCDate() + 1);
  else next.setDate(next.getDate() + 1);
  return next.getTime() - 1;
}
