// The unit of events of one placed order: acceptance, every fill, and a close if the remainder
// does not rest. Written when the matcher has answered, so an order that was refused by the
// matcher leaves no trace, and order ids are gapless in journal order.

import { assert } from "../../core/assert.ts";
import { numberAt, wordAt } from "../../core/cells.ts";
import type { PlaceOrder } from "../../core/commands.ts";
import { EventKind, type OrderAccepted, type OrderClosed, type Traded } from "../../core/events.ts";
import { MarketKind } from "../../core/markets.ts";
import { MatchOutcome } from "../../core/match-messages.ts";
import { CloseReason } from "../../core/orders.ts";
import type { OrderTerms } from "./admission.ts";
import { openingLots } from "./closing-lots.ts";
import type { FillBuffer } from "./fill-buffer.ts";
import { decideFill } from "./fill-decision.ts";
import type { UnitWriter } from "./unit-writer.ts";
import type { VenueState } from "./venue-state.ts";

/**
 * Why the remainder closes after this outcome of placing; null when it rests or nothing remains.
 * Asserts an outcome that placing can have.
 */
export function closeReasonOf(outcome: MatchOutcome, remaining: number): CloseReason | null {
  switch (outcome) {
    case MatchOutcome.rested:
      assert(remaining > 0, "what rests has something left");
      return null;
    case MatchOutcome.filled:
      assert(remaining === 0, "a filled order has nothing left");
      return null;
    case MatchOutcome.unfilled:
      return CloseReason.unfilled;
    case MatchOutcome.fillOrKill:
      return CloseReason.fillOrKill;
    case MatchOutcome.matchesPerOrderMax:
      return CloseReason.matchesPerOrderMax;
    default:
      assert(outcome === MatchOutcome.ownSkipsMax, "placing ends in a known way");
      return CloseReason.ownSkipsMax;
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
  write(
    slot: number,
    order: PlaceOrder,
    terms: OrderTerms,
    fills: FillBuffer,
    reason: CloseReason | null,
  ): number {
    const orderId = this.#state.nextOrderId;
    this.#accept(slot, order, terms, fills.count === 0 && reason === null);
    for (let at = 0; at < fills.count; at++) {
      const isLast = at === fills.count - 1 && reason === null;
      this.#trade(orderId, order, fills, at, isLast);
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
    this.#writer.closed(event, atUs);
  }

  #accept(slot: number, order: PlaceOrder, terms: OrderTerms, isUnitEnd: boolean): void {
    const event = this.#accepted;
    const isPerpetual = this.#state.table.market(order.market).kind === MarketKind.perpetual;
    event.orderId = this.#state.nextOrderId;
    event.account = order.account;
    event.market = order.market;
    event.side = order.side;
    event.type = order.type;
    event.timeInForce = order.timeInForce;
    event.price = terms.price;
    event.qty = order.qty;
    event.marginPrice = terms.marginPrice;
    // Not those of the terms: the position may have changed while the order was with its matcher.
    event.marginLots = isPerpetual ? openingLots(this.#state, order, 0) : 0;
    event.isReduceOnly = order.isReduceOnly;
    event.stpMode = order.stpMode;
    event.clientId = order.clientId;
    this.#writer.accepted(event, slot, order.atUs, isUnitEnd);
  }

  #trade(
    orderId: number,
    order: PlaceOrder,
    fills: FillBuffer,
    at: number,
    isUnitEnd: boolean,
  ): void {
    const event = this.#traded;
    const makerSlot = wordAt(fills.makerSlots, at);
    const orders = this.#state.orders;
    event.tradeId = this.#state.nextTradeId;
    event.account = order.account;
    event.market = order.market;
    event.takerSide = order.side;
    event.takerOrderId = orderId;
    event.makerOrderId = numberAt(orders.orderId, makerSlot);
    event.makerAccount = wordAt(orders.account, makerSlot);
    event.price = wordAt(fills.prices, at);
    event.qty = numberAt(fills.qtys, at);
    assert(orders.slotOf(event.makerOrderId) === makerSlot, "the matched order is open");
    decideFill(this.#state, this.#state.table.market(order.market), event);
    this.#writer.traded(event, order.atUs, isUnitEnd);
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
    isReduceOnly: false,
    stpMode: 0,
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
