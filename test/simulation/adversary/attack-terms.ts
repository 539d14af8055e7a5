// The risk terms of an attacked venue: the usual ones, or the usual ones without some defences. A risk term of 0
// switches its defence off, so the same engine shows what an attack would gain without it.

import { isPerpetual } from "../../../src/core/markets.ts";
import { type RiskTerm, riskTermRows } from "../../../src/core/perpetuals/risk-terms.ts";
import type { VenueState } from "../../../src/engine/state/venue-state.ts";

/** Risk terms that differ from the usual ones, with their values. */
export type TermChanges = readonly (readonly [term: RiskTerm, value: number])[];

/** How the attacked venue differs from the usual one. */
export interface Defences {
  readonly terms: TermChanges;
  /** Whether positions may open before the first index. */
  readonly opensWithoutIndex: boolean;
}

export const allDefences: Defences = { terms: [], opensWithoutIndex: false };

/**
 * A venue without defences: the index is the middle of the best bid and ask, and only trades and quotes set the mark.
 */
export const noDefence: Defences = {
  terms: riskTermRows.map(({ term }) => [term, 0]),
  opensWithoutIndex: true,
};

/** Returns all defences except those of the given risk terms. */
export function without(terms: readonly RiskTerm[]): Defences {
  return { ...allDefences, terms: terms.map((term) => [term, 0]) };
}

/** Sets the risk terms of every perpetual in a new state. */
export function setTerms({ riskTerms, table }: VenueState, changes: TermChanges): void {
  for (const { id } of table.markets.filter(isPerpetual))
    for (const [term, value] of changes) riskTerms.set(id, term, value);
}
