// What the faucet gave to parties on the ledger since the page was opened: of a party that is not enrolled the
// venue reads nothing there, so nothing else tells of it.

import { signal } from "@preact/signals";

export interface LedgerGift {
  readonly partyId: string;
  /** "10000 USDC". */
  readonly words: string;
}

/** Oldest first. */
export const ledgerGifts = signal<readonly LedgerGift[]>([]);
