// Applies funding events: premium samples, and settlements in which each position pays or receives once.

import { SystemAccount, Wallet } from "../../../core/accounts.ts";
import { assert } from "../../../core/assert.ts";
import {
  EventKind,
  type FundingPaid,
  type FundingStarted,
  type PremiumSampled,
} from "../../../core/generated/events.ts";
import type { StateObserver } from "../state-observer.ts";
import type { VenueState } from "../venue-state.ts";
import { addBalance } from "./balance-posting.ts";

export function applyFunding(
  state: VenueState,
  event: PremiumSampled | FundingStarted | FundingPaid,
  observer: StateObserver | null,
): void {
  if (event.kind === EventKind.premiumSampled) applyPremium(state, event);
  else if (event.kind === EventKind.fundingStarted) startFunding(state, event);
  else payFunding(state, event, observer);
}

function applyPremium(state: VenueState, event: PremiumSampled): void {
  const funding = state.funding.of(event.market);
  funding.premiumSum += event.premium;
  funding.samples++;
  funding.sampledUs = event.tsUs;
}

/** Starts a settlement of the current positions. If the rate or the mark is 0, nothing has to be paid. */
function startFunding(state: VenueState, event: FundingStarted): void {
  const { market, rate, mark, intervalUs } = event;
  const funding = state.funding.of(market);
  assert(funding.settlement === null, "a market must have only one funding settlement in progress");
  assert(intervalUs >= funding.settledUs, "funding intervals must be settled in order");
  funding.premiumSum = 0n;
  funding.samples = 0;
  funding.rate = rate;
  funding.settledUs = intervalUs;
  if (rate === 0n || mark === 0) return;
  const accounts: number[] = [];
  const lots: number[] = [];
  for (let slot = 1; slot < state.accounts.next; slot++) {
    const account = state.accounts.at(slot);
    if (account === 0) continue;
    const qty = state.positions.qty(account, market);
    if (qty === 0) continue;
    accounts.push(account);
    lots.push(qty);
  }
  if (accounts.length > 0) funding.settlement = { market, rate, mark, accounts, lots, next: 0 };
}

/** One payment between an account and the funding pool; the last one ends the settlement. */
function payFunding(state: VenueState, event: FundingPaid, observer: StateObserver | null): void {
  const { account, market, amount } = event;
  const funding = state.funding.of(market);
  const { settlement } = funding;
  assert(settlement !== null, "a funding payment must belong to a settlement in progress");
  assert(
    settlement.accounts[settlement.next] === account,
    "funding payments must follow the order of the accounts",
  );
  assert(
    settlement.lots[settlement.next] === event.qty,
    "a funding payment must be for the position that is settled",
  );
  const { quote } = state.table.market(market);
  addBalance(state, observer, account, Wallet.perp, quote.id, amount);
  addBalance(state, observer, SystemAccount.fundingPool, Wallet.perp, quote.id, -amount);
  settlement.next++;
  if (settlement.next === settlement.accounts.length) funding.settlement = null;
}
