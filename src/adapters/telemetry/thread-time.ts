// Processor time of a single thread, which only Linux reports by thread. The kernel numbers threads; a thread can
// read only its own number, so each one publishes it in shared memory and any other can then look up its time.

import { readFileSync, readlinkSync } from "node:fs";

/** The clock of /proc/<pid>/stat has 100 ticks a second on every architecture that Node.js runs on. */
const ticksPerSecond = 100;

/** The kernel's number of the calling thread; 0 where the system does not tell. */
export function ownKernelThread(): number {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  } catch {
    return 0;
  }
}

/** Seconds of processor time that `thread` of this process has used; null where it has ended or cannot be read. */
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
  // The name of the command may contain blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
