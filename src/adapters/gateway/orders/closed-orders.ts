// Orders that closed lately, findable by id and by client id, oldest forgotten first. They bridge
// the time until SQL has the final state; whoever is not here is asked for there.

import { closedOrdersKept } from "../../../core/limits.ts";
import { orderIdOfDerived } from "../../../core/orders.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";
import { RecentMap } from "./recent-map.ts";

function clientKey(account: number, clientId: string): string {
  return `${account} ${clientId}`;
}

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
