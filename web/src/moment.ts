// Times as this page writes them: the reader's own zone and order of day and month, 24 hours to the day in
// every list, so that times stand under each other and beside those of the tape.

const hourCycle = "h23";

/** "11/22/26, 16:29:56". */
export function dayAndTime(at: string): string {
  return new Date(at).toLocaleString([], { dateStyle: "short", timeStyle: "medium", hourCycle });
}

/** "16:29:56". */
export function timeOfDay(at: string | number): string {
  return new Date(at).toLocaleTimeString([], { timeStyle: "medium", hourCycle });
}
