// Recently closed orders in a front's memory; the oldest are dropped first. They answer queries until SQL has their
// final state, and they list the orders that a mass cancel cancelled. Older orders are read from SQL.

import { assert } from "../../../core/assert.ts";
import { closedOrdersKept } from "../../../core/limits.ts";
import { orderIdOfDerived } from "../../../core/orders.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";

/**
 * A map that drops old entries in two generations: when the young generation is full it becomes the old one, and all
 * entries of the previous old generation are dropped at once. Deleting the oldest entries of a large Map one by one
 * would be slow, because each search for the oldest entry walks over all deleted entries.
 */
export class RecentMap<K, V> {
  readonly #kept: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /** Keeps at least the latest `kept` entries and at most twice that number. */
  constructor(kept: number) {
    assert(kept > 0, "the number of entries to keep must be positive");
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

/** Recently closed orders, by id and by client id. */
export class ClosedOrders {
  readonly #byId = new RecentMap<number, OrderRecord>(closedOrdersKept);
  readonly #byClientId = new RecentMap<string, OrderRecord>(closedOrdersKept);

  /** Stores the final state of an order. */
  add(order: OrderRecord): void {
    this.#byId.set(order.orderId, order);
    // A client id that the venue assigned contains the order id, so it needs no index.
    if (orderIdOfDerived(order.clientId) > 0) return;
    this.#byClientId.set(clientKey(order.account, order.clientId), order);
  }

  find(orderId: number): OrderRecord | undefined {
    return this.#byId.get(orderId);
  }

  /** The account's most recently closed order with that client id. */
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
 * Records which orders were cancelled while mass cancels of an account await their answers, because clearing's reply
 * states only how many orders were cancelled. Few accounts are watched at a time. The watch of an account ends when its
 * last mass cancel is answered.
 */
export class CancelWatch {
  readonly #watched = new Map<number, WatchedAccount>();

  /** Starts recording cancels of the account, until `end`. Called once for each mass cancel sent. */
  begin(account: number): void {
    const watched = this.#watched.get(account) ?? { massCancels: 0, seen: [] };
    watched.massCancels++;
    this.#watched.set(account, watched);
  }

  /** Records an order cancelled by the event `seq`, if its account is watched. */
  add(seq: number, order: OrderRecord): void {
    this.#watched.get(order.account)?.seen.push({ seq, order });
  }

  /**
   * Ends the watch of one mass cancel. Returns the last `count` orders of the account in the market that were cancelled
   * up to `lastSeq`.
   */
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
