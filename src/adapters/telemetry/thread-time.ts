// Reads the processor time of single threads, which only Linux reports. A thread can read only its own kernel id, so
// each thread publishes its id in shared memory for the others.

import { readFileSync, readlinkSync } from "node:fs";

/** Ticks per second of /proc/<pid>/stat: 100 on every architecture that Node.js supports. */
const ticksPerSecond = 100;

/** Returns the kernel id of the calling thread; 0 if the system does not report it. */
export function ownKernelThread(): number {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  } catch {
    return 0;
  }
}

/**
 * Returns the seconds of processor time that `thread` of this process has used; null if the thread has ended or cannot
 * be read.
 */
export function threadSeconds(thread: number): number | null {
  if (thread === 0) return null;
  const folder = `/proc/self/task/${thread}`;
  // `schedstat` counts nanoseconds, `stat` hundredths of a second. Some kernels have only the latter.
  const schedule = textOf(`${folder}/schedstat`);
  if (schedule !== null) return Number(schedule.split(" ")[0]) / 1e9;
  const stat = textOf(`${folder}/stat`);
  return stat === null ? null : statSeconds(stat);
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

/** Returns the sum of user and system time in a text of /proc/<pid>/stat, in seconds (proc_pid_stat(5)). */
export function statSeconds(stat: string): number {
  // The command's name may contain spaces and parentheses, so look for the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
