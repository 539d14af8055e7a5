// Funding of each market: premium samples of the running interval, the last settled rate, and the settlement
// in progress with its positions.

import { present } from "../../../core/assert.ts";

/** A settlement in progress: the positions that still pay or receive, by account, at one rate and mark. */
export interface FundingSettlement {
  readonly market: number;
  readonly rate: bigint;
  /** Ticks. */
  readonly mark: number;
  /** Accounts in ascending order; those before index `next` are done. */
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
  /** The rate of the last settlement. */
  rate: bigint;
  /** Microseconds at which the interval of the last settlement started; 0 before the first. */
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

  /** The funding of a market; asserts that the market exists. */
  of(market: number): MarketFunding {
    return present(this.#markets[market], "the market must exist on the venue");
  }

  /** The funding of all markets, by market id. */
  all(): readonly MarketFunding[] {
    return this.#markets;
  }
}
