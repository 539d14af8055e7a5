// The unit of events of one placed order: acceptance, every fill, and a close if the remainder
// does not rest. Written when the matcher has answered, so an order that was refused by the
// matcher leaves no trace, and order ids are gapless in journal order.

import { assert } from "../../core/assert.ts";
import { EventKind, type OrderAccepted, type OrderClosed, type Traded } from "../../core/events.ts";
import { MatchOutcome } from "../../core/match-messages.ts";
import { CloseReason } from "../../core/orders.ts";
import { decideFill } from "./fill-decision.ts";
import type { PendingPlace } from "./request-lane.ts";
import type { UnitWriter } from "./unit-writer.ts";
import type { VenueState } from "./venue-state.ts";

/** Fills of the request being answered, in order, as parallel columns that are reused. */
export class FillBuffer {
  readonly makerSlot: number[] = [];
  readonly price: number[] = [];
  readonly qty: number[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(makerSlot: number, price: number, qty: number): void {
    this.makerSlot[this.#count] = makerSlot;
    this.price[this.#count] = price;
    this.qty[this.#count] = qty;
    this.#count++;
  }

  clear(): void {
    this.#count = 0;
  }
}

/** Why the remainder closes after this outcome; null when it rests or nothing remains. */
export function closeReasonOf(outcome: MatchOutcome): CloseReason | null {
  switch (outcome) {
    case MatchOutcome.unfilled:
      return CloseReason.unfilled;
    case MatchOutcome.fillOrKill:
      return CloseReason.fillOrKill;
    case MatchOutcome.matchesPerOrderMax:
      return CloseReason.matchesPerOrderMax;
    case MatchOutcome.ownSkipsMax:
      return CloseReason.ownSkipsMax;
    default:
      return null;
  }
}

export class OrderUnit {
  readonly #state: VenueState;
  readonly #writer: UnitWriter;
  readonly #accepted: OrderAccepted = emptyAccepted();
  readonly #traded: Traded = emptyTraded();
  readonly #closed: OrderClosed = emptyClosed();

  constructor(state: VenueState, writer: UnitWriter) {
    this.#state = state;
    this.#writer = writer;
  }

  /** Writes the whole unit for the order in `slot`; answers the order's id. */
  write(slot: number, place: PendingPlace, fills: FillBuffer, reason: CloseReason | null): number {
    const { order } = place;
    const orderId = this.#state.nextOrderId;
    this.#accept(slot, place, fills.count === 0 && reason === null);
    for (let at = 0; at < fills.count; at++) {
      const isLast = at === fills.count - 1 && reason === null;
      this.#trade(orderId, place, fills, at, isLast);
    }
    if (reason !== null) {
      this.close({ orderId, account: order.account, market: order.market, reason }, order.atUs);
    }
    return orderId;
  }

  /** Writes the unit of an order that leaves the book. */
  close(
    order: { orderId: number; account: number; market: number; reason: CloseReason },
    atUs: number,
  ): void {
    const event = this.#closed;
    event.orderId = order.orderId;
    event.account = order.account;
    event.market = order.market;
    event.reason = order.reason;
    this.#writer.write(event, atUs, true);
  }

  #accept(slot: number, { order, terms }: PendingPlace, isUnitEnd: boolean): void {
    const event = this.#accepted;
    event.orderId = this.#state.nextOrderId;
    event.account = order.account;
    event.market = order.market;
    event.side = order.side;
    event.type = order.type;
    event.timeInForce = order.timeInForce;
    event.price = terms.price;
    event.qty = order.qty;
    event.marginPrice = terms.marginPrice;
    event.marginLots = terms.marginLots;
    event.clientId = order.clientId;
    this.#writer.write(event, order.atUs, isUnitEnd, slot);
  }

  #trade(
    orderId: number,
    { order }: PendingPlace,
    fills: FillBuffer,
    at: number,
    isUnitEnd: boolean,
  ): void {
    const event = this.#traded;
    const makerSlot = fills.makerSlot[at] ?? 0;
    const orders = this.#state.orders;
    event.tradeId = this.#state.nextTradeId;
    event.account = order.account;
    event.market = order.market;
    event.takerSide = order.side;
    event.takerOrderId = orderId;
    event.makerOrderId = orders.orderId[makerSlot] ?? 0;
    event.makerAccount = orders.account[makerSlot] ?? 0;
    event.price = fills.price[at] ?? 0;
    event.qty = fills.qty[at] ?? 0;
    assert(orders.slotOf(event.makerOrderId) === makerSlot, "the matched order is open");
    decideFill(this.#state, this.#state.table.market(order.market), event);
    this.#writer.write(event, order.atUs, isUnitEnd);
  }
}

const header = { seq: 0, tsUs: 0, account: 0, isUnitEnd: false };

function emptyAccepted(): OrderAccepted {
  return {
    ...header,
    kind: EventKind.orderAccepted,
    orderId: 0,
    market: 0,
    side: 0,
    type: 0,
    timeInForce: 0,
    price: 0,
    qty: 0,
    marginPrice: 0,
    marginLots: 0,
    clientId: "",
  };
}

function emptyTraded(): Traded {
  return {
    ...header,
    kind: EventKind.traded,
    tradeId: 0,
    market: 0,
    takerSide: 0,
    takerOrderId: 0,
    makerOrderId: 0,
    makerAccount: 0,
    price: 0,
    qty: 0,
    takerFee: 0n,
    makerFee: 0n,
    takerPnl: 0n,
    makerPnl: 0n,
  };
}

function emptyClosed(): OrderClosed {
  return { ...header, kind: EventKind.orderClosed, orderId: 0, market: 0, reason: 0 };
}
