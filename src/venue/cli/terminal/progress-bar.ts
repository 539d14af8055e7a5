// A progress bar on one line of standard error, only if that is a terminal. It is drawn at most ten times a second.
// `ReplayProgress` uses it for the replay at a start.

import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/log.ts";

const lineEveryMs = 5_000;

interface ReplayProgressParts {
  readonly log: Log;
  readonly clock: Clock;
}

/**
 * Shows how far the replay at a start has come: as a bar on a terminal, otherwise as a log line every few seconds, so
 * that an operator sees that a long replay advances. A short replay logs nothing.
 */
export class ReplayProgress {
  readonly #parts: ReplayProgressParts;
  readonly #bar = new ProgressBar("entries replayed");
  #saidMs: number;

  constructor(parts: ReplayProgressParts) {
    this.#parts = parts;
    this.#saidMs = parts.clock.nowMs();
  }

  /** Shows that `done` of `total` events are replayed. */
  show(done: number, total: number): void {
    this.#bar.show(done, total);
    if (done >= total) this.#bar.end();
    const { log, clock } = this.#parts;
    if (process.stderr.isTTY || clock.nowMs() - this.#saidMs < lineEveryMs) return;
    this.#saidMs = clock.nowMs();
    log.info({ replayed: done, of: total }, "replaying the journal");
  }
}

const widthCells = 24;
const drawEveryMs = 100;

export class ProgressBar {
  readonly #what: string;
  readonly #startedMs = performance.now();
  #drawnMs = Number.NEGATIVE_INFINITY;

  /** A bar that counts `what`, such as `entries replayed`. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Shows that `done` of `total` items are done; `total` is 0 while it is not known yet. */
  show(done: number, total: number): void {
    const nowMs = performance.now();
    const isLast = total > 0 && done >= total;
    if (!process.stderr.isTTY || (nowMs - this.#drawnMs < drawEveryMs && !isLast)) return;
    this.#drawnMs = nowMs;
    const seconds = (nowMs - this.#startedMs) / 1000;
    process.stderr.write(`\r\x1b[K${progressText({ what: this.#what, done, total, seconds })}`);
  }

  /** Keeps the line and starts a new one. */
  end(): void {
    if (process.stderr.isTTY && this.#drawnMs > 0) process.stderr.write("\n");
  }
}

export interface Progress {
  readonly what: string;
  readonly done: number;
  /** 0 if unknown. */
  readonly total: number;
  readonly seconds: number;
}

/** Returns a line such as `[######------------------] 25 % 1,000 of 4,000 entries, 500/s, 6 s left`. */
export function progressText({ what, done, total, seconds }: Progress): string {
  const perSecond = seconds > 0 ? done / seconds : 0;
  const rate = `${whole(perSecond)}/s`;
  if (total === 0) return `${whole(done)} ${what}, ${rate}`;
  const share = Math.min(1, done / total);
  const filled = Math.floor(share * widthCells);
  const bar = "#".repeat(filled).padEnd(widthCells, "-");
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  const leftSeconds = perSecond > 0 ? Math.ceil(Math.max(0, total - done) / perSecond) : 0;
  const left = share < 1 && leftSeconds > 0 ? `, ${leftSeconds} s left` : "";
  return `[${bar}] ${percent}  ${whole(done)} of ${whole(total)} ${what}, ${rate}${left}`;
}

function whole(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}
