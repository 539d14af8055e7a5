// Raises the priority of one thread above other threads on the same cores. Only Linux has priorities per thread; on
// other systems all threads stay equal.

import { readlinkSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";

/**
 * Raises the priority of the calling thread by `steps` of niceness (0 to 20). Returns false and changes nothing if the
 * system does not permit it (setpriority(2): CAP_SYS_NICE or RLIMIT_NICE) or has no priorities per thread
 * (docs/decisions/0039).
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
    // ENOENT: there is no /proc/thread-self, so the system is not Linux. ERR_SYSTEM_ERROR: the change is not permitted
    // (EACCES, EPERM), or the thread has another number in this process's namespace (ESRCH).
    if (code === "ENOENT" || code === "ERR_SYSTEM_ERROR") return false;
    throw error;
  }
}
