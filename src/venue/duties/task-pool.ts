// A pool of one thread for background tasks. The thread comes with the first task and goes away when it
// has had nothing to do for a while, and its memory with it. A thread that cannot begin, because files of
// the program are gone or there is no memory, is a fault of its tasks and not of the venue.

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

interface Generation {
  readonly pool: Piscina;
  /** Why its thread could not begin; undefined while it could. */
  fault: unknown;
}

export class TaskPool {
  readonly #options: TaskPoolOptions;
  #generation: Generation;

  /** Nothing starts before the first task. */
  constructor(options: TaskPoolOptions) {
    this.#options = options;
    this.#generation = this.#begin();
  }

  /** Runs the export `name` with `task`; rejects with its error, or with why no thread could run it. */
  async run<T>(task: object, name: string): Promise<T> {
    const generation = this.#generation;
    try {
      return await generation.pool.run(task, { name });
    } catch (error) {
      throw generation.fault ?? error;
    }
  }

  /** Gives up a task under way; later ones are refused. */
  async destroy(): Promise<void> {
    await this.#generation.pool.destroy();
  }

  /** A pool whose thread cannot begin starts no other and keeps its tasks waiting: another takes its place. */
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
