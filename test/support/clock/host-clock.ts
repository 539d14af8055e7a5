// The wall clock of a host, as the processes see it that are started with its environment: set by steps, or
// drifting. It is the true one until it is set.

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

  /** What a process is started with, so that it sees this clock. */
  get environment(): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--import=${preload}`, STEPPED_CLOCK: this.#file };
  }

  /** Sets it `offsetMs` beside the truth; from then on it gains `rate` seconds a second. */
  set(offsetMs: number, rate = 0): void {
    writeFileSync(`${this.#file}.new`, `${offsetMs} ${rate} ${Date.now()}`);
    renameSync(`${this.#file}.new`, this.#file);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
