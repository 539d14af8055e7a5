// A wall clock for processes that are started with its environment. It shows the true time until the test sets it; then
// it jumps or drifts.

import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const preload = fileURLToPath(new URL("./stepped-clock.js", import.meta.url));

export class HostClock {
  readonly #folder = mkdtempSync(join(tmpdir(), "rialto-clock-"));
  readonly #file = join(this.#folder, "clock");

  constructor() {
    this.set(0);
  }

  /** Returns the environment that makes a process use this clock. */
  get environment(): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--import=${preload}`, STEPPED_CLOCK: this.#file };
  }

  /** Sets the clock `offsetMs` from the true time; from then on it gains `rate` seconds per second. */
  set(offsetMs: number, rate = 0): void {
    writeFileSync(`${this.#file}.new`, `${offsetMs} ${rate} ${Date.now()}`);
    renameSync(`${this.#file}.new`, this.#file);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
