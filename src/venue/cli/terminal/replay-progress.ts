// How far the replay of a start is: a bar on a terminal, elsewhere a line of the log every few seconds, so
// that whoever waits for a venue with a long journal sees that it moves. A short replay says nothing there.

import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/log.ts";
import { ProgressBar } from "./progress-bar.ts";

const lineEveryMs = 5_000;

export interface ReplayProgressParts {
  readonly log: Log;
  readonly clock: Clock;
}

export class ReplayProgress {
  readonly #parts: ReplayProgressParts;
  readonly #bar = new ProgressBar("entries replayed");
  #saidMs: number;

  constructor(parts: ReplayProgressParts) {
    this.#parts = parts;
    this.#saidMs = parts.clock.nowMs();
  }

  /** `done` of `total` events are folded. */
  show(done: number, total: number): void {
    this.#bar.show(done, total);
    if (done >= total) this.#bar.end();
    const { log, clock } = this.#parts;
    if (process.stderr.isTTY || clock.nowMs() - this.#saidMs < lineEveryMs) return;
    this.#saidMs = clock.nowMs();
    log.info({ replayed: done, of: total }, "replaying the journal");
  }
}
