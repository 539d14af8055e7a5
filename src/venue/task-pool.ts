// A pool of one thread for background tasks. The thread comes with the first task and goes away when it
// has had nothing to do for a while, and its memory with it.

import { Piscina } from "piscina";

/**
 * The pool tries `require` on a task's file before it imports it. Where the runtime can require modules,
 * ending a thread in the middle of that ends the whole process (seen on Node.js 20.20), so it may not.
 */
const importOnly =
  "require_module" in process.features ? ["--no-experimental-require-module"] : undefined;

export interface TaskPoolOptions {
  /** The module of the tasks; each run names its export. */
  readonly file: URL;
  /** Milliseconds without a task after which the thread ends. */
  readonly idleMs: number;
}

/** Opens a pool; nothing starts before the first task. `destroy` gives up a task under way. */
export function openTaskPool({ file, idleMs }: TaskPoolOptions): Piscina {
  return new Piscina({
    filename: file.href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: idleMs,
    ...(importOnly !== undefined && { execArgv: importOnly }),
  });
}
