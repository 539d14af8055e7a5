// Lists for each risk term an attack that profits once the term is removed. Each attack runs twice: with the term and
// without it. Defences overlap on purpose, so both runs leave out the other terms that would stop the same attack. With
// the term, the attack must still gain nothing.

import { RiskTerm } from "../../../src/core/perpetuals/risk-terms.ts";

export interface DefenceProof {
  readonly term: RiskTerm;
  /** Other risk terms that are removed in both runs. */
  readonly beside: readonly RiskTerm[];
  readonly attack: string;
  /**
   * Value of the risk term in the run that has it, if not the usual one. It is stricter, because the attacked market is
   * small.
   */
  readonly held?: number;
}

const { indexMakers, indexWindowMs, indexMovePpm, bookDepth, depthSharePercent } = RiskTerm;
const { fundBacked, fundBandBps, marginFloorBps } = RiskTerm;

/** The proofs of all other terms also leave out `depthSharePercent`, because that term alone leaves little to gain. */
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
