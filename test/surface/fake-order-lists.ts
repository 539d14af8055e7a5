// Order lists that a fake history has seen.

import type { OrderListAccepted } from "../../src/core/generated/events.ts";
import { derivedListClientId, hasWorkingOrder, legCountOf } from "../../src/core/order-lists.ts";
import type { OrderListQuery, OrderListRecord } from "../../src/ports/journal/history-store.ts";

export class FakeOrderLists {
  readonly #lists: {
    readonly account: number;
    /** Empty if the client chose none. */
    readonly chosenId: string;
    readonly row: OrderListRecord;
  }[] = [];

  accept(event: OrderListAccepted): void {
    const { account, listId, market, listType: type, tsUs: acceptedUs } = event;
    const { listClientId: chosenId } = event;
    const clientId = chosenId || derivedListClientId(listId);
    this.#lists.push({ account, chosenId, row: { listId, market, type, clientId, acceptedUs } });
  }

  /** The list of an order that is being accepted, and whether the order waits for its working order. */
  of(orderId: number): { listId: number; isPending: boolean } {
    const newest = this.#lists.at(-1)?.row;
    const place = newest === undefined ? -1 : orderId - newest.listId;
    if (newest === undefined || place >= legCountOf(newest.type)) {
      return { listId: 0, isPending: false };
    }
    return { listId: newest.listId, isPending: hasWorkingOrder(newest.type) && place > 0 };
  }

  select(query: OrderListQuery): OrderListRecord[] {
    const { account, fromListId, startUs, endUs, clientId, limit } = query;
    const found = this.#lists
      .filter((list) => list.account === account)
      .filter(({ chosenId }) => clientId === null || chosenId === clientId)
      .map(({ row }) => row)
      .filter(({ listId }) => fromListId === null || listId >= fromListId)
      .filter(({ acceptedUs }) => startUs === null || acceptedUs >= startUs)
      .filter(({ acceptedUs }) => endUs === null || acceptedUs < endUs);
    const isFromOldest = fromListId !== null || startUs !== null;
    return isFromOldest ? found.slice(0, limit) : found.slice(-limit);
  }
}
