// What the auditor knows of order connections that cancel on disconnect: which are open, and whose orders belong to them.

import assert from "node:assert/strict";
import {
  type ConnectionEnded,
  type ConnectionOpened,
  EventKind,
  type OrderBound,
  type OrderClosed,
} from "../../src/core/generated/events.ts";
import { CloseReason } from "../../src/core/orders.ts";
import type { TransactionSoFar } from "./audited-transaction.ts";

export class AuditedConnections {
  #issued = 0;
  /** Accounts of open connections, by number. */
  readonly #open = new Map<number, number>();
  /** Connections that have ended and keep no order. */
  readonly #lost = new Set<number>();
  readonly #connectionOf = new Map<number, number>();

  /** Judges the event in its transaction so far; `acceptedId` is the last accepted order's id. */
  take(
    event: ConnectionOpened | ConnectionEnded | OrderBound,
    current: TransactionSoFar,
    acceptedId: number,
  ): void {
    if (event.kind === EventKind.orderBound) {
      this.#bind(event, acceptedId);
      return;
    }
    assert.equal(current.events, 1, "a connection's event must be alone");
    current.isClosed = true;
    const { connectionId, account } = event;
    if (event.kind === EventKind.connectionOpened) {
      assert.equal(connectionId, this.#issued + 1, "connections must be numbered without a gap");
      this.#issued = connectionId;
      this.#open.set(connectionId, account);
      return;
    }
    assert.equal(this.#open.get(connectionId), account, "a connection must be open when it ends");
    this.#open.delete(connectionId);
    if (!event.keepsOrders) this.#lost.add(connectionId);
  }

  /** An order is bound right after its acceptance; its connection may have been lost meanwhile, but not let go. */
  #bind({ orderId, connectionId, account }: OrderBound, acceptedId: number): void {
    assert.equal(orderId, acceptedId, "an order must be bound after its own acceptance");
    const isKnown = this.#open.get(connectionId) === account || this.#lost.has(connectionId);
    assert(isKnown, "the connection of an order must be its account's, open or lost");
    this.#connectionOf.set(orderId, connectionId);
  }

  close({ orderId, reason }: OrderClosed): void {
    if (reason !== CloseReason.disconnected) return;
    const connectionId = this.#connectionOf.get(orderId) ?? 0;
    assert(this.#lost.has(connectionId), "only orders of a lost connection are cancelled with it");
  }
}
