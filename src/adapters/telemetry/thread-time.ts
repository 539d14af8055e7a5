// Processor time of single threads, which only Linux reports. A thread can read only its own kernel id, so
// each publishes it in shared memory for others to look up.

import { readFileSync, readlinkSync } from "node:fs";

/** /proc/<pid>/stat counts 100 ticks a second on every architecture Node.js runs on. */
const ticksPerSecond = 100;

/** The kernel id of the calling thread; 0 if the system does not report it. */
export function ownKernelThread(): number {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  } catch {
    return 0;
  }
}

/** Seconds of processor time used by `thread` of this process; null if it has ended or cannot be read. */
export function threadSeconds(thread: number): number | null {
  if (thread === 0) return null;
  try {
    return statSeconds(readFileSync(`/proc/self/task/${thread}/stat`, "utf8"));
  } catch {
    return null;
  }
}

/** User and system time in a text of /proc/<pid>/stat, in seconds. proc_pid_stat(5). */
export function statSeconds(stat: string): number {
  // The command's name may contain blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
