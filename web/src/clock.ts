// The time of day as the page shows it count down: a signal that goes on while somebody looks.

import { signal } from "@preact/signals";

const tickMs = 250;

/** Unix milliseconds, at most a quarter of a second old. */
export const nowMs = signal(Date.now());

setInterval(() => {
  if (!document.hidden) nowMs.value = Date.now();
}, tickMs);

/** Seconds from now to a time of the venue, not below zero; null for none. */
export function secondsTo(iso: string | null): number | null {
  return iso === null ? null : Math.max(0, (Date.parse(iso) - nowMs.value) / 1000);
}
