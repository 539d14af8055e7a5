// The priority of one thread among those that share the cores. Linux keeps it per thread, and no other
// system that the venue runs on does: elsewhere threads stay equal.

import { readlinkSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";

/**
 * Puts the calling thread `steps` of niceness (0 to 20) ahead of what it had; false where the system does
 * not permit it (setpriority(2): CAP_SYS_NICE or RLIMIT_NICE) or knows no threads by number, and nothing is
 * changed then. See decision 0039.
 */
export function goAhead(steps: number): boolean {
  if (steps === 0) return true;
  try {
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    const nice = Math.max(getPriority(thread) - steps, constants.priority.PRIORITY_HIGHEST);
    setPriority(thread, nice);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // EACCES, EPERM: not permitted. ENOENT, ESRCH: not Linux, or another name space of processes.
    if (code === "ENOENT" || code === "ERR_SYSTEM_ERROR") return false;
    throw error;
  }
}
