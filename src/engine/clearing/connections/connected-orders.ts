// Order connections that cancel on disconnect: declares them, ends them, refuses the commands of those that have ended,
// and cancels their orders, one transaction each, a bounded number per step. What is still to be cancelled can be derived
// from the state, so a restart continues.
//
// The fronts of the leader before are gone with it. So a new leader ends their connections and cancels their orders
// before it takes any command. Connections of gateways outlive a leader. Spec COD-2 to COD-12.

import {
  connectionsMax,
  connectionsPerAccountMax,
  lostCancelsMax,
} from "../../../core/connection-limits.ts";
import type {
  EndConnection,
  OpenConnection,
  SignOfLife,
} from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { ownStepsMax } from "../../../core/limits.ts";
import { MatchLane } from "../../../core/match-messages.ts";
import { CloseReason } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { type OrderConnection, ownerOf } from "../../state/tables/order-connections.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MatcherLanes } from "../matchers/matcher-lanes.ts";
import type { MassCancels } from "../orders/mass-cancels.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";
import { ConnectionOwners } from "./connection-owners.ts";

/** Connections of silent owners that one tick ends. Each is a transaction; the journal's ring has room for all of them. */
const endsPerTickMax = 1024;

const unnumbered = { seq: 0, tsUs: 0, isTransactionEnd: true };

export interface ConnectedOrdersParts {
  readonly state: VenueState;
  readonly writer: TransactionWriter;
  readonly lanes: MatcherLanes;
  readonly massCancels: MassCancels;
}

export class ConnectedOrders {
  readonly #parts: ConnectedOrdersParts;
  readonly #owners: ConnectionOwners;
  /** Ids of orders to cancel, starting at #head. */
  #orderIds: number[] = [];
  #head = 0;
  /** Cancels sent and not answered. */
  #sent = 0;
  /** True while clearing must take no command, because orders that were lost before this leader are being cancelled. */
  isBeginning = false;
  /**
   * True while a gateway that served connections of the leader before has not been heard. Orders must wait: they could
   * trade with orders that are to be cancelled. Spec COD-14.
   */
  isAwaiting: boolean;
  readonly #cancelled = () => {
    this.#sent--;
    if (this.#sent === 0 && this.waiting === 0) this.isBeginning = false;
  };

  constructor(parts: ConnectedOrdersParts) {
    this.#parts = parts;
    const { connections } = parts.state;
    this.#owners = new ConnectionOwners(connections);
    this.isAwaiting = this.#owners.isAwaiting;
    for (const { orderId } of connections.bound()) {
      if (connections.isLost(orderId)) this.#orderIds.push(orderId);
    }
  }

  /** Orders not yet cancelled. */
  get waiting(): number {
    return this.#orderIds.length - this.#head;
  }

  /** The earliest time in µs at which a tick may have an effect. */
  get nextUs(): number {
    return this.#owners.nextUs;
  }

