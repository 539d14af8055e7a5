// With which terms of risk a venue is attacked: its usual ones, or without some of its defences. A term of 0
// takes its defence away, so no engine of another kind is needed to show what an attack would bring there.

import { isPerpetual } from "../../../src/core/markets.ts";
import { type RiskTerm, riskTermRows } from "../../../src/core/perpetuals/risk-terms.ts";
import type { VenueState } from "../../../src/engine/state/venue-state.ts";

/** Terms that differ from the venue's usual ones. */
export type TermChanges = readonly (readonly [term: RiskTerm, value: number])[];

/** How a venue differs from one that nobody changed. */
export interface Defences {
  readonly terms: TermChanges;
  /** Whether positions open where there has never been an index. */
  readonly opensWithoutIndex: boolean;
}

export const allDefences: Defences = { terms: [], opensWithoutIndex: false };

/** No defence at all: the index is the middle of the touch, the mark is what trades and quotes make of it. */
export const noDefence: Defences = {
  terms: riskTermRows.map(({ term }) => [term, 0]),
  opensWithoutIndex: true,
};

/** All defences but some terms. */
export function without(terms: readonly RiskTerm[]): Defences {
  return { ...allDefences, terms: terms.map((term) => [term, 0]) };
}

/** Sets the terms of every perpetual of a new state. */
export function setTerms({ riskTerms, table }: VenueState, changes: TermChanges): void {
  for (const { id } of table.markets.filter(isPerpetual))
    for (const [term, value] of changes) riskTerms.set(id, term, value);
}
