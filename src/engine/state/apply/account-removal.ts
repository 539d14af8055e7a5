// Removes an account that never had money from the tables; its slot is reused.

import { type Wallet, walletCount } from "../../../core/accounts.ts";
import { assert } from "../../../core/assert.ts";
import { LEVERAGE_V1 } from "../../../core/limits.ts";
import type { VenueState } from "../venue-state.ts";
import { forgetReferral } from "./reward-posting.ts";

/** Closes an account and resets its slot as if never used; asserts that the account is empty. */
export function closeAccount(state: VenueState, account: number): void {
  const { accounts, balances, positions, sessions, keys, table } = state;
  const { connections, countdowns, makerGroups } = state;
  assert(
    sessions.ofAccount(account).length === 0,
    "an account must have no session when it is closed",
  );
  assert(keys.ofAccount(account).length === 0, "an account must have no API key when it is closed");
  assert(
    connections.countOf(account) === 0,
    "an account must have no order connection when it is closed",
  );
  for (const { id } of table.assets) {
    for (let wallet = 0; wallet < walletCount; wallet++) {
      const isEmpty = balances.total(account, wallet as Wallet, id) === 0n;
      assert(isEmpty, "an account must have no balance when it is closed");
    }
  }
  for (const { id } of table.markets) {
    assert(positions.qty(account, id) === 0, "an account must have no position when it is closed");
    positions.setLeverage(account, id, LEVERAGE_V1);
    countdowns.set(account, id, 0);
  }
  for (const { terms } of makerGroups.ofAccount(account)) makerGroups.remove(account, terms.group);
  forgetReferral(state, account);
  accounts.close(account);
}
