// Risk terms of each perpetual: the operator's settings, else the venue's defaults. Only settings are state, so a new
// version with better defaults takes effect.

import { assert, byteAt, numberAt } from "../../../core/assert.ts";
import {
  type RiskTerm,
  type RiskTermValue,
  riskTermCount,
  riskTermRows,
} from "../../../core/perpetuals/risk-terms.ts";

export class RiskTerms {
  /** The operator's value at index market × number of terms + term; valid if `isSet` is 1 at that index. */
  readonly value: Float64Array;
  readonly isSet: Uint8Array;

  constructor(marketCount: number) {
    this.value = new Float64Array(marketCount * riskTermCount);
    this.isSet = new Uint8Array(marketCount * riskTermCount);
    assert(
      riskTermRows.every(({ term }, index) => term === index),
      "the row of a risk term must be at the index of its code",
    );
  }

  /** The term in its unit; 0 if it is switched off. */
  of(market: number, term: RiskTerm): number {
    const index = market * riskTermCount + term;
    assert(term >= 0 && term < riskTermCount, "the risk term must be in the table");
    if (byteAt(this.isSet, index) === 1) return numberAt(this.value, index);
    return riskTermRows[term]?.usual ?? 0;
  }

  set(market: number, term: RiskTerm, value: number): void {
    assert(
      Number.isSafeInteger(value) && value >= 0,
      "the value of a term must be a non-negative whole number",
    );
    const index = market * riskTermCount + term;
    this.value[index] = value;
    this.isSet[index] = 1;
  }

  /** The settings of the first markets, by market and code. */
  capture(marketCount: number): RiskTermValue[] {
    const set: RiskTermValue[] = [];
    for (let market = 0; market < marketCount; market++) {
      for (const { term } of riskTermRows) {
        const index = market * riskTermCount + term;
        if (byteAt(this.isSet, index) === 1) {
          set.push({ market, term, value: numberAt(this.value, index) });
        }
      }
    }
    return set;
  }
}

/** Whether an operator may set the term to `value`: 0, or within its range. */
export function isRiskTermValue(term: RiskTerm, value: number): boolean {
  const row = riskTermRows[term];
  if (row === undefined || !Number.isSafeInteger(value)) return false;
  return value === 0 || (value >= row.least && value <= row.most);
}
