// Coins from nobody, on a ledger for development. Types only.

import type { Party } from "./ledger.ts";

export interface LedgerFaucet {
  /** Gives a party so many coins, a decimal; false where no ledger that has a faucet is reached. */
  tap(party: Party, asset: string, amount: string): Promise<boolean>;
}
