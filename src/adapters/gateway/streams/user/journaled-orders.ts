// Tells the events of an account's spot orders again, from the journal: the same updates as those that a front made when it
// folded the events, without the state of the venue. Each order begins with its acceptance and changes by its own events.
// What it had filled before the range is its final record less the fills in the range. Lists are left out. Spec FIX-28.

import { present } from "../../../../core/assert.ts";
import {
  EventKind,
  type MatchPrevented,
  type OrderClosed,
  type OrderReleased,
  type Traded,
  type VenueEvent,
} from "../../../../core/generated/events.ts";
import { MarketKind, orderValue } from "../../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../../core/money/amounts.ts";
import { CloseReason, isConditional, OrderStatus, statusOfClose } from "../../../../core/orders.ts";
import type { OrderChange } from "../../../../engine/state/apply/order-changes.ts";
import type { AcceptedOrder } from "../../../../engine/state/apply/order-posting.ts";
import { isAmendment } from "../../../../engine/state/apply/order-posting.ts";
import type { VenueState } from "../../../../engine/state/venue-state.ts";
import type { OrderRecord } from "../../../../ports/journal/history-store.ts";
import { type KnownOrders, updateOf } from "./user-recorder.ts";
import type { OrderUpdate } from "./user-update.ts";

export interface JournaledRange {
  readonly account: number;
  /** Exclusive. */
  readonly afterSeq: number;
  /** The events of the account's spot orders in the range, ascending. */
  readonly events: readonly VenueEvent[];
  /** Earlier events of the same orders, and the matches that self-trade prevention stopped, ascending. */
  readonly origins: readonly VenueEvent[];
  /** Each of the orders after the last event of the range, or closed. */
  readonly finals: ReadonlyMap<number, OrderRecord>;
}

type ChangeEvent = OrderChange | OrderReleased | OrderClosed;

/** The account's side of an event: its order; null for an event of others or of no order. */
export function ownOrderOf(event: VenueEvent, account: number): number | null {
  if (event.kind === EventKind.traded) {
    if (event.account === account) return event.takerOrderId;
    return event.makerAccount === account ? event.makerOrderId : null;
  }
  return (isAcceptance(event) || isChange(event)) && event.account === account
    ? event.orderId
    : null;
}

export function isAcceptance(event: VenueEvent): event is AcceptedOrder {
  return (
    event.kind === EventKind.orderAccepted ||
    event.kind === EventKind.specialAccepted ||
    event.kind === EventKind.icebergAccepted
  );
}

function isChange(event: VenueEvent): event is ChangeEvent {
  return (
    event.kind === EventKind.orderTriggered ||
    isAmendment(event) ||
    event.kind === EventKind.orderReduced ||
    event.kind === EventKind.orderReleased ||
    event.kind === EventKind.orderClosed
  );
}

/** One event told again. */
export interface ToldUpdate {
  readonly seq: number;
  readonly update: OrderUpdate;
}

/** The updates of a range, ascending. */
export function* toldUpdates(range: JournaledRange, state: VenueState): Generator<ToldUpdate> {
  const { account, afterSeq } = range;
  const orders = new JournaledOrders(range, state);
  const all = [...range.origins, ...range.events].sort((a, b) => a.seq - b.seq);
  for (const event of all) {
    orders.fold(event);
    const orderId = ownOrderOf(event, account);
    if (event.seq <= afterSeq || orderId === null) continue;
    const isMaker = event.kind === EventKind.traded && event.account !== account;
    const target = { account, surface: MarketKind.spot, isMaker, seq: 0 };
    const update = updateOf(event, target, orders);
    if (update?.kind === "order") yield { seq: event.seq, update };
  }
}

class JournaledOrders implements KnownOrders {
  readonly state: VenueState;
  prevented: MatchPrevented | null = null;
  readonly #range: JournaledRange;
  readonly #orders = new Map<number, OrderRecord>();
  /** What each order fills in the range: lots, and value in minor units of the quote. */
  readonly #fills = new Map<number, { qty: number; quote: bigint }>();
  /** Orders that waited for the working order of their list until an event of the range. */
  readonly #released = new Set<number>();

  constructor(range: JournaledRange, state: VenueState) {
    this.#range = range;
    this.state = state;
    for (const event of range.events) this.#look(event);
  }

