// What the venue owes of each asset according to its books. Only reads the state.

import { SystemAccount, Wallet } from "../../core/accounts.ts";
import { isPerpetual } from "../../core/markets.ts";
import type { VenueState } from "./venue-state.ts";

const wallets = Object.values(Wallet);

/**
 * Minor units by asset id owed to all accounts, including the venue's own, with positions at their value. At a common
 * mark, profits and losses cancel out and leave cash less entry values. Excluded are the faucet's account, whose
 * negative balance is no claim of a customer, and the spot wallets of wallet-funded accounts, whose coins their
 * parties hold. Spec SLV-2.
 */
export function liabilitiesOf(state: VenueState): bigint[] {
  const { table, balances, positions, accounts } = state;
  const owed = balances.sums(accounts.next, table.assets.length);
  for (const [id, debt] of faucetDebtsOf(state).entries()) owed[id] = (owed[id] ?? 0n) + debt;
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
 * The part of the liabilities, in minor units by asset id, that accounts received in fills with wallet-funded accounts
 * and cannot withdraw before these fills have settled on the ledger. Spec SLV-6.
 */
export function heldOf({ table, accounts, unsettled }: VenueState): bigint[] {
  const held = table.assets.map(() => 0n);
  for (const { account, asset, amount } of unsettled.all()) {
    if (accounts.isWallet(account)) continue;
    held[asset] = (held[asset] ?? 0n) + amount;
  }
  return held;
}

/** What a development venue's faucet has granted, in minor units by asset id; at least 0. Spec SLV-7. */
export function faucetDebtsOf({ table, balances }: VenueState): bigint[] {
  return table.assets.map(({ id }) =>
    wallets.reduce((debt, wallet) => debt - balances.total(SystemAccount.faucet, wallet, id), 0n),
  );
}
