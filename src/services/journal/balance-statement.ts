// What the venue's books say that every account has after one event: the statement with which an auditor compares
// what he computes from the journal (AUD-3). docs/guides/journal-export.md describes it for readers.

import { Wallet } from "../../core/accounts.ts";
import { isPerpetual } from "../../core/markets.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";

/** The statement, with the field names of its JSON. Amounts are minor units, as text; what is 0 is left out. */
export interface BalanceStatement {
  readonly seq: number;
  readonly balances: readonly object[];
  readonly positions: readonly object[];
}

const wallets = Object.entries(Wallet);

/** The statement of a state between two transactions, by account slot. Amounts include what open orders hold. */
export function balanceStatement(state: VenueState): BalanceStatement {
  const open: number[] = [];
  for (let slot = 1; slot < state.accounts.next; slot++) {
    const account = state.accounts.at(slot);
    if (account !== 0) open.push(account);
  }
  return {
    seq: state.seq,
    balances: open.flatMap((account) => balancesOf(state, account)),
    positions: open.flatMap((account) => positionsOf(state, account)),
  };
}

function balancesOf({ balances, table }: VenueState, account: number): object[] {
  const rows = wallets.flatMap(([wallet, code]) =>
    table.assets.map(({ id, code: asset }) => {
      return { account, wallet, asset, units: `${balances.total(account, code, id)}` };
    }),
  );
  return rows.filter(({ units }) => units !== "0");
}

function positionsOf({ positions, table }: VenueState, account: number): object[] {
  const rows = table.markets.filter(isPerpetual).map(({ id, symbol: market }) => {
    const entry_value = `${positions.entryValue(account, id)}`;
    return { account, market, lots: positions.qty(account, id), entry_value };
  });
  return rows.filter(({ lots }) => lots !== 0);
}
