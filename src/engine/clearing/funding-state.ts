// Funding of each market as events left it: the premium samples of the running interval, the last
// settled rate, and the settlement under way with the positions it is about. Those are taken when it
// starts, so that each pays or receives once, whatever trades before its turn comes.

import { SystemAccount, Wallet } from "../../core/accounts.ts";
import { assert, present } from "../../core/assert.ts";
import {
  EventKind,
  type FundingPaid,
  type FundingStarted,
  type PremiumSampled,
} from "../../core/events.ts";
import { addBalance } from "./balance-posting.ts";
import type { StateObserver } from "./state-observer.ts";
import type { VenueState } from "./venue-state.ts";

/** Positions that have still to pay or receive, by account, at one rate and mark. */
export interface FundingSettlement {
  readonly market: number;
  readonly rate: bigint;
  /** Ticks. */
  readonly mark: number;
  /** Ascending; those before `next` are done. */
  readonly accounts: readonly number[];
  /** Signed lots. */
  readonly lots: readonly number[];
  next: number;
}

/** One market's funding. */
export interface MarketFunding {
  premiumSum: bigint;
  samples: number;
  /** Time of the newest sample; 0 before the first. */
  sampledUs: number;
  /** Of the last settlement. */
  rate: bigint;
  /** Start of the interval in which it was; 0 before the first. */
  settledUs: number;
  settlement: FundingSettlement | null;
}

export class FundingState {
  readonly #markets: readonly MarketFunding[];

  constructor(marketCount: number) {
    this.#markets = Array.from({ length: marketCount }, () => ({
      premiumSum: 0n,
      samples: 0,
      sampledUs: 0,
      rate: 0n,
      settledUs: 0,
      settlement: null,
    }));
  }

  /** The funding of a market; asserts that there is one. */
  of(market: number): MarketFunding {
    return present(this.#markets[market], "a market of the venue");
  }

  /** By market id. */
  all(): readonly MarketFunding[] {
    return this.#markets;
  }
}

export function applyFunding(
  state: VenueState,
  event: PremiumSampled | FundingStarted | FundingPaid,
  observer: StateObserver,
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

/** Begins a settlement with the positions of this moment; there is none to do at rate or mark 0. */
function startFunding(state: VenueState, event: FundingStarted): void {
  const { market, rate, mark, intervalUs } = event;
  const funding = state.funding.of(market);
  assert(funding.settlement === null, "one settlement of a market at a time");
  assert(intervalUs >= funding.settledUs, "intervals settle in order");
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
function payFunding(state: VenueState, event: FundingPaid, observer: StateObserver): void {
  const { account, market, amount } = event;
  const funding = state.funding.of(market);
  const { settlement } = funding;
  assert(settlement !== null, "a payment belongs to a settlement");
  assert(settlement.accounts[settlement.next] === account, "payments come in order of accounts");
  assert(settlement.lots[settlement.next] === event.qty, "a payment is for the position taken");
  const { quote } = state.table.market(market);
  addBalance(state, observer, account, Wallet.perp, quote.id, amount);
  addBalance(state, observer, SystemAccount.fundingPool, Wallet.perp, quote.id, -amount);
  settlement.next++;
  if (settlement.next === settlement.accounts.length) funding.settlement = null;
}
