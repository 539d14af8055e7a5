// The events of orders that SQL would have, in memory.

import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import type {
  OrderEventQuery,
  OrderEventReader,
  OrderOriginQuery,
} from "../../src/ports/journal/order-events.ts";

const { orderTriggered, orderAmended, quoteAmended, orderReduced } = EventKind;
const termKinds: readonly number[] = [orderTriggered, orderAmended, quoteAmended, orderReduced];
const acceptances: readonly number[] = [
  ...[EventKind.orderAccepted, EventKind.specialAccepted, EventKind.icebergAccepted],
];
const kinds: readonly number[] = [
  ...[...termKinds, ...acceptances, EventKind.traded, EventKind.orderReleased],
  EventKind.orderClosed,
];

export class FakeOrderEvents implements OrderEventReader {
  readonly #events: VenueEvent[] = [];
  /** If set, reads wait until it resolves. */
  gate: Promise<void> | null = null;
  reads = 0;

  fold(event: VenueEvent): void {
    this.#events.push({ ...event });
  }

  async orderEvents(query: OrderEventQuery): Promise<VenueEvent[] | null> {
    const { account, afterSeq, untilSeq, limit } = query;
    this.reads++;
    await this.gate;
    const own = this.#events.filter((event) => {
      const isOwn =
        event.account === account ||
        (event.kind === EventKind.traded && event.makerAccount === account);
      return isOwn && kinds.includes(event.kind) && event.seq > afterSeq && event.seq <= untilSeq;
    });
    return own.length > limit ? null : own;
  }

  async orderOrigins({ orderIds, olderIds, afterSeq, untilSeq }: OrderOriginQuery) {
    return this.#events.filter((event) => {
      if (event.kind === EventKind.matchPrevented) {
        const { takerOrderId, makerOrderId, seq } = event;
        return seq <= untilSeq && [takerOrderId, makerOrderId].some((id) => orderIds.includes(id));
      }
      const isTerm = [...termKinds, ...acceptances].includes(event.kind);
      return (
        isTerm && "orderId" in event && olderIds.includes(event.orderId) && event.seq <= afterSeq
      );
    });
  }
}
