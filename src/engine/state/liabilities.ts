// What the venue owes of each asset at this moment of its books. Pure over the state.

import { SystemAccount, Wallet } from "../../core/accounts.ts";
import { isPerpetual } from "../../core/markets.ts";
import type { VenueState } from "./venue-state.ts";

const wallets = Object.values(Wallet);

/**
 * Minor units by asset id: everything that anybody has in its books, the venue's own accounts too, with
 * what positions are worth. At one mark for all, their profits and losses cancel out: what is left of them
 * is cash less what they cost. Two things are no debt of custody's: the faucet's account, which owes
 * itself, and the spot wallets of wallet-funded accounts, whose coins their parties hold. Spec SLV-2.
 */
export function liabilitiesOf(state: VenueState): bigint[] {
  const { table, balances, positions, accounts } = state;
  const owed = balances.sums(accounts.next, table.assets.length);
  for (const { id } of table.assets) {
    for (const wallet of wallets)
      owed[id] = (owed[id] ?? 0n) - balances.total(SystemAccount.faucet, wallet, id);
  }
  const costs = positions.entrySums(accounts.next, table.markets.length);
  for (const { id, quote } of table.markets.filter(isPerpetual)) {
    owed[quote.id] = (owed[quote.id] ?? 0n) - (costs[id] ?? 0n);
  }
  for (let slot = 1; slot < accounts.next; slot++) {
    const account = accounts.at(slot);
    if (!accounts.isWallet(account)) continue;
    for (const { id } of table.assets) {
      owed[id] = (owed[id] ?? 0n) - balances.total(account, Wallet.spot, id);
    }
  }
  return owed;
}

/**
 * Of the liabilities, minor units by asset id, what is locked until it is settled with a wallet: nobody can take
 * it out before. Spec SLV-6.
 */
export function heldOf({ table, accounts, unsettled }: VenueState): bigint[] {
  const held = table.assets.map(() => 0n);
  for (const { account, asset, amount } of unsettled.all()) {
    if (accounts.isWallet(account)) continue;
    held[asset] = (held[asset] ?? 0n) + amount;
  }
  return held;
}
