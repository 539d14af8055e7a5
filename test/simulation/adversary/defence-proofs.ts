// Lists for each risk term an attack that profits once the term is removed. Defences overlap on purpose. Where one term
// alone does not decide, the other terms that stop the same attack are removed in both runs; the attack must still gain
// nothing while the term is present.

import { RiskTerm } from "../../../src/core/perpetuals/risk-terms.ts";

export interface DefenceProof {
  readonly term: RiskTerm;
  /** Other risk terms that are removed in both runs. */
  readonly beside: readonly RiskTerm[];
  readonly attack: string;
  /** Value of the risk term while it is present, if not the usual one: a value smaller than a small market needs. */
  readonly held?: number;
}

const { indexMakers, indexWindowMs, indexMovePpm, bookDepth, depthSharePercent } = RiskTerm;
const { fundBacked, fundBandBps, marginFloorBps } = RiskTerm;

/**
 * The proof of every other term also removes the share of depth, because that term alone already leaves little to gain.
 */
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
