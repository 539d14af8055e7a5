// The terms that protect the prices of perpetuals: one row per term. Each market has the venue's default until the
// operator sets a value. Codes are journaled. Every value is a whole number. A value of 0 disables the protection; the
// bound that docs/guides/risk.md publishes for it then no longer holds.

export const RiskTerm = {
  indexDepth: 0,
  indexMakers: 1,
  indexWindowMs: 2,
  indexMovePpm: 3,
  indexJumpBps: 4,
  staleMs: 5,
  bookDepth: 6,
  markBandBps: 7,
  fundBacked: 8,
  fundBandBps: 9,
  marginFloorBps: 10,
  openInterestMax: 11,
  depthSharePercent: 12,
  fundLossPerHour: 13,
} as const;
export type RiskTerm = (typeof RiskTerm)[keyof typeof RiskTerm];

export const riskTermCount = 14;

/** A term of one perpetual. */
export interface RiskTermValue {
  market: number;
  term: RiskTerm;
  /** In the unit of the term; 0 disables the protection. */
  value: number;
}

/** One row of the table: a term that an operator can read and set. */
export interface RiskTermRow {
  readonly term: RiskTerm;
  /** The name on the command line and in `/metrics`. */
  readonly name: string;
  readonly unit: "USDC" | "ms" | "ppm a second" | "bps" | "percent" | "yes or no";
  /** The default. */
  readonly usual: number;
  /** `least` and `most` are the smallest and the largest value that can be set; 0 can be set too. */
  readonly least: number;
  readonly most: number;
  readonly says: string;
}

/** The rows in the order of their codes. docs/decisions/0044 has the reason for each figure. */
export const riskTermRows: readonly RiskTermRow[] = [
  {
    ...{ term: RiskTerm.indexDepth, name: "index-depth", unit: "USDC", usual: 10_000 },
    ...{ least: 1, most: 100_000_000 },
    says: "order value per side of the spot market over which the index price is averaged; 0: best bid and ask only",
  },
  {
    ...{ term: RiskTerm.indexMakers, name: "index-makers", unit: "yes or no", usual: 1 },
    ...{ least: 1, most: 1 },
    says: "without an external price, only designated makers' orders count for the index; 0: all orders count",
  },
  {
    ...{ term: RiskTerm.indexWindowMs, name: "index-window", unit: "ms", usual: 30_000 },
    ...{ least: 1, most: 3_600_000 },
    says: "averaging time of an index from the venue's own spot market; 0: no averaging",
  },
  {
    ...{ term: RiskTerm.indexMovePpm, name: "index-move", unit: "ppm a second", usual: 5000 },
    ...{ least: 1, most: 1_000_000 },
    says: "largest move per second of an index from the venue's own spot market; 0: no limit",
  },
  {
    ...{ term: RiskTerm.indexJumpBps, name: "index-jump", unit: "bps", usual: 1000 },
    ...{ least: 1, most: 100_000 },
    says: "a larger jump of the venue's own spot market counts after three measurements in a row; 0: immediately",
  },
  {
    ...{ term: RiskTerm.staleMs, name: "stale-after", unit: "ms", usual: 60_000 },
    ...{ least: 1, most: 86_400_000 },
    says: "age of the index after which the market is reduce-only; 0: never",
  },
  {
    ...{ term: RiskTerm.bookDepth, name: "book-depth", unit: "USDC", usual: 5000 },
    ...{ least: 1, most: 100_000_000 },
    says: "order value per side of the perpetual's book needed for its mid and last price to count; 0: any",
  },
  {
    ...{ term: RiskTerm.markBandBps, name: "mark-band", unit: "bps", usual: 200 },
    ...{ least: 1, most: 10_000 },
    says: "largest distance of the mark price from the index; 0: no limit",
  },
  {
    ...{ term: RiskTerm.fundBacked, name: "fund-backed", unit: "yes or no", usual: 1 },
    ...{ least: 1, most: 1 },
    says: "the insurance fund takes over only positions it could sell to designated makers without loss; 0: any position",
  },
  {
    ...{ term: RiskTerm.fundBandBps, name: "fund-band", unit: "bps", usual: 30 },
    ...{ least: 1, most: 10_000 },
    says: "largest distance from a fresh index at which the fund closes its positions; 0: priced as other liquidation orders",
  },
  {
    ...{ term: RiskTerm.marginFloorBps, name: "margin-floor", unit: "bps", usual: 400 },
    ...{ least: 100, most: 10_000 },
    says: "without an external price, minimum initial margin of new positions; 0: the normal margin",
  },
  {
    ...{ term: RiskTerm.openInterestMax, name: "open-interest", unit: "USDC", usual: 50_000_000 },
    ...{ least: 1, most: 1_000_000_000_000 },
    says: "maximum open interest at the mark price; 0: no limit",
  },
  {
    ...{ term: RiskTerm.depthSharePercent, name: "depth-share", unit: "percent", usual: 1000 },
    ...{ least: 1, most: 1_000_000 },
    says: "without an external price, maximum open interest as a share of the makers' thinner spot side; 0: no limit",
  },
  {
    ...{ term: RiskTerm.fundLossPerHour, name: "fund-loss", unit: "USDC", usual: 50_000 },
    ...{ least: 1, most: 1_000_000_000 },
    says: "loss of the insurance fund in one clock hour; then the market is reduce-only until the next hour; 0: no limit",
  },
];