  order(account: number, orderId: number): OrderRecord | undefined {
    const order = this.#orders.get(orderId);
    return order?.account === account ? order : undefined;
  }

  list(): undefined {
    return undefined;
  }

  listedOrders(): OrderRecord[] {
    return [];
  }

  fold(event: VenueEvent): void {
    if (event.kind === EventKind.matchPrevented) this.prevented = event;
    const orderId = ownOrderOf(event, this.#range.account);
    if (orderId === null) return;
    if (isAcceptance(event)) this.#accept(event);
    else if (event.kind === EventKind.traded) this.#fill(orderId, event);
    else if (isChange(event)) this.#change(orderId, event);
  }

  #look(event: VenueEvent): void {
    const orderId = ownOrderOf(event, this.#range.account);
    if (orderId === null) return;
    if (event.kind === EventKind.traded) {
      const { qty, quote } = this.#fills.get(orderId) ?? { qty: 0, quote: 0n };
      const value = this.#valueOf(event);
      this.#fills.set(orderId, { qty: qty + event.qty, quote: quote + value });
    } else if (event.kind === EventKind.orderReleased) this.#released.add(orderId);
    else if (event.kind === EventKind.orderTriggered) {
      // An order that does not wait for a price is triggered by the working order of its list.
      if (!isConditional(this.#finalOf(orderId).type)) this.#released.add(orderId);
    }
  }

  #finalOf(orderId: number): OrderRecord {
    return present(this.#range.finals.get(orderId), "the record of a journaled order");
  }

  #valueOf({ market, price, qty }: Traded): bigint {
    return orderValue(this.state.table.market(market), asPriceTicks(price), asQtyLots(qty));
  }

  #accept(event: AcceptedOrder): void {
    const { orderId, price, seq, type, tsUs } = event;
    const final = this.#finalOf(orderId);
    const { qty: filled, quote } = this.#fills.get(orderId) ?? { qty: 0, quote: 0n };
    const isPending = final.isPending || this.#released.has(orderId);
    // An order that was released before the range may have got its lots only then, and no index finds that event. Nothing
    // changes them before the trigger.
    const wasReleased = final.listId > 0 && isConditional(type) && !isPending;
    this.#orders.set(orderId, {
      ...final,
      ...{ price, isPending, updatedUs: tsUs, triggeredUs: 0, isRefused: false },
      qty: wasReleased && seq <= this.#range.afterSeq ? final.qty : event.qty,
      status: OrderStatus.open,
      filledQty: final.filledQty - filled,
      filledQuote: final.filledQuote - quote,
    });
  }

  #fill(orderId: number, event: Traded): void {
    const order = this.#known(orderId);
    const filledQty = order.filledQty + event.qty;
    this.#orders.set(orderId, {
      ...order,
      filledQty,
      filledQuote: order.filledQuote + this.#valueOf(event),
      status: filledQty === order.qty ? OrderStatus.filled : OrderStatus.open,
      updatedUs: event.tsUs,
    });
  }

  #change(orderId: number, event: ChangeEvent): void {
    const order = { ...this.#known(orderId), updatedUs: event.tsUs };
    switch (event.kind) {
      case EventKind.orderTriggered: {
        const { price, qty, tsUs: triggeredUs } = event;
        this.#orders.set(orderId, { ...order, price, qty, triggeredUs, isPending: false });
        break;
      }
      case EventKind.orderAmended:
      case EventKind.quoteAmended:
        this.#orders.set(orderId, { ...order, price: event.price, qty: event.qty });
        break;
      case EventKind.orderReduced:
        this.#orders.set(orderId, { ...order, qty: order.qty - event.qty });
        break;
      case EventKind.orderReleased:
        this.#orders.set(orderId, { ...order, qty: event.qty, isPending: false });
        break;
      case EventKind.orderClosed: {
        const status = statusOfClose(event.reason);
        const isRefused = event.reason === CloseReason.triggerRefused;
        this.#orders.set(orderId, { ...order, status, isRefused });
        break;
      }
    }
  }

  #known(orderId: number): OrderRecord {
    return present(this.#orders.get(orderId), "the acceptance of a journaled order");
  }
}
