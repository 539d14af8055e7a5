// Test funds on a development ledger. Types only.

import type { Party } from "./ledger.ts";

export interface FaucetPayment {
  readonly to: Party;
  readonly asset: string;
  readonly amount: string;
  /** The reason that the transfer carries: the reference of a deposit. */
  readonly reference: string;
}

export interface LedgerFaucet {
  /**
   * Hosts a wallet for a party that signs with the given key (standard base64). Idempotent. Returns false if no ledger
   * with a faucet is reachable.
   */
  host(party: Party, publicKey: string): Promise<boolean>;
  /** Gives a party a decimal amount; returns false if no ledger with a faucet is reachable. */
  tap(party: Party, asset: string, amount: string): Promise<boolean>;
  /** Pays a decimal amount to a party, as any sender on the ledger would; returns as `tap` does. */
  pay(payment: FaucetPayment): Promise<boolean>;
}
