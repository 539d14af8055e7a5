// Counts what the sessions of an account do within a window of time: logons, resends. Spec FIX-2, FIX-30, FIX-35.

/** At most so many within so many ms. */
export interface WindowLimit {
  readonly max: number;
  readonly windowMs: number;
}

export class AccountWindow {
  readonly #limit: WindowLimit;
  readonly #counts = new Map<number, number>();
  #sinceMs = 0;

  constructor(limit: WindowLimit) {
    this.#limit = limit;
  }

  /** Counts one more of the account; false if that is more than the limit. */
  allows(account: number, nowMs: number): boolean {
    if (nowMs - this.#sinceMs >= this.#limit.windowMs) {
      this.#sinceMs = nowMs;
      this.#counts.clear();
    }
    const count = (this.#counts.get(account) ?? 0) + 1;
    this.#counts.set(account, count);
    return count <= this.#limit.max;
  }
}
