// For each term of risk an attack that profits once the term is taken away. The defences overlap on purpose:
// where one alone is not missed, the others that would hold the same attack are taken away beside it, and the
// attack still brings nothing as long as the term is there.

import { RiskTerm } from "../../../src/core/perpetuals/risk-terms.ts";

export interface DefenceProof {
  readonly term: RiskTerm;
  /** Taken away before and after. */
  readonly beside: readonly RiskTerm[];
  /** Name among the known attacks. */
  readonly attack: string;
  /** What the term is while it is there, if not its usual value: less than what a small market needs. */
  readonly held?: number;
}

const { indexMakers, indexWindowMs, indexMovePpm, bookDepth, depthSharePercent } = RiskTerm;
const { fundBacked, fundBandBps, marginFloorBps } = RiskTerm;

/** The share of depth leaves little to gain by itself: it is away wherever another term is proven. */
const rows: readonly DefenceProof[] = [
  { term: RiskTerm.indexDepth, beside: [], attack: "hunt BTC" },
  { term: indexMakers, beside: [], attack: "hunt BTC" },
  {
    term: indexWindowMs,
    beside: [fundBacked, fundBandBps, marginFloorBps],
    attack: "quick shove BTC",
  },
  {
    term: indexMovePpm,
    beside: [indexMakers, indexWindowMs, fundBacked, fundBandBps],
    attack: "burst BTC",
  },
  {
    term: RiskTerm.indexJumpBps,
    beside: [indexMakers, indexWindowMs, indexMovePpm],
    attack: "spike BTC",
  },
  { term: RiskTerm.staleMs, beside: [fundBacked, marginFloorBps], attack: "stale edge BTC" },
  { term: bookDepth, beside: [fundBacked, marginFloorBps], attack: "edge BTC" },
  {
    term: RiskTerm.markBandBps,
    beside: [bookDepth, fundBacked, fundBandBps],
    attack: "mark drain BTC",
  },
  { term: fundBacked, beside: [marginFloorBps, RiskTerm.staleMs], attack: "freeze BTC" },
  { term: fundBandBps, beside: [fundBacked, marginFloorBps], attack: "shove up BTC" },
  { term: marginFloorBps, beside: [fundBacked, fundBandBps], attack: "shove up BTC" },
  {
    ...{ term: RiskTerm.openInterestMax, beside: [fundBacked, fundBandBps, marginFloorBps] },
    ...{ attack: "shove up BTC", held: 50_000 },
  },
  {
    ...{ term: depthSharePercent, beside: [fundBacked, fundBandBps, marginFloorBps] },
    ...{ attack: "shove up BTC", held: 100 },
  },
  {
    ...{ term: RiskTerm.fundLossPerHour, beside: [fundBacked, fundBandBps, marginFloorBps] },
    ...{ attack: "shove up BTC", held: 1 },
  },
];

export const defenceProofs: readonly DefenceProof[] = rows.map((row) =>
  row.term === depthSharePercent ? row : { ...row, beside: [...row.beside, depthSharePercent] },
);
