// Times as text: in the zone that the reader has chosen, with the reader's date order and a 24-hour clock everywhere,
// so that times align in lists.

import { computed } from "@preact/signals";
import { zoneOption } from "./time-zone.ts";

/** Formats are made once for each zone, because making one takes longer than using it a hundred times. */
function formatter(parts: Intl.DateTimeFormatOptions) {
  return computed(() => {
    const timeZone = zoneOption.value;
    const options = { ...parts, hourCycle: "h23", ...(timeZone !== undefined && { timeZone }) };
    return new Intl.DateTimeFormat([], options as Intl.DateTimeFormatOptions);
  });
}

const dayAndTimeFormat = formatter({ dateStyle: "short", timeStyle: "medium" });
const dayAndMinuteFormat = formatter({ dateStyle: "short", timeStyle: "short" });
const timeFormat = formatter({ timeStyle: "medium" });
const minuteFormat = formatter({ hour: "2-digit", minute: "2-digit" });
const dayFormat = formatter({ day: "numeric", month: "short" });
const monthFormat = formatter({ month: "short", year: "numeric" });

/** Date and time, such as "11/22/26, 16:29:56". */
export function dayAndTime(at: string | number): string {
  return dayAndTimeFormat.value.format(new Date(at));
}

/** Date and minute, such as "11/22/26, 16:29", for what is known only to the minute. */
export function dayAndMinute(at: string | number): string {
  return dayAndMinuteFormat.value.format(new Date(at));
}

/** Time of day, such as "16:29:56". */
export function timeOfDay(at: string | number): string {
  return timeFormat.value.format(new Date(at));
}

/** Hour and minute, such as "16:29". */
export function minuteOfDay(at: number): string {
  return minuteFormat.value.format(at);
}

/** Day of the year, such as "Nov 22". */
export function dayOfYear(at: number): string {
  return dayFormat.value.format(at);
}

/** Month, such as "Nov 2026". */
export function monthOfYear(at: number): string {
  return monthFormat.value.format(at);
}
