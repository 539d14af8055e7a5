// Decisions about gateways: each incarnation of a gateway gets a number for its commands.

import { CommandKind, type RegisterOrigin } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { NonOrderEvent } from "../../state/apply/apply.ts";
import type { VenueState } from "../../state/venue-state.ts";

/** The function that decides each kind of command; it returns a refusal or the event to write. */
export const gatewayDecisions = { [CommandKind.registerOrigin]: decideOrigin } as const;

/** Gives the next number, unless the maximum of origins live. A name must not be empty. Spec CMD-4. */
function decideOrigin(
  { commandResults, tsUs }: VenueState,
  { name, atUs }: RegisterOrigin,
): RejectReason | NonOrderEvent {
  if (name === "") return RejectReason.unknownOrigin;
  // The earliest time the event can have.
  const nowUs = Math.max(tsUs + 1, atUs);
  if (!commandResults.hasRoom(name, nowUs)) return RejectReason.tooManyOrigins;
  const unnumbered = { seq: 0, tsUs: 0, account: 0, isTransactionEnd: true };
  const origin = commandResults.issued + 1;
  return { ...unnumbered, kind: EventKind.originRegistered, origin, name };
}
