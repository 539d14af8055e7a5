// The terms that protect the prices of perpetuals: one row per protection. Each market has the venue's
// default until its operator sets a value. Codes are journaled. Every value is a whole number; 0 disables the
// protection and voids its published bound (docs/guides/risk.md).

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
  /** The smallest value besides 0, and the largest. */
  readonly least: number;
  readonly most: number;
  readonly says: string;
}

/** By code. The reason for each figure: docs/decisions/0044. */
export const riskTermRows: readonly RiskTermRow[] = [
  {
    ...{ term: RiskTerm.indexDepth, name: "index-depth", unit: "USDC", usual: 10_000 },
    ...{ least: 1, most: 100_000_000 },
    says: "value that the index is the average price of, on each side of the spot market; 0: the touch",
  },
  {
    ...{ term: RiskTerm.indexMakers, name: "index-makers", unit: "yes or no", usual: 1 },
    ...{ least: 1, most: 1 },
    says: "without an outside price only designated makers' orders count; 0: everybody's",
  },
  {
    ...{ term: RiskTerm.indexWindowMs, name: "index-window", unit: "ms", usual: 30_000 },
    ...{ least: 1, most: 3_600_000 },
    says: "time over which the index of the own spot market is averaged; 0: as it is",
  },
  {
    ...{ term: RiskTerm.indexMovePpm, name: "index-move", unit: "ppm a second", usual: 5000 },
    ...{ least: 1, most: 1_000_000 },
    says: "how far the index of the own spot market moves in a second at most; 0: without a bound",
  },
  {
    ...{ term: RiskTerm.indexJumpBps, name: "index-jump", unit: "bps", usual: 1000 },
    ...{ least: 1, most: 100_000 },
    says: "a farther leap of the own spot market is believed the third time in a row; 0: at once",
  },
  {
    ...{ term: RiskTerm.staleMs, name: "stale-after", unit: "ms", usual: 60_000 },
    ...{ least: 1, most: 86_400_000 },
    says: "an index that was not measured for longer makes the market reduce-only; 0: never",
  },
  {
    ...{ term: RiskTerm.bookDepth, name: "book-depth", unit: "USDC", usual: 5000 },
    ...{ least: 1, most: 100_000_000 },
    says: "value on each side of the perpetual's own book for its middle and last trade to count; 0: any",
  },
  {
    ...{ term: RiskTerm.markBandBps, name: "mark-band", unit: "bps", usual: 200 },
    ...{ least: 1, most: 10_000 },
    says: "how far the mark stands from the index at most; 0: without a bound",
  },
  {
    ...{ term: RiskTerm.fundBacked, name: "fund-backed", unit: "yes or no", usual: 1 },
    ...{ least: 1, most: 1 },
    says: "the fund takes over what designated makers would take off it without loss; 0: anything",
  },
  {
    ...{ term: RiskTerm.fundBandBps, name: "fund-band", unit: "bps", usual: 30 },
    ...{ least: 1, most: 10_000 },
    says: "how far from a fresh index the fund closes what it took over; 0: as far as others",
  },
  {
    ...{ term: RiskTerm.marginFloorBps, name: "margin-floor", unit: "bps", usual: 400 },
    ...{ least: 100, most: 10_000 },
    says: "without an outside price what opens needs this share of its value at least; 0: its margin",
  },
  {
    ...{ term: RiskTerm.openInterestMax, name: "open-interest", unit: "USDC", usual: 50_000_000 },
    ...{ least: 1, most: 1_000_000_000_000 },
    says: "what all open positions of one side may be worth at the mark; 0: any",
  },
  {
    ...{ term: RiskTerm.depthSharePercent, name: "depth-share", unit: "percent", usual: 1000 },
    ...{ least: 1, most: 1_000_000 },
    says: "without an outside price the same, of what makers quote on the spot market's thinner side; 0: any",
  },
  {
    ...{ term: RiskTerm.fundLossPerHour, name: "fund-loss", unit: "USDC", usual: 50_000 },
    ...{ least: 1, most: 1_000_000_000 },
    says: "what the fund loses here in an hour before the market is reduce-only until the next; 0: any",
  },
];
