// Funding of perpetual markets, decided on ticks: premium samples at a fixed interval, a settlement at each interval
// boundary or on command, and a bounded number of payments per tick. Progress of a settlement is in the state, so it
// continues after a crash.

import { firstCustomerAccount } from "../../../core/accounts.ts";
import type { SettleFunding } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { fundingPaymentsPerTickMax, samplesPerFunding } from "../../../core/limits.ts";
import { isPerpetual, type Market, orderValue } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../core/money/amounts.ts";
import { fundingPayment, fundingRateOf, premiumOf } from "../../../core/perpetuals/funding.ts";
import type { FundingSettlement } from "../../state/tables/funding-state.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";

export interface FundingParts {
  readonly state: VenueState;
  readonly writer: TransactionWriter;
  readonly intervalUs: number;
}

const unnumbered = { seq: 0, tsUs: 0, account: 0, isTransactionEnd: true };

export class Funding {
  readonly #parts: FundingParts;
  readonly #markets: readonly Market[];
  readonly #sampleUs: number;

  constructor(parts: FundingParts) {
    this.#parts = parts;
    this.#markets = parts.state.table.markets.filter(isPerpetual);
    this.#sampleUs = Math.max(Math.floor(parts.intervalUs / samplesPerFunding), 1);
  }

  /**
   * Starts the settlements that are due, takes due premium samples, and makes a bounded number of payments. If several
   * boundaries passed while the venue was down, there is one settlement, at the current mark. Marks must be fresh.
   */
  tick(atUs: number): void {
    const startUs = this.#startOf(atUs);
    for (const { id } of this.#markets) {
      if (startUs > this.#settledUpTo(id)) this.#start(id, startUs, atUs);
    }
    this.#takeSamples(atUs);
    this.#pay(atUs);
  }

  /**
   * The earliest time after `atUs` at which a tick may have work; `atUs` while payments are left, or an interval whose
   * settlement had to wait for an early one.
   */
  nextUs(atUs: number): number {
    const { funding } = this.#parts.state;
    const startUs = this.#startOf(atUs);
    const isDue = ({ id }: { readonly id: number }) =>
      funding.of(id).settlement !== null || this.#settledUpTo(id) < startUs;
    if (this.#markets.some(isDue)) return atUs;
    const nextSampleUs = (Math.floor(atUs / this.#sampleUs) + 1) * this.#sampleUs;
    return Math.min(nextSampleUs, startUs + this.#parts.intervalUs);
  }

  /**
   * Settles the running interval of all markets early; the next boundary settles again, with the samples taken since
   * then. Returns in how many markets a settlement started; a market whose last settlement still pays is skipped. For a
   * gateway's command all settlements start in one transaction, so that none starts again if the command does.
   */
  settleNow({ atUs, identity = null }: SettleFunding): number {
    const { state, writer } = this.#parts;
    const startUs = this.#startOf(atUs);
    const due = this.#markets.filter(({ id }) => state.funding.of(id).settlement === null);
    for (const [index, { id }] of due.entries()) {
      const isLast = index === due.length - 1;
      if (isLast) writer.records(identity, due.length);
      this.#start(id, startUs, atUs, isLast || identity === null);
    }
    return due.length;
  }

  #startOf(atUs: number): number {
    const { intervalUs } = this.#parts;
    return Math.floor(atUs / intervalUs) * intervalUs;
  }

  /** Start of the last settled interval; before any settlement, of the interval in which the first account opened. */
  #settledUpTo(market: number): number {
    const { accounts, funding } = this.#parts.state;
    const { settledUs } = funding.of(market);
    if (settledUs > 0) return settledUs;
    if (!accounts.exists(firstCustomerAccount)) return Number.POSITIVE_INFINITY;
    return this.#startOf(accounts.openedUsOf(firstCustomerAccount));
  }

  #takeSamples(atUs: number): void {
    const { state, writer } = this.#parts;
    const sample = Math.floor(atUs / this.#sampleUs);
    for (const { id: market } of this.#markets) {
      const { sampledUs } = state.funding.of(market);
      if (sample <= Math.floor(sampledUs / this.#sampleUs)) continue;
      const [mark, index] = [state.mark[market] ?? 0, state.index[market] ?? 0];
      if (mark === 0 || index === 0) continue;
      const premium = premiumOf(mark, index);
      writer.nonOrder({ ...unnumbered, kind: EventKind.premiumSampled, market, premium }, atUs);
    }
  }

  #start(market: number, startUs: number, atUs: number, isTransactionEnd = true): void {
    const { state, writer } = this.#parts;
    const { premiumSum, samples, settlement, settledUs } = state.funding.of(market);
    if (settlement !== null) return;
    const rate = fundingRateOf(premiumSum, samples);
    const mark = state.mark[market] ?? 0;
    // A clock that was set back does not reopen an interval.
    const intervalUs = Math.max(startUs, settledUs);
    const event = { kind: EventKind.fundingStarted, market, rate, mark, intervalUs };
    writer.nonOrder({ ...unnumbered, ...event }, atUs, isTransactionEnd);
  }

  #pay(atUs: number): void {
    let left = fundingPaymentsPerTickMax;
    for (const { id } of this.#markets) {
      for (; left > 0; left--) {
        const { settlement } = this.#parts.state.funding.of(id);
        if (settlement === null) break;
        this.#payNext(settlement, atUs);
      }
    }
  }

  #payNext(
    { market: id, rate, mark, accounts, lots, next }: FundingSettlement,
    atUs: number,
  ): void {
    const { state, writer } = this.#parts;
    const [account, qty] = [accounts[next] ?? 0, lots[next] ?? 0];
    const market = state.table.market(id);
    const value = orderValue(market, asPriceTicks(mark), asQtyLots(Math.abs(qty)));
    const amount = fundingPayment(value, qty > 0, rate);
    const event = { kind: EventKind.fundingPaid, account, market: id, amount, qty, rate, mark };
    writer.nonOrder({ ...unnumbered, ...event }, atUs);
  }
}
