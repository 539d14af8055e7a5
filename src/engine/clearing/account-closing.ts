// The end of an account that never had money: nobody misses it, and its slot serves another. Strangers may open
// accounts, so that what was never used must not fill the venue. The number is never given again: a key, a
// session, a reference of a deposit or a referral code of an account that has closed means nobody.

import {
  AccountFlag,
  AccountType,
  firstCustomerAccount,
  type Wallet,
  walletCount,
} from "../../core/accounts.ts";
import { assert } from "../../core/assert.ts";
import { EventKind } from "../../core/events.ts";
import { LEVERAGE_V1 } from "../../core/limits.ts";
import { forgetReferral } from "./reward-state.ts";
import { endSession } from "./session-commands.ts";
import type { UnitWriter } from "./unit-writer.ts";
import type { VenueState } from "./venue-state.ts";

/**
 * Whether an open account may be closed for good. It never had money and referred nobody who had; it has no order,
 * protection or idempotency key that is remembered; its type and flags are those it opened with, and all its keys
 * are of the kind that users make. An open session keeps it, as long as the venue is not short of accounts. The
 * first of all stays: the venue's first interval of funding counts from it. Spec ACC-28, ACC-29.
 */
export function mayClose(state: VenueState, account: number): boolean {
  const { accounts, sessions } = state;
  if (!accounts.isCustomer(account) || account === firstCustomerAccount) return false;
  const isPlain =
    accounts.typeOf(account) === AccountType.standard &&
    accounts.flagsOf(account) === AccountFlag.canWithdraw;
  if (!isPlain || accounts.hasTies(account)) return false;
  if (sessions.ofAccount(account).length > 0 && !accounts.isShort) return false;
  return !isBusy(state, account) && !state.keys.hasOperators(account);
}

/** Whether it has orders, at rest or on their way, or anything else that ends by itself. */
function isBusy({ table, orders, protections, requestKeys }: VenueState, account: number): boolean {
  if ((requestKeys?.countOf(account) ?? 0) > 0) return true;
  return table.markets.some(
    ({ id }) => orders.countOf(account, id) > 0 || protections.get(account, id) !== undefined,
  );
}

/** Writes the end of its sessions and keys; the account's own event, which ends the unit, is the caller's. */
export function endRights(
  state: VenueState,
  writer: UnitWriter,
  account: number,
  atUs: number,
): void {
  for (const session of [...state.sessions.ofAccount(account)]) {
    endSession(writer, session, atUs, false);
  }
  for (const { keyId, tier, permissions } of [...state.keys.ofAccount(account)]) {
    const kind = EventKind.keyChanged;
    const change = { kind, account, keyId, tier, permissions, isRevoked: true };
    writer.standing({ seq: 0, tsUs: 0, isUnitEnd: false, ...change }, atUs, false);
  }
}

/** Closes an account and leaves its slot as one that was never used; asserts that nothing is in it. */
export function closeAccount(state: VenueState, account: number): void {
  const { accounts, balances, positions, sessions, keys, countdowns, table } = state;
  assert(sessions.ofAccount(account).length === 0, "an account that closes has no session");
  assert(keys.ofAccount(account).length === 0, "an account that closes has no key");
  for (const { id } of table.assets) {
    for (let wallet = 0; wallet < walletCount; wallet++) {
      const isEmpty = balances.total(account, wallet as Wallet, id) === 0n;
      assert(isEmpty, "an account that closes has no money");
    }
  }
  for (const { id } of table.markets) {
    assert(positions.qty(account, id) === 0, "an account that closes has no position");
    positions.setLeverage(account, id, LEVERAGE_V1);
    countdowns.set(account, id, 0);
  }
  forgetReferral(state, account);
  accounts.close(account);
}
