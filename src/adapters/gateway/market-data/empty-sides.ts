// Since when the sides of each book are empty, for the operator's warnings. A market counts once it has traded or a
// designated maker has quoted in it, so that a new market does not alarm. What is learnt is kept in memory: after a
// restart the time begins anew. Spec OPS-115.

import { byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import { marketsMax } from "../../../core/limits.ts";
import { Side } from "../../../core/orders.ts";
import { emptySideSecondsMax } from "../../../ports/venue-problems.ts";
import type { MarketView, ReadModel } from "../read-model.ts";

/** Books are looked at this often in event time; a look costs little, but an event costs less. */
const lookUs = 1_000_000;

const sides = [Side.buy, Side.sell] as const;
/** What is said of a book by which of its sides are empty: bids, offers. */
const names = { bids: "no bids", offers: "no offers", both: "no orders" } as const;

export class EmptySides {
  readonly #model: Pick<ReadModel, "state" | "views">;
  /** Microseconds since which a side has been seen empty, by market and side; 0 for a side with orders. */
  readonly #sinceUs = new Float64Array(2 * marketsMax);
  /** By market: 1 once a designated maker has quoted there. */
  readonly #hasMaker = new Uint8Array(marketsMax);
  readonly #startSeq: number;
  #lookedUs = 0;

  constructor(model: Pick<ReadModel, "state" | "views">) {
    this.#model = model;
    this.#startSeq = model.state.seq;
    const { orders, accounts } = model.state;
    for (const slot of orders.openSlots()) {
      if (accounts.isDesignatedMaker(wordAt(orders.account, slot)))
        this.#hasMaker[byteAt(orders.market, slot)] = 1;
    }
  }

  /** Notes that a designated maker has quoted in the market. */
  noteMaker(market: number): void {
    this.#hasMaker[market] = 1;
  }

  /** Notes which sides are empty at `nowUs`, in event time. */
  look(nowUs: number): void {
    if (nowUs - this.#lookedUs < lookUs) return;
    this.#lookedUs = nowUs;
    for (const view of this.#model.views) for (const side of sides) this.#lookAt(view, side, nowUs);
  }

  /** Which sides of a market have been empty for too long: "no bids", "no offers" or "no orders"; null for none. */
  of(market: number, nowUs: number): string | null {
    this.look(nowUs);
    const isExpected =
      this.#hasMaker[market] === 1 || numberAt(this.#model.state.lastPrice, market) > 0;
    if (!isExpected) return null;
    const [noBids, noOffers] = sides.map((side) => {
      const sinceUs = numberAt(this.#sinceUs, 2 * market + side);
      return sinceUs > 0 && nowUs - sinceUs > 1_000_000 * emptySideSecondsMax;
    });
    if (noBids && noOffers) return names.both;
    if (noBids) return names.bids;
    return noOffers ? names.offers : null;
  }

  #lookAt({ market, depth, depthSeq, depthUs }: MarketView, side: Side, nowUs: number): void {
    const index = 2 * market.id + side;
    if (depth.best(side) > 0) this.#sinceUs[index] = 0;
    // The newest change of the book is the latest at which the side can have become empty.
    else if (this.#sinceUs[index] === 0)
      this.#sinceUs[index] = depthSeq > this.#startSeq ? depthUs : nowUs;
  }
}
