// How far long work is, on one line of the terminal. It goes to standard error, and only where that is
// a terminal: a log or a pipe gets nothing. Drawn at most ten times a second.

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

  /** `done` of `total`; a total of 0 is not known yet. */
  show(done: number, total: number): void {
    const nowMs = performance.now();
    const isLast = total > 0 && done >= total;
    if (!process.stderr.isTTY || (nowMs - this.#drawnMs < drawEveryMs && !isLast)) return;
    this.#drawnMs = nowMs;
    const seconds = (nowMs - this.#startedMs) / 1000;
    process.stderr.write(`\r\x1b[K${progressText({ what: this.#what, done, total, seconds })}`);
  }

  /** Leaves the line as it is and goes to the next. */
  end(): void {
    if (process.stderr.isTTY && this.#drawnMs > 0) process.stderr.write("\n");
  }
}

export interface Progress {
  readonly what: string;
  readonly done: number;
  /** 0 where nobody knows. */
  readonly total: number;
  readonly seconds: number;
}

/** `[######------------------]  25 %  1,000 of 4,000 entries, 500/s, 6 s left`. */
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
