// Applies the events of order connections that cancel on disconnect.

import { assert, unreachable } from "../../../core/assert.ts";
import {
  type ConnectionEnded,
  type ConnectionOpened,
  EventKind,
  type OrderBound,
} from "../../../core/generated/events.ts";
import type { VenueState } from "../venue-state.ts";

export type ConnectionEvent = ConnectionOpened | ConnectionEnded | OrderBound;

/** Applies the event; asserts that it fits the state. */
export function applyConnection(state: VenueState, event: ConnectionEvent): void {
  const { connections } = state;
  switch (event.kind) {
    case EventKind.connectionOpened: {
      const { connectionId, account, origin, front, keyId } = event;
      assert(
        state.accounts.isCustomer(account),
        "the account of a connection must be a customer's",
      );
      connections.open({ connectionId, account, origin, front, keyId });
      break;
    }
    case EventKind.connectionEnded:
      connections.end(event.connectionId, event.keepsOrders);
      break;
    case EventKind.orderBound:
      assert(state.orders.slotOf(event.orderId) >= 0, "a bound order must be open");
      connections.bind(event.orderId, event.connectionId);
      break;
    default:
      unreachable(event);
  }
}
