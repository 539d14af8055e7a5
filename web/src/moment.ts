// Times as text: the reader's time zone and date order, and a 24-hour clock everywhere, so that times align in lists.

const hourCycle = "h23";

/** Date and time, such as "11/22/26, 16:29:56". */
export function dayAndTime(at: string): string {
  return new Date(at).toLocaleString([], { dateStyle: "short", timeStyle: "medium", hourCycle });
}

/** Time of day, such as "16:29:56". */
export function timeOfDay(at: string | number): string {
  return new Date(at).toLocaleTimeString([], { timeStyle: "medium", hourCycle });
}
