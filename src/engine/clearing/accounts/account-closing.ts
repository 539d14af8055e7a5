// The end of an account that never had money: nobody misses it, and its slot serves another. Strangers may open
// accounts, so that what was never used must not fill the venue. The number is never given again: a key, a
// session, a reference of a deposit or a referral code of an account that has closed means nobody.

import { AccountFlag, AccountType, firstCustomerAccount } from "../../../core/accounts.ts";
import { EventKind } from "../../../core/generated/events.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { UnitWriter } from "../units/unit-writer.ts";
import { endSession } from "./session-commands.ts";

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
