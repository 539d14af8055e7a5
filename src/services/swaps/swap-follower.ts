// Stores ledger updates about swaps page by page, together with the cursor, and reports the ledger's time up
// to which it has read.

import type { SwapLedger } from "../../ports/swaps/swap-ledger.ts";
import type { SwapStore } from "../../ports/swaps/swap-store.ts";

const pagesMax = 1000;

export class SwapFollower {
  readonly #store: SwapStore;
  readonly #ledger: SwapLedger;
  #ledgerMs = 0;

  constructor(store: SwapStore, ledger: SwapLedger) {
    this.#store = store;
    this.#ledger = ledger;
  }

  /** The ledger's time up to which everything has been read; 0 before the first reading. */
  get ledgerMs(): number {
    return this.#ledgerMs;
  }

  /**
   * Reads up to `pagesMax` pages; returns whether the ledger's end was reached. Throws if the ledger does not answer.
   */
  async follow(): Promise<boolean> {
    const from = await this.#store.cursor();
    if (from === null) {
      await this.#store.advance([], [], await this.#ledger.ledgerEnd());
      return true;
    }
    for (let after = from, pages = 0; pages < pagesMax; pages++) {
      const page = await this.#ledger.swapPage(after);
      if (page.through > after)
        await this.#store.advance(page.created, page.archived, page.through);
      after = page.through;
      if (page.recordTimeMs !== null) this.#ledgerMs = page.recordTimeMs;
      if (page.isLast) return true;
    }
    return false;
  }

  /** Skips to the ledger's end while no swap waits for the ledger: earlier updates cannot concern a later swap. */
  async skip(isIdle: () => Promise<boolean>): Promise<void> {
    const end = await this.#ledger.ledgerEnd();
    // Check after the end is read: a swap that is accepted after this check locks coins only after that end.
    if (await isIdle()) await this.#store.advance([], [], end);
  }
}
