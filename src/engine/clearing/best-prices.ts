// Best prices by market as matchers last reported them, 0 where a side is empty. They follow from
// the open orders, so they are neither journaled nor hashed; recovery derives them again.

import { Side } from "../../core/orders.ts";
import type { OrderTable } from "./order-table.ts";

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
    return (side === Side.buy ? this.ask[market] : this.bid[market]) ?? 0;
  }

  /** Derives all best prices from the open orders. */
  derive(orders: OrderTable): void {
    this.bid.fill(0);
    this.ask.fill(0);
    for (const slot of orders.openSlots()) {
      const market = orders.market[slot] ?? 0;
      const price = orders.price[slot] ?? 0;
      if (orders.side[slot] === Side.buy) {
        this.bid[market] = Math.max(this.bid[market] ?? 0, price);
      } else {
        const ask = this.ask[market] ?? 0;
        this.ask[market] = ask === 0 ? price : Math.min(ask, price);
      }
    }
  }
}
