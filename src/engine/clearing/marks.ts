// The marks of perpetual markets, computed on ticks each interval of venue time and journaled when they
// changed. After a restart the stored mark is as old as the journal: what watches the mark hears of it
// again only when it has been computed afresh.

import { assert } from "../../core/assert.ts";
import { wordAt } from "../../core/cells.ts";
import { EventKind } from "../../core/events.ts";
import { IndexOrigin } from "../../core/index-price.ts";
import { isPerpetual, type Market } from "../../core/markets.ts";
import type { BestPrices } from "./best-prices.ts";
import { midOf } from "./mark-price.ts";
import { indexNow, markNow } from "./order-filters.ts";
import type { UnitWriter } from "./unit-writer.ts";
import type { VenueState } from "./venue-state.ts";

export interface MarksParts {
  readonly state: VenueState;
  readonly best: BestPrices;
  readonly writer: UnitWriter;
  readonly intervalUs: number;
  /** Told each mark that is new to whoever runs now. */
  readonly onMark: (market: number, mark: number) => void;
}

const unnumbered = { seq: 0, tsUs: 0, account: 0, isUnitEnd: true };

export class Marks {
  readonly #parts: MarksParts;
  /** Number of the interval that was last computed; −1 before the first. */
  #interval = -1;

  constructor(parts: MarksParts) {
    this.#parts = parts;
  }

  /** Computes all marks if an interval has begun since the last time; answers whether it has. */
  tick(atUs: number): boolean {
    const { state, intervalUs } = this.#parts;
    const interval = Math.floor(atUs / intervalUs);
    if (interval === this.#interval) return false;
    const isFirst = this.#interval < 0;
    this.#interval = interval;
    for (const market of state.table.markets) {
      if (!isPerpetual(market)) continue;
      this.#endReferences(market, atUs);
      this.#average(market, atUs);
      this.#mark(market, atUs, isFirst);
    }
    return true;
  }

  /** What a source said and nobody repeated is forgotten when its time is over. Spec RSK-18. */
  #endReferences({ id: market }: Market, atUs: number): void {
    const { state, writer } = this.#parts;
    for (const origin of Object.values(IndexOrigin)) {
      if (!state.references.hasRunOut(market, origin, atUs)) continue;
      const event = { kind: EventKind.referenceSet, market, origin, price: 0, untilUs: 0 };
      writer.standing({ ...unnumbered, ...event }, atUs);
    }
  }

  /** Takes a sample of the basis where index and both sides of the book are there. Spec RSK-20. */
  #average(market: Market, atUs: number): void {
    const { state, best, writer, intervalUs } = this.#parts;
    const index = indexNow(state, best, market);
    const mid = midOf(wordAt(best.bid, market.id), wordAt(best.ask, market.id));
    if (index === 0 || mid === 0) return;
    assert(index > 0 && mid > 0, "prices are ticks above 0");
    const { average, isKnown } = state.basis;
    const basis = state.basis.withSample(market.id, mid - index, intervalUs);
    if (isKnown[market.id] === 1 && basis === average[market.id]) return;
    const event = { kind: EventKind.basisAveraged, market: market.id, basis };
    writer.standing({ ...unnumbered, ...event }, atUs);
  }

  #mark(market: Market, atUs: number, isFirst: boolean): void {
    const { state, best, writer, onMark } = this.#parts;
    const { id } = market;
    const index = indexNow(state, best, market);
    const mark = markNow(state, best, market);
    const isNew = mark !== state.mark[id];
    if (isNew || index !== state.index[id]) {
      const event = { kind: EventKind.marked, market: id, mark, index };
      writer.standing({ ...unnumbered, ...event }, atUs);
    }
    if (isNew || isFirst) onMark(id, mark);
  }
}
