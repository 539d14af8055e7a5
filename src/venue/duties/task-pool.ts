// A pool of one thread for background tasks. The thread starts with the first task and ends after an idle time, which
// frees its memory. If the thread cannot start, for lack of memory or program files, its tasks fail but the venue
// continues.

import { Piscina } from "piscina";

/**
 * The pool library tries `require` on a task's file before `import`. If the runtime can require ES modules, and a
 * thread is ended while it does so, the whole process aborts (seen on Node.js 20.20). The feature is therefore turned
 * off.
 */
const importOnly =
  "require_module" in process.features ? ["--no-experimental-require-module"] : undefined;

/** The longest time in ms for which a thread without a task is kept because of its tasks to come. */
const keptMsMax = 600_000;

/**
 * Returns for how long to keep a thread whose tasks come every `periodMs`: two periods, at most ten minutes. If they are
 * further apart, starting a thread anew, which takes 0.8 s of processor time until its code is compiled, and reading its
 * state again cost less than the memory.
 */
export function idleMsBetween(periodMs: number): number {
  return Math.min(2 * periodMs, keptMsMax);
}

export interface TaskPoolOptions {
  /** The module of the tasks; `run` names the export. */
  readonly file: URL;
  /** Milliseconds without a task after which the thread ends. */
  readonly idleMs: number;
}

interface Generation {
  readonly pool: Piscina;
  /** The error that prevented the start of the pool's thread; undefined if there was none. */
  fault: unknown;
}

export class TaskPool {
  readonly #options: TaskPoolOptions;
  #generation: Generation;

  /** Starts no thread before the first task. */
  constructor(options: TaskPoolOptions) {
    this.#options = options;
    this.#generation = this.#begin();
  }

  /** Runs the export `name` with `task`; rejects with its error, or with the reason why no thread could start. */
  async run<T>(task: object, name: string): Promise<T> {
    const generation = this.#generation;
    try {
      return await generation.pool.run(task, { name });
    } catch (error) {
      throw generation.fault ?? error;
    }
  }

  /** Abandons a running task and refuses later ones. */
  async destroy(): Promise<void> {
    await this.#generation.pool.destroy();
  }

  /**
   * Creates a pool. If its thread cannot start, the library would let its tasks wait forever, so the pool is then
   * replaced.
   */
  #begin(): Generation {
    const { file, idleMs } = this.#options;
    const pool = new Piscina({
      filename: file.href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      ...(importOnly !== undefined && { execArgv: importOnly }),
    });
    const generation: Generation = { pool, fault: undefined };
    pool.on("error", (error) => {
      generation.fault = error;
      this.#generation = this.#begin();
      void pool.destroy();
    });
    return generation;
  }
}
