// The priority of one thread among those that share the cores. Linux keeps it per thread, and no other
// system that the venue runs on does: elsewhere threads stay equal.

import { constants, getPriority, setPriority } from "node:os";
import { ownKernelThread } from "./thread-time.ts";

/**
 * Puts the calling thread `steps` of niceness (0 to 20) ahead of what it had; false where the system does
 * not permit it (setpriority(2): CAP_SYS_NICE or RLIMIT_NICE) or knows no threads by number, and nothing is
 * changed then. See decision 0039.
 */
export function goAhead(steps: number): boolean {
  if (steps === 0) return true;
  const thread = ownKernelThread();
  if (thread === 0) return false;
  try {
    const nice = Math.max(getPriority(thread) - steps, constants.priority.PRIORITY_HIGHEST);
    setPriority(thread, nice);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // EACCES, EPERM: not permitted. ESRCH: another name space of processes.
    if (code === "ERR_SYSTEM_ERROR") return false;
    throw error;
  }
}
