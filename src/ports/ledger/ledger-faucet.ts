// Coins from nobody, on a ledger for development. Types only.

import type { Party } from "./ledger.ts";

export interface LedgerFaucet {
  /** Keeps a wallet for a party that signs with its key, standard base64; idempotent, false as below. */
  host(party: Party, publicKey: string): Promise<boolean>;
  /** Gives a party so many coins, a decimal; false where no ledger that has a faucet is reached. */
  tap(party: Party, asset: string, amount: string): Promise<boolean>;
}
