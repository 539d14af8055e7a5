// The public liquidation stream: positions that the venue closed, either by an order that traded or by moving the
// position to another account. As on Binance, only the newest liquidation of each second and market is published. It
// goes to the market's stream and to the stream of all markets. When the insurance fund later sells a position it took
// over, the sale is not published, because the takeover already was. Spec STR-32.

import { EventKind, type VenueEvent } from "../../../../core/generated/events.ts";
import { autoclosePrefix } from "../../../../core/liquidation.ts";
import { fundAccount } from "../../../../engine/clearing/perpetuals/insurance-fund.ts";
import type { OrderRecord } from "../../../../ports/journal/history-store.ts";
import { orderOfMove } from "../../orders/moved-position.ts";
import type { ReadModel } from "../../read-model.ts";
import type { LiveStream, StreamTopics } from "../stream-topics.ts";
import { forceOrderText } from "./market-texts.ts";

/** An order that closed a position, and the lots of its last fill. */
interface ForcedClose {
  readonly order: OrderRecord;
  readonly lastQty: number;
}

export class ForceOrderFeed {
  readonly #model: ReadModel;
  readonly #topics: StreamTopics;
  /** Streams that have listeners, by the id of their market; null for the stream of all markets. */
  readonly #live = new Map<number | null, LiveStream>();
  /** The newest unpublished liquidation of each market. */
  readonly #newest = new Map<number, ForcedClose>();
  /** The liquidation order of the current transaction; 0 if the transaction has none. */
  #orderId = 0;
  #account = 0;
  #lastQty = 0;

  constructor(model: ReadModel, topics: StreamTopics) {
    this.#model = model;
    this.#topics = topics;
  }

  get isLive(): boolean {
    return this.#live.size > 0;
  }

  begin(stream: LiveStream): void {
    this.#live.set(stream.market?.id ?? null, stream);
  }

  end(stream: LiveStream): void {
    this.#live.delete(stream.market?.id ?? null);
    if (this.isLive) return;
    this.#newest.clear();
    this.#orderId = 0;
  }

  /** Records an event that the read model has just folded. The event object may be reused afterwards. */
  fold(event: VenueEvent): void {
    if (!this.isLive) return;
    if (event.kind === EventKind.orderAccepted) {
      const isForced = event.clientId.startsWith(autoclosePrefix) && event.account !== fundAccount;
      if (isForced) this.#begin(event);
    } else if (event.kind === EventKind.traded) {
      if (event.takerOrderId === this.#orderId) this.#lastQty = event.qty;
    } else if (event.kind === EventKind.positionMoved && event.account !== fundAccount) {
      const order = orderOfMove({ ...event, isTaken: false });
      this.#newest.set(event.market, { order, lastQty: order.qty });
    }
    if (event.isTransactionEnd && this.#orderId !== 0) this.#finish();
  }

  /** Publishes the newest liquidation of each market. */
  publish(nowMs: number): void {
    for (const [market, { order, lastQty }] of this.#newest) {
      const text = forceOrderText(this.#model.state.table.market(market), order, lastQty, nowMs);
      for (const key of [market, null]) {
        const stream = this.#live.get(key);
        if (stream !== undefined) this.#topics.publish(stream, text);
      }
    }
    this.#newest.clear();
  }

  #begin({ orderId, account }: { orderId: number; account: number }): void {
    this.#orderId = orderId;
    this.#account = account;
    this.#lastQty = 0;
  }

  /** Called when the transaction of a liquidation order has ended: queues the order for publication if it traded. */
  #finish(): void {
    const order = this.#model.order(this.#account, this.#orderId);
    this.#orderId = 0;
    if (order === undefined || this.#lastQty === 0) return;
    this.#newest.set(order.market, { order, lastQty: this.#lastQty });
  }
}
