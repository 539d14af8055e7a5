// Facts that are folded from the journal's bytes. The venue's own apply function builds the whole state from them, and
// asserts that seqs are gapless and that every event fits the state. The independent clearing auditor checks price-time
// priority, fees, holds and conservation. For each order, its fills and the events that ended it are recorded. A later
// read continues where the last one stopped.

import type { PostgresConnectionOptions } from "../../src/adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { present } from "../../src/core/assert.ts";
import {
  EventKind,
  type OrderClosed,
  type Traded,
  type VenueEvent,
} from "../../src/core/generated/events.ts";
import { derivedClientId, isQuoteClientId } from "../../src/core/orders.ts";
import { apply } from "../../src/engine/state/apply/apply.ts";
import type { AcceptedOrder } from "../../src/engine/state/apply/order-posting.ts";
import { isAmendment } from "../../src/engine/state/apply/order-posting.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import { decodeEventBytes } from "../../src/wire/records/event-bytes.ts";
import { ClearingAuditor } from "../model/clearing-auditor.ts";
import { testMarkets } from "../support/machine/test-markets.ts";

export interface OrderFacts {
  readonly accepted: AcceptedOrder;
  /** The order's price in ticks; a mass quote changes it, and so may a trigger. */
  price: number;
  /** The order's total quantity in lots; amendments and self-trade prevention reduce it, and a mass quote sets it. */
  qty: number;
  /** Filled quantity in lots. */
  filledQty: number;
  /** Time of the order's last event, in microseconds. */
  lastUs: number;
  /** Every event that ended the order other than a full fill; more than one is a fault. */
  readonly closed: OrderClosed[];
}

/**
 * Maximum time in microseconds from a command to its event: large, because the venue's process may be suspended in
 * between.
 */
const stampSlackUs = 120_000_000;

const silentLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export class JournalFacts {
  readonly state = new VenueState(testMarkets);
  readonly orders = new Map<number, OrderFacts>();
  readonly trades = new Map<number, Traded>();
  /**
   * Order ids by `account/client id`. Two ids under one key are a duplicate, because the clients never reuse a
   * client id.
   */
  readonly byClientId = new Map<string, number[]>();
  readonly faults: string[] = [];
  /** Number of statements of liabilities. */
  statements = 0;
  /** Null after the first fault, because later findings could be consequences of it. */
  #auditor: ClearingAuditor | null = new ClearingAuditor(testMarkets, stampSlackUs);

  /** Folds the events that were committed since the last call. */
  async readOn(connection: PostgresConnectionOptions): Promise<void> {
    const store = new PostgresEventStore({ connection, log: silentLog, isStopping: () => true });
    try {
      await store.readEvents(this.state.seq, null, ({ bytes, count, offsets, lengths }) => {
        for (let i = 0; i < count; i++) {
          this.take(decodeEventBytes(bytes, offsets[i] ?? 0, lengths[i] ?? 0));
        }
      });
    } finally {
      await store.close();
    }
  }

  take(event: VenueEvent): void {
    apply(this.state, event);
    this.#audit(event);
    if (event.kind === EventKind.liabilitiesStated) this.statements++;
    if (
      event.kind === EventKind.orderAccepted ||
      event.kind === EventKind.specialAccepted ||
      event.kind === EventKind.icebergAccepted
    )
      this.#takeAccepted(event);
    else if (isAmendment(event)) {
      this.#resize(event.orderId, event.qty, event);
      present(this.orders.get(event.orderId), "the acceptance of an amended order").price =
        event.price;
    } else if (event.kind === EventKind.orderReleased) this.#activate(event.orderId, event.qty);
    else if (event.kind === EventKind.orderTriggered) {
      this.#activate(event.orderId, event.qty).price = event.price;
    } else if (event.kind === EventKind.orderReduced) {
      const { qty = 0 } = this.orders.get(event.orderId) ?? {};
      this.#resize(event.orderId, qty - event.qty, event);
    } else if (event.kind === EventKind.traded) this.#takeTraded(event);
    else if (event.kind === EventKind.orderClosed) {
      const order = present(this.orders.get(event.orderId), "the acceptance of a closed order");
      order.closed.push(event);
      order.lastUs = event.tsUs;
    }
  }

  /** Returns the ids of all orders that `account` placed under `clientId`. */
  idsOf(account: number, clientId: string): readonly number[] {
    return this.byClientId.get(`${account}/${clientId}`) ?? [];
  }

  #audit(event: VenueEvent): void {
    try {
      this.#auditor?.take(event);
    } catch (error) {
      this.#auditor = null;
      this.faults.push(`entry ${event.seq}: ${error instanceof Error ? error.message : error}`);
    }
  }

  #resize(orderId: number, qty: number, { tsUs }: VenueEvent): void {
    const order = present(this.orders.get(orderId), "the acceptance of a changed order");
    const isFree = isQuoteClientId(order.accepted.clientId);
    const isAllowed = (isFree || qty < order.qty) && qty >= order.filledQty;
    if (!isAllowed) this.faults.push(`order ${orderId}: quantity ${order.qty} became ${qty}`);
    order.qty = qty;
    order.lastUs = tsUs;
  }

  /** Notes the quantity of an order that became active: its own, if it was accepted with one. */
  #activate(orderId: number, qty: number): OrderFacts {
    const order = present(this.orders.get(orderId), "the acceptance of a triggered order");
    if (order.qty > 0 && qty !== order.qty)
      this.faults.push(`order ${orderId}: became active with ${qty} of ${order.qty}`);
    order.qty = qty;
    return order;
  }

  #takeAccepted(event: AcceptedOrder): void {
    if (this.orders.has(event.orderId)) this.faults.push(`order ${event.orderId} accepted twice`);
    this.orders.set(event.orderId, {
      accepted: event,
      price: event.price,
      qty: event.qty,
      filledQty: 0,
      lastUs: event.tsUs,
      closed: [],
    });
    const clientId = event.clientId === "" ? derivedClientId(event.orderId) : event.clientId;
    const name = `${event.account}/${clientId}`;
    this.byClientId.set(name, [...(this.byClientId.get(name) ?? []), event.orderId]);
  }

  #takeTraded(event: Traded): void {
    if (this.trades.has(event.tradeId))
      this.faults.push(`trade ${event.tradeId} is in the journal twice`);
    this.trades.set(event.tradeId, event);
    for (const orderId of [event.takerOrderId, event.makerOrderId]) {
      const order = present(this.orders.get(orderId), "the acceptance of a traded order");
      order.filledQty += event.qty;
      order.lastUs = event.tsUs;
      if (order.filledQty > order.qty) this.faults.push(`order ${orderId} is overfilled`);
    }
  }
}
