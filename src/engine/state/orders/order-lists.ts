// The open order lists. A list has only its terms here, and what its working order has bought for the pending ones; which
// of its orders are open follows from the order table, because the orders of a list have consecutive ids from the list's
// own on.

import { assert } from "../../../core/assert.ts";
import {
  derivedListClientId,
  hasPair,
  hasWorkingOrder,
  legCountOf,
  type OrderListType,
} from "../../../core/order-lists.ts";

/** An order list as it was accepted. */
export interface OrderList {
  /** The id of the list's first order. */
  readonly listId: number;
  readonly account: number;
  readonly market: number;
  readonly type: OrderListType;
  /** The client's id, or the one that the venue derived. */
  readonly clientId: string;
  /** If the working order pays for the pending ones: the lots that it has bought so far; else 0. */
  boughtLots: number;
  /** Minor units of the base asset that the pending orders hold of them until they become active. */
  proceeds: bigint;
}

/** The ids of the list's orders, in order. */
export function legIdsOf({ listId, type }: OrderList): number[] {
  return Array.from({ length: legCountOf(type) }, (_, place) => listId + place);
}

/** Whether the order waits for the list's working order. */
export function isPendingLeg({ listId, type }: OrderList, orderId: number): boolean {
  return hasWorkingOrder(type) && orderId > listId;
}

/** The order that cancels `orderId` and is cancelled by it; 0 if there is none. */
export function partnerOf({ listId, type }: OrderList, orderId: number): number {
  if (!hasPair(type)) return 0;
  const last = listId + legCountOf(type) - 1;
  if (orderId === last) return last - 1;
  return orderId === last - 1 ? last : 0;
}

/** Whether the order is the last one of a pair. It holds what either order of the pair can cost. */
export function isLastOfPair(list: OrderList, orderId: number): boolean {
  return partnerOf(list, orderId) === orderId - 1;
}

function clientKey(account: number, clientId: string): string {
  return `${account} ${clientId}`;
}

/** Most orders before an order in its list. */
const placeMax = 2;

export class OrderLists {
  /** By id, in ascending order. */
  readonly #byId = new Map<number, OrderList>();
  readonly #byClientId = new Map<string, OrderList>();
  /** Id of the list that opened last. */
  #newest = 0;

  /** Number of open lists. */
  get count(): number {
    return this.#byId.size;
  }

  /** Adds a list; an empty client id is derived. Asserts that the account has no open list with this client id. */
  open(terms: OrderList): void {
    const clientId = terms.clientId || derivedListClientId(terms.listId);
    const list = { ...terms, clientId };
    const key = clientKey(list.account, clientId);
    assert(!this.#byClientId.has(key), "the client id of an open list must be unique");
    assert(list.listId > this.#newest, "lists must open in the order of their ids");
    this.#newest = list.listId;
    this.#byId.set(list.listId, list);
    this.#byClientId.set(key, list);
  }

  /** Removes a list, all of whose orders have closed. */
  close({ listId, account, clientId }: OrderList): void {
    const wasOpen = this.#byId.delete(listId);
    assert(wasOpen, "a list that closes must be open");
    this.#byClientId.delete(clientKey(account, clientId));
  }

  /** The open list that contains the order; undefined if there is none. */
  of(orderId: number): OrderList | undefined {
    for (let place = 0; place <= placeMax; place++) {
      const list = this.#byId.get(orderId - place);
      if (list !== undefined) return place < legCountOf(list.type) ? list : undefined;
    }
    return undefined;
  }

  byId(listId: number): OrderList | undefined {
    return this.#byId.get(listId);
  }

  byClientId(account: number, clientId: string): OrderList | undefined {
    return this.#byClientId.get(clientKey(account, clientId));
  }

  /** All open lists, by ascending id. */
  all(): IterableIterator<OrderList> {
    return this.#byId.values();
  }
}
