// Conservation check: for each asset, the balances of all accounts minus the entry values of their positions
// equal deposits minus withdrawals.

import { Wallet } from "../../core/accounts.ts";
import { isPerpetual } from "../../core/markets.ts";
import type { VenueState } from "./venue-state.ts";

const wallets = Object.values(Wallet);

/**
 * By asset, the difference between the sum over all accounts and net deposits, in minor units; 0n everywhere
 * in a sound state. Takes time proportional to the number of accounts: use it in background tasks.
 */
export function conservationGaps(state: VenueState): bigint[] {
  const { accounts, balances, positions, table } = state;
  const gaps = state.deposited.map((amount) => -amount);
  const add = (asset: number, amount: bigint) => {
    gaps[asset] = (gaps[asset] ?? 0n) + amount;
  };
  const perpetuals = table.markets.filter(isPerpetual);
  for (let slot = 1; slot < accounts.next; slot++) {
    const account = accounts.at(slot);
    if (account === 0) continue;
    for (const wallet of wallets) {
      for (const { id } of table.assets) add(id, balances.total(account, wallet, id));
    }
    for (const { id, quote } of perpetuals) add(quote.id, -positions.entryValue(account, id));
  }
  return gaps;
}
