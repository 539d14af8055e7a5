// The time zone in which every time on the page is shown: the reader's own, or UTC.

import { computed } from "@preact/signals";
import { keptSignal, oneOf } from "./kept-signal.ts";

export type Zone = "local" | "UTC";

export const zone = keptSignal<Zone>("rialto-zone", "local", oneOf(["local", "UTC"]));

/** Value for the `timeZone` option of `Intl`; undefined for the reader's own zone. */
export const zoneOption = computed(() => (zone.value === "UTC" ? "UTC" : undefined));

/** Name of the zone at a time: "UTC", or the reader's distance from it, such as "UTC+2" or "UTC-3:30". */
function zoneName(atMs: number, chosen: Zone): string {
  const minutes = chosen === "UTC" ? 0 : -new Date(atMs).getTimezoneOffset();
  if (minutes === 0) return "UTC";
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const past = rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`;
  return `UTC${minutes < 0 ? "-" : "+"}${hours}${past}`;
}

/** Label for columns and axes of times. */
export const zoneLabel = computed(() => zoneName(Date.now(), zone.value));

export function turnZone(): void {
  zone.value = zone.value === "UTC" ? "local" : "UTC";
}
