// What an account's perpetual wallet gains and loses by events that belong to no market: transfers and claims of
// commission.

import { Wallet } from "../../../../core/accounts.ts";
import { EventKind, type VenueEvent } from "../../../../core/generated/events.ts";
import { type IncomeRecord, IncomeType } from "../../../../ports/journal/history-store.ts";

/** Returns the transfer as income; empty for an event that did not change the account's perpetual wallet. */
export function incomeOfTransfer(event: VenueEvent, account: number): IncomeRecord[] {
  const { seq: id, tsUs } = event;
  const common = { type: IncomeType.transfer, tsUs, market: null, id };
  if (event.kind === EventKind.credited || event.kind === EventKind.granted) {
    const { wallet, asset, amount } = event;
    return wallet === Wallet.perp ? [{ ...common, asset, amount }] : [];
  }
  const { transferred, movedBetweenAccounts } = EventKind;
  if (event.kind !== transferred && event.kind !== movedBetweenAccounts) return [];
  const { from, to, asset, amount } = event;
  const receiver = event.kind === transferred ? account : event.receiver;
  const isOut = from === Wallet.perp && event.account === account;
  const isIn = to === Wallet.perp && receiver === account;
  return isOut === isIn ? [] : [{ ...common, asset, amount: isIn ? amount : -amount }];
}

/** Returns the claim of commission as income; empty for any other event. */
export function incomeOfClaim(event: VenueEvent): IncomeRecord[] {
  if (event.kind !== EventKind.rewardClaimed) return [];
  const { seq: id, tsUs, amount } = event;
  return [{ type: IncomeType.rebate, tsUs, market: null, asset: null, id, amount }];
}
