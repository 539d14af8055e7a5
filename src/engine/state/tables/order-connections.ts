// Order connections that cancel on disconnect, and the orders that each has placed. A connection is open until it is lost
// or its client withdraws the declaration. Orders whose connection is not open are still to be cancelled: so a crash
// between the loss and the last cancel loses none of them, and an order that was with its matcher at the loss counts too.
//
//   opened ──order bound…──▶ ended ──▶ each bound order is cancelled
//                              └ keeps orders ──▶ the bound orders are bound no longer

import { assert, present } from "../../../core/assert.ts";

/** An open connection. */
export interface OrderConnection {
  readonly connectionId: number;
  /** The owner of its orders. */
  readonly account: number;
  /** The gateway that serves it; 0 for one of the venue's own fronts. */
  readonly origin: number;
  /** The command source of the venue's own front that serves it; 0 for a gateway. */
  readonly front: number;
  /** The key that logged on. */
  readonly keyId: number;
}

/** An order with the connection that placed it, as stored in snapshots. */
export interface BoundOrder {
  readonly orderId: number;
  readonly connectionId: number;
}

/** Who serves a connection, as one number: a gateway's origin, or a negative number for a front of the venue. */
export function ownerOf({ origin, front }: Pick<OrderConnection, "origin" | "front">): number {
  return origin > 0 ? origin : -1 - front;
}

export class OrderConnections {
  /** The number given last; 0 before the first. */
  issued = 0;
  /** By number, which rises. */
  readonly #open = new Map<number, OrderConnection>();
  readonly #openOf = new Map<number, number>();
  /** Open connections by who serves them. */
  readonly #byOwner = new Map<number, Set<number>>();
  /** Orders by connection, open or ended; an order joins with a higher id than those before it. */
  readonly #orders = new Map<number, Set<number>>();
  readonly #connectionOf = new Map<number, number>();

  /** Number of open connections. */
  get count(): number {
    return this.#open.size;
  }

  get(connectionId: number): OrderConnection | undefined {
    return this.#open.get(connectionId);
  }

  /** Open connections of an account. */
  countOf(account: number): number {
    return this.#openOf.get(account) ?? 0;
  }

  /** Open connections, oldest first. */
  all(): Iterable<OrderConnection> {
    return this.#open.values();
  }

  /** Those who serve open connections; see `ownerOf`. */
  owners(): Iterable<number> {
    return this.#byOwner.keys();
  }

  /** Whether it serves an open connection. */
  isOwner(owner: number): boolean {
    return this.#byOwner.has(owner);
  }

  /** Open connections that `owner` serves, oldest first. */
  *ofOwner(owner: number): Generator<OrderConnection> {
    for (const connectionId of this.#byOwner.get(owner) ?? []) {
      yield present(this.#open.get(connectionId), "an open connection");
    }
  }

  /** Opens a connection; asserts the next number. */
  open(row: OrderConnection): void {
    assert(row.connectionId === this.issued + 1, "connections must be numbered without a gap");
    this.issued = row.connectionId;
    this.restore(row);
  }

  /** Ends a connection; `keepsOrders` sets its orders free. Asserts that it is open. */
  end(connectionId: number, keepsOrders: boolean): void {
    const connection = present(this.#open.get(connectionId), "a connection that ends");
    const { account } = connection;
    this.#open.delete(connectionId);
    removeFrom(this.#byOwner, ownerOf(connection), connectionId);
    const left = this.countOf(account) - 1;
    if (left === 0) this.#openOf.delete(account);
    else this.#openOf.set(account, left);
    if (!keepsOrders) return;
    for (const orderId of this.ordersOf(connectionId)) this.#connectionOf.delete(orderId);
    this.#orders.delete(connectionId);
  }

  /** Binds a new order to a connection, which may have ended meanwhile; asserts that the connection existed. */
  bind(orderId: number, connectionId: number): void {
    assert(
      connectionId > 0 && connectionId <= this.issued,
      "the connection of an order must have been opened",
    );
    assert(!this.#connectionOf.has(orderId), "an order must be bound only once");
    this.#connectionOf.set(orderId, connectionId);
    addTo(this.#orders, connectionId, orderId);
  }

  /** Forgets an order that closed; does nothing if it is not bound. */
  forget(orderId: number): void {
    if (this.#connectionOf.size === 0) return;
    const connectionId = this.#connectionOf.get(orderId);
    if (connectionId === undefined) return;
    this.#connectionOf.delete(orderId);
    removeFrom(this.#orders, connectionId, orderId);
  }

  /** The open orders that the connection has placed, oldest first. */
  ordersOf(connectionId: number): Iterable<number> {
    return this.#orders.get(connectionId) ?? [];
  }

  /** Whether the order is bound to a connection that has ended, so that it must be cancelled. */
  isLost(orderId: number): boolean {
    const connectionId = this.#connectionOf.get(orderId);
    return connectionId !== undefined && !this.#open.has(connectionId);
  }

  /** Bound orders, by id. */
  bound(): BoundOrder[] {
    const rows = Array.from(this.#connectionOf, ([orderId, connectionId]) => {
      return { orderId, connectionId };
    });
    return rows.sort((one, other) => one.orderId - other.orderId);
  }

  /** Adds an open connection from a snapshot, in the order of `all`. */
  restore(row: OrderConnection): void {
    assert(!this.#open.has(row.connectionId), "a connection must be opened only once");
    this.#open.set(row.connectionId, { ...row });
    addTo(this.#byOwner, ownerOf(row), row.connectionId);
    this.#openOf.set(row.account, this.countOf(row.account) + 1);
  }
}

function addTo(sets: Map<number, Set<number>>, key: number, member: number): void {
  const members = sets.get(key);
  if (members === undefined) sets.set(key, new Set([member]));
  else members.add(member);
}

function removeFrom(sets: Map<number, Set<number>>, key: number, member: number): void {
  const members = present(sets.get(key), "a set that has the member");
  members.delete(member);
  if (members.size === 0) sets.delete(key);
}
