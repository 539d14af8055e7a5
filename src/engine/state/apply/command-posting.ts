// Applies the events of gateways: a gateway gets a number, and a command of it is done.

import { unreachable } from "../../../core/assert.ts";
import {
  type CommandDone,
  EventKind,
  type OriginRegistered,
} from "../../../core/generated/events.ts";
import type { VenueState } from "../venue-state.ts";

export type GatewayEvent = OriginRegistered | CommandDone;

/** Applies the event; asserts that it fits the state. */
export function applyGateway({ commandResults }: VenueState, event: GatewayEvent): void {
  switch (event.kind) {
    case EventKind.originRegistered:
      commandResults.register(event.origin, event.name, event.tsUs);
      break;
    case EventKind.commandDone:
      commandResults.record(event, event, event.tsUs);
      break;
    default:
      unreachable(event);
  }
}
