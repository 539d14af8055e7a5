// Orders that closed lately, findable by id and by client id, oldest forgotten first. They bridge
// the time until SQL has the final state; whoever is not here is asked for there.

import { closedOrdersKept } from "../../core/limits.ts";
import type { OrderRecord } from "../../ports/history-store.ts";

function clientKey(account: number, clientId: string): string {
  return `${account} ${clientId}`;
}

export class ClosedOrders {
  readonly #byId = new Map<number, OrderRecord>();
  readonly #byClientId = new Map<string, number>();

  /** Remembers a final state, forgetting the oldest when full. */
  add(order: OrderRecord): void {
    this.#byId.set(order.orderId, order);
    this.#byClientId.set(clientKey(order.account, order.clientId), order.orderId);
    if (this.#byId.size > closedOrdersKept) this.#forgetOldest();
  }

  find(orderId: number): OrderRecord | undefined {
    return this.#byId.get(orderId);
  }

  /** The account's latest order that closed with that client id. */
  findByClientId(account: number, clientId: string): OrderRecord | undefined {
    const orderId = this.#byClientId.get(clientKey(account, clientId));
    return orderId === undefined ? undefined : this.#byId.get(orderId);
  }

  #forgetOldest(): void {
    for (const [orderId, { account, clientId }] of this.#byId) {
      this.#byId.delete(orderId);
      const key = clientKey(account, clientId);
      // A client id used again belongs to the newer order by now.
      if (this.#byClientId.get(key) === orderId) this.#byClientId.delete(key);
      return;
    }
  }
}
