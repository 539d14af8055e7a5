// Reads what concerns swaps from the ledger's updates into the tables, page by page with the cursor, and
// says how far and until when on the ledger's own clock.

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

  /** Reads to the ledger's end; throws where the ledger does not answer. */
  async follow(): Promise<void> {
    const from = await this.#store.cursor();
    if (from === null) {
      await this.#store.advance([], [], await this.#ledger.ledgerEnd());
      return;
    }
    for (let after = from, pages = 0; pages < pagesMax; pages++) {
      const page = await this.#ledger.swapPage(after);
      if (page.through > after)
        await this.#store.advance(page.created, page.archived, page.through);
      after = page.through;
      if (page.recordTimeMs !== null) this.#ledgerMs = page.recordTimeMs;
      if (page.isLast) return;
    }
  }

  /** While no swap waits for the ledger: what happened until now concerns none that is to come. */
  async skip(isIdle: () => Promise<boolean>): Promise<void> {
    const end = await this.#ledger.ledgerEnd();
    // Asked after the end was read: a swap that is accepted later is locked later still.
    if (await isIdle()) await this.#store.advance([], [], end);
  }
}