  /** Ends the connections of the fronts before this leader and cancels what is lost. Called once, before any command. */
  begin(): void {
    const { connections, tsUs } = this.#parts.state;
    for (const connection of [...connections.all()]) {
      if (connection.origin === 0) this.#end(connection, false, tsUs);
    }
    this.isBeginning = this.waiting > 0;
    const { massCancels } = this.#parts;
    while (this.waiting > 0 && this.#sent === 0 && massCancels.waiting === 0) this.pump(tsUs);
  }

  /** Refuses a command of a connection that is not open, or is not the account's; 0 is no connection. */
  check(connectionId: number, account: number): RejectReason {
    if (connectionId === 0) return RejectReason.none;
    const isOpen = this.#parts.state.connections.get(connectionId)?.account === account;
    return isOpen ? RejectReason.none : RejectReason.connectionEnded;
  }

  /** Declares a connection of a customer; answers with its number. */
  open(command: OpenConnection): void {
    const { state, writer } = this.#parts;
    const { account, keyId, source, atUs, identity = null } = command;
    const reason = this.#mayOpen(account);
    if (reason !== RejectReason.none) {
      writer.answer(command, reason, 0);
      return;
    }
    const connectionId = state.connections.issued + 1;
    const served =
      identity === null ? { origin: 0, front: source } : { origin: identity.origin, front: 0 };
    writer.records(identity, connectionId);
    const kind = EventKind.connectionOpened;
    writer.nonOrder({ ...unnumbered, kind, account, connectionId, ...served, keyId }, atUs);
    this.#owners.heard(ownerOf(served));
    writer.answer(command, RejectReason.none, connectionId);
  }

  /** Ends a connection of the sender. One that has ended already needs nothing. Answers with the orders to cancel. */
  end(command: EndConnection): void {
    const { state, writer } = this.#parts;
    const { connectionId, keepsOrders, atUs, identity = null } = command;
    const connection = state.connections.get(connectionId);
    if (connection === undefined || connection.origin !== (identity?.origin ?? 0)) {
      writer.answer(command, RejectReason.none, 0);
      return;
    }
    const orders = keepsOrders ? 0 : [...state.connections.ordersOf(connectionId)].length;
    writer.records(identity, orders);
    this.#end(connection, keepsOrders, atUs);
    this.isAwaiting = this.#owners.isAwaiting;
    writer.answer(command, RejectReason.none, orders);
  }

  hear(command: SignOfLife): void {
    this.#owners.heard(ownerOf(command));
    this.isAwaiting = this.#owners.isAwaiting;
  }

  /** Ends connections whose gateway or front has been silent for too long by the edge's time `edgeUs`. */
  tick(nowUs: number, edgeUs: number): void {
    this.isAwaiting = this.#owners.isAwaiting;
    if (this.#parts.state.connections.count === 0) return;
    let ends = 0;
    const lost = this.#owners.tick(edgeUs);
    this.isAwaiting = this.#owners.isAwaiting;
    for (const owner of lost) {
      for (const connection of [...this.#parts.state.connections.ofOwner(owner)]) {
        if (ends === endsPerTickMax) return;
        ends++;
        this.#end(connection, false, nowUs);
      }
    }
  }

  /** Called when an order of a connection starts to rest: the connection may have ended meanwhile. */
  rested(orderId: number): void {
    if (this.#parts.state.connections.isLost(orderId)) this.#orderIds.push(orderId);
  }

  /** Sends cancels of lost orders, a bounded number. Some credits stay free, so others trade meanwhile. */
  pump(atUs: number): void {
    if (this.#orderIds.length === 0) return;
    const { state, massCancels } = this.#parts;
    for (let steps = 0; steps < ownStepsMax && massCancels.waiting === 0; ) {
      if (this.#sent >= lostCancelsMax) return;
      const orderId = this.#orderIds[this.#head];
      if (orderId === undefined) {
        this.#orderIds = [];
        this.#head = 0;
        if (this.#sent === 0) this.isBeginning = false;
        return;
      }
      this.#head++;
      const slot = state.orders.slotOf(orderId);
      if (slot < 0) continue;
      steps++;
      this.#sent++;
      massCancels.cancelOne(slot, CloseReason.disconnected, atUs, this.#cancelled);
    }
  }

  #mayOpen(account: number): RejectReason {
    const { accounts, connections } = this.#parts.state;
    if (!accounts.isCustomer(account)) return RejectReason.unknownAccount;
    // Otherwise accounts that cost nothing could take all connections.
    if (!accounts.hasHadMoney(account)) return RejectReason.insufficientBalance;
    const isFull =
      connections.count >= connectionsMax ||
      connections.countOf(account) >= connectionsPerAccountMax;
    return isFull ? RejectReason.tooManyConnections : RejectReason.none;
  }

  #end({ connectionId, account }: OrderConnection, keepsOrders: boolean, atUs: number): void {
    const { state, writer } = this.#parts;
    const orders = [...state.connections.ordersOf(connectionId)];
    if (keepsOrders) this.#setFree(connectionId);
    else this.#orderIds.push(...orders);
    const kind = EventKind.connectionEnded;
    writer.nonOrder({ ...unnumbered, kind, account, connectionId, keepsOrders }, atUs);
  }

  /** Sets the orders of a connection free that are with their matchers, so that they are not bound when they rest. */
  #setFree(connectionId: number): void {
    const { state, lanes } = this.#parts;
    for (const { id } of state.table.markets) {
      const lane = lanes.lane(id, MatchLane.orders);
      for (let place = 0; place < lane.inFlight; place++) {
        const { order, list } = lane.at(place);
        for (const one of [order, ...(list?.legs ?? []).map((leg) => leg.order)]) {
          if (one.attached?.connection !== connectionId) continue;
          one.attached = { ...one.attached, connection: 0 };
        }
      }
    }
  }
}
