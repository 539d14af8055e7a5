// The current time as a signal for countdowns. It pauses while the page is hidden.

import { signal } from "@preact/signals";

const tickMs = 250;

/** Unix milliseconds, at most a quarter of a second old. */
export const nowMs = signal(Date.now());

setInterval(() => {
  if (!document.hidden) nowMs.value = Date.now();
}, tickMs);

/** Returns the seconds until `iso`, a time of the venue, at least 0; null if `iso` is null. */
export function secondsTo(iso: string | null): number | null {
  return iso === null ? null : Math.max(0, (Date.parse(iso) - nowMs.value) / 1000);
}
