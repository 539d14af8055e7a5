// Applies events about prices that are not trades: marks, reference prices, the average basis, the index and
// its terms.

import { assert, unreachable } from "../../../core/assert.ts";
import {
  type BasisAveraged,
  EventKind,
  type IndexMeasured,
  type Marked,
  type ReferenceSet,
  type RiskTermSet,
} from "../../../core/generated/events.ts";
import { isPerpetual } from "../../../core/markets.ts";
import { WorkingPrice } from "../../../core/orders.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";
import type { VenueState } from "../venue-state.ts";

type PriceEvent = Marked | ReferenceSet | BasisAveraged | IndexMeasured | RiskTermSet;

export function applyPrice(state: VenueState, event: PriceEvent): void {
  const market = state.table.market(event.market);
  assert(isPerpetual(market), "a market with a mark price must be a perpetual");
  switch (event.kind) {
    case EventKind.marked:
      state.mark[market.id] = event.mark;
      state.index[market.id] = event.index;
      state.trailing.follow(market.id, WorkingPrice.mark, event.mark);
      break;
    case EventKind.referenceSet:
      state.references.set(market.id, event.origin, event.price, event.untilUs);
      break;
    case EventKind.basisAveraged:
      assert(
        Number.isSafeInteger(event.basis),
        "the average basis must be a whole number of parts of a tick",
      );
      state.basis.average[market.id] = event.basis;
      state.basis.isKnown[market.id] = 1;
      break;
    case EventKind.indexMeasured:
      state.indexes.set(event);
      break;
    case EventKind.riskTermSet:
      assert(event.value >= 0, "the value of a term must be a non-negative whole number");
      state.riskTerms.set(market.id, event.term, event.value);
      if (event.term === RiskTerm.fundLossPerHour) state.fundHours.forget(market.id);
      break;
    default:
      unreachable(event);
  }
}
