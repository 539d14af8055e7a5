// How events about prices that nobody traded at change the state: marks, references from outside, and the
// average basis.

import { assert, unreachable } from "../../core/assert.ts";
import {
  type BasisAveraged,
  EventKind,
  type Marked,
  type ReferenceSet,
} from "../../core/events.ts";
import { isPerpetual } from "../../core/markets.ts";
import { WorkingPrice } from "../../core/orders.ts";
import type { VenueState } from "./venue-state.ts";

export function applyPrice(state: VenueState, event: Marked | ReferenceSet | BasisAveraged): void {
  const market = state.table.market(event.market);
  assert(isPerpetual(market), "perpetuals have marks");
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
      assert(Number.isSafeInteger(event.basis), "an average basis is whole parts of a tick");
      state.basis.average[market.id] = event.basis;
      state.basis.isKnown[market.id] = 1;
      break;
    default:
      unreachable(event);
  }
}
