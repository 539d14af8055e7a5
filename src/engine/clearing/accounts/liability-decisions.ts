// The decision about statements of liabilities, which only the venue's main thread makes.

import { CommandKind, type StateLiabilities } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { NonOrderEvent } from "../../state/apply/apply.ts";
import type { VenueState } from "../../state/venue-state.ts";

export const liabilityDecisions = { [CommandKind.stateLiabilities]: decideStatement } as const;

/** A statement must be about entries that are in the journal. Spec LIA-2. */
function decideStatement(
  state: VenueState,
  { epoch, statedSeq, ...command }: StateLiabilities,
): RejectReason | NonOrderEvent {
  const isKnown = statedSeq >= 0 && statedSeq <= state.seq;
  if (!(epoch >= 0 && isKnown)) return RejectReason.amountNotPositive;
  const { digestFirst, digestSecond, digestThird, digestFourth } = command;
  const digest = { digestFirst, digestSecond, digestThird, digestFourth };
  const numbers = { seq: 0, tsUs: 0, account: 0, isTransactionEnd: true };
  return { ...numbers, kind: EventKind.liabilitiesStated, epoch, statedSeq, ...digest };
}
