// The marks of perpetual markets, computed on ticks each interval of venue time and journaled when they
// changed. After a restart the stored mark is as old as the journal: what watches the mark hears of it
// again only when it has been computed afresh.

import { EventKind } from "../../core/events.ts";
import { MarketKind } from "../../core/markets.ts";
import type { BestPrices } from "./best-prices.ts";
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
      if (market.kind === MarketKind.perpetual) this.#mark(market.id, atUs, isFirst);
    }
    return true;
  }

  #mark(id: number, atUs: number, isFirst: boolean): void {
    const { state, best, writer, onMark } = this.#parts;
    const market = state.table.market(id);
    const index = indexNow(state, best, market);
    const mark = markNow(state, best, market);
    const isNew = mark !== state.mark[id];
    if (isNew || index !== state.index[id]) {
      const event = { kind: EventKind.marked, market: id, mark, index };
      writer.standing({ ...event, seq: 0, tsUs: 0, account: 0, isUnitEnd: true }, atUs);
    }
    if (isNew || isFirst) onMark(id, mark);
  }
}
