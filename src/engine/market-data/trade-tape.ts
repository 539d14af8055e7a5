// The newest public trades of one market; the oldest are dropped first. Times are event times in microseconds; trades
// are neither aggregated nor linked to accounts.

import { assert } from "../../core/assert.ts";
import { tapeLength } from "../../core/limits.ts";
import type { Side } from "../../core/orders.ts";

/** One trade, in ticks and lots. */
export interface TapeTrade {
  readonly tradeId: number;
  readonly tsUs: number;
  /** The incoming order. Readers combine its trades at one price into one aggregate trade. */
  readonly takerOrderId: number;
  readonly price: number;
  readonly qty: number;
  /** Side of the incoming order. */
  readonly takerSide: Side;
}

export class TradeTape {
  readonly #trades: TapeTrade[] = [];
  #next = 0;

  /** Adds a trade newer than all others. */
  add(trade: TapeTrade): void {
    assert(
      trade.tradeId > (this.newest()?.tradeId ?? 0),
      "trades must arrive in the order of their ids",
    );
    this.#trades[this.#next] = trade;
    this.#next = (this.#next + 1) % tapeLength;
  }

  newest(): TapeTrade | undefined {
    return this.#trades[(this.#next + tapeLength - 1) % tapeLength];
  }

  /** Number of trades held; below `tapeLength` only until that many have been added. */
  get length(): number {
    return this.#trades.length;
  }

  /** The first trade at or after `tsUs`; undefined if there is none or if the tape may no longer have it. */
  since(tsUs: number): TapeTrade | undefined {
    const oldest = this.#trades[this.#trades.length < tapeLength ? 0 : this.#next];
    const reachesBack = this.#trades.length < tapeLength || (oldest?.tsUs ?? tsUs) < tsUs;
    return reachesBack ? this.latest(tapeLength).find((trade) => trade.tsUs >= tsUs) : undefined;
  }

  /** At most `limit` of the newest trades, oldest first. */
  latest(limit: number): TapeTrade[] {
    const count = Math.min(limit, this.#trades.length);
    const trades: TapeTrade[] = [];
    for (let back = count; back > 0; back--) {
      const trade = this.#trades[(this.#next - back + tapeLength) % tapeLength];
      assert(trade !== undefined, "the tape must hold as many trades as its length says");
      trades.push(trade);
    }
    return trades;
  }
}
