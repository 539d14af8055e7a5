// Steps of swaps, as they enter the journal. What a swap does is decided and done elsewhere; clearing
// gives each step its place among all events, once, by the number that settlement gave it.

import { assert } from "../../../core/assert.ts";
import type { RecordSwapMove } from "../../../core/generated/commands.ts";
import { EventKind, type SwapMoved } from "../../../core/generated/events.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { VenueState } from "../../state/venue-state.ts";

/** The event of a step; refused where the journal has it. Asserts that no step is left out. Spec RFQ-10. */
export function decideSwapMove(
  state: VenueState,
  command: RecordSwapMove,
): RejectReason | SwapMoved {
  const { account, moveNo, swapNo, market, side, from, to, reason } = command;
  const { price, lots, digestHigh, digestLow } = command;
  if (moveNo <= state.swapMoves) return RejectReason.swapMoveKnown;
  assert(moveNo === state.swapMoves + 1, "steps of swaps are gapless");
  state.table.market(market);
  return {
    ...{ seq: 0, tsUs: 0, isUnitEnd: true, kind: EventKind.swapMoved, account },
    ...{ moveNo, swapNo, market, side, from, to, reason, price, lots, digestHigh, digestLow },
  };
}
