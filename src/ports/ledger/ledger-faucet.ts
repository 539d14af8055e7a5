// Test funds on a development ledger. Types only.

import type { Party } from "./ledger.ts";

export interface LedgerFaucet {
  /**
   * Hosts a wallet for a party that signs with its key (standard base64). Idempotent. False if no ledger with a faucet
   * is reachable.
   */
  host(party: Party, publicKey: string): Promise<boolean>;
  /** Gives a party an amount (decimal); false if no ledger with a faucet is reachable. */
  tap(party: Party, asset: string, amount: string): Promise<boolean>;
}
