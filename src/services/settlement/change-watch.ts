// Notices what may be work for settlement or custody: a committed event, a ledger update, or a payment that waits. Each
// look costs one call to the ledger and one statement, so that the cycles of an idle venue can be far apart, and new
// work still starts within the interval of the looks.

export interface ChangeWatchParts {
  readonly pollMs: number;
  readonly committedSeq: () => number;
  readonly ledgerEnd: () => Promise<number>;
  /** Whether a deposit, a withdrawal or a return waits to be finished. */
  readonly hasOpenPayments: () => Promise<boolean>;
  /** Called after each look. Without an answer from the ledger or the database, something may have changed. */
  readonly looked: (hasChanged: boolean) => void;
}

export class ChangeWatch {
  readonly #parts: ChangeWatchParts;
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;
  #seq = -1;
  #ledgerEnd = -1;

  constructor(parts: ChangeWatchParts) {
    this.#parts = parts;
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#look(), this.#parts.pollMs);
  }

  async #look(): Promise<void> {
    const hasChanged = await this.#hasChanged().catch(() => true);
    if (this.#isStopped) return;
    this.#parts.looked(hasChanged);
    this.#schedule();
  }

  async #hasChanged(): Promise<boolean> {
    const { committedSeq, ledgerEnd, hasOpenPayments } = this.#parts;
    const seq = committedSeq();
    const end = await ledgerEnd();
    const isSame = seq === this.#seq && end === this.#ledgerEnd;
    this.#seq = seq;
    this.#ledgerEnd = end;
    return !isSame || (await hasOpenPayments());
  }
}
