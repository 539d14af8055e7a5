// Best prices by market as matchers last reported them, 0 where a side is empty. They follow from
// the open orders, so they are neither journaled nor hashed; recovery derives them again.

import { byteAt, wordAt } from "../../../core/cells.ts";
import { Side } from "../../../core/orders.ts";
import type { OrderTable } from "../../state/orders/order-table.ts";

export class BestPrices {
  readonly bid: Int32Array;
  readonly ask: Int32Array;

  constructor(marketCount: number) {
    this.bid = new Int32Array(marketCount);
    this.ask = new Int32Array(marketCount);
  }

  /** Takes over what a matcher reported. */
  set(market: number, bid: number, ask: number): void {
    this.bid[market] = bid;
    this.ask[market] = ask;
  }

  /** The best price an order of `side` could trade at, or 0. */
  opposite(market: number, side: Side): number {
    return wordAt(side === Side.buy ? this.ask : this.bid, market);
  }

  /** Derives all best prices from the open orders. */
  derive(orders: OrderTable): void {
    this.bid.fill(0);
    this.ask.fill(0);
    for (const slot of orders.openSlots()) {
      if (!orders.isOnBook(slot)) continue;
      const market = byteAt(orders.market, slot);
      const price = wordAt(orders.price, slot);
      if (orders.side[slot] === Side.buy) {
        this.bid[market] = Math.max(wordAt(this.bid, market), price);
      } else {
        const ask = wordAt(this.ask, market);
        this.ask[market] = ask === 0 ? price : Math.min(ask, price);
      }
    }
  }
}
