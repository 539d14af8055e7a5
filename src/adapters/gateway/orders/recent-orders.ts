// Orders that left lately, as a front remembers them, oldest forgotten first. They bridge the time until SQL has
// their final state, and say what a mass cancel cancelled; what is not here is asked for in SQL.

import { assert } from "../../../core/assert.ts";
import { closedOrdersKept } from "../../../core/limits.ts";
import { orderIdOfDerived } from "../../../core/orders.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";

/**
 * A map that forgets what is old, in two generations: when the young one is full it becomes the old one, whose
 * entries go together. Deleting the oldest entry of a large Map one by one walks over all that were deleted before.
 */
export class RecentMap<K, V> {
  readonly #kept: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /** Keeps the latest `kept` entries at least, twice as many at most. */
  constructor(kept: number) {
    assert(kept > 0, "something is kept");
    this.#kept = kept;
  }

  get(key: K): V | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: K, value: V): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#kept) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}

function clientKey(account: number, clientId: string): string {
  return `${account} ${clientId}`;
}

/** Orders that closed lately, by id and by client id. */
export class ClosedOrders {
  readonly #byId = new RecentMap<number, OrderRecord>(closedOrdersKept);
  readonly #byClientId = new RecentMap<string, OrderRecord>(closedOrdersKept);

  /** Remembers a final state. */
  add(order: OrderRecord): void {
    this.#byId.set(order.orderId, order);
    // An id the venue made says which order it is.
    if (orderIdOfDerived(order.clientId) > 0) return;
    this.#byClientId.set(clientKey(order.account, order.clientId), order);
  }

  find(orderId: number): OrderRecord | undefined {
    return this.#byId.get(orderId);
  }

  /** The account's latest order that closed with that client id. */
  findByClientId(account: number, clientId: string): OrderRecord | undefined {
    const derivedFrom = orderIdOfDerived(clientId);
    if (derivedFrom === 0) return this.#byClientId.get(clientKey(account, clientId));
    const order = this.find(derivedFrom);
    return order?.account === account && order.clientId === clientId ? order : undefined;
  }
}

interface WatchedAccount {
  massCancels: number;
  readonly seen: { readonly seq: number; readonly order: OrderRecord }[];
}

/**
 * Which orders left while mass cancels of an account are being answered: clearing's reply gives their number only.
 * Watched accounts are few, and the notes end with the last answer.
 */
export class CancelWatch {
  readonly #watched = new Map<number, WatchedAccount>();

  /** Notes cancels of the account until `end`, once for each mass cancel sent. */
  begin(account: number): void {
    const watched = this.#watched.get(account) ?? { massCancels: 0, seen: [] };
    watched.massCancels++;
    this.#watched.set(account, watched);
  }

  /** Notes a cancelled order that the event `seq` closed, if its account is watched. */
  add(seq: number, order: OrderRecord): void {
    this.#watched.get(order.account)?.seen.push({ seq, order });
  }

  /** Ends a watch; answers the last `count` cancels of the account in the market up to `lastSeq`. */
  end(
    account: number,
    market: number,
    { count, lastSeq }: { count: number; lastSeq: number },
  ): OrderRecord[] {
    const watched = this.#watched.get(account);
    if (watched === undefined) return [];
    watched.massCancels--;
    if (watched.massCancels === 0) this.#watched.delete(account);
    if (count === 0) return [];
    const meant = watched.seen.filter(
      ({ seq, order }) => seq <= lastSeq && order.market === market,
    );
    return meant.slice(-count).map(({ order }) => order);
  }
}
