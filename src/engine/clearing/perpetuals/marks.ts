// Index and mark of perpetual markets, computed on ticks once per interval of venue time and journaled when they
// change. After a restart the stored mark may be old, so observers of marks are notified only after the mark has been
// recomputed.
//
//   outside price, or depth of the own spot market ──▶ index ─┬─ median, within the band ──▶ mark
//                    the book's own depth: middle, last trade ─┘

import { assert, numberAt, wordAt } from "../../../core/assert.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { isPerpetual, type Market } from "../../../core/markets.ts";
import { basisParts, IndexOrigin, type IndexState } from "../../../core/perpetuals/index-price.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";
import { markOf, midOf, withinBand } from "../../risk/mark-price.ts";
import { measuredIndex, outsideIndex, unmeasuredIndex } from "../../state/tables/index-levels.ts";
import type { VenueState } from "../../state/venue-state.ts";
import { DepthMeter } from "../matchers/depth-meter.ts";
import type { BestPrices } from "../matchers/matcher-lanes.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";
import type { OpenInterest } from "./open-interest.ts";

export interface MarksParts {
  readonly state: VenueState;
  readonly best: BestPrices;
  readonly writer: TransactionWriter;
  readonly intervalUs: number;
  readonly interest: OpenInterest;
  /** Called with each mark that changed, and with each mark of the first computation after a start. */
  readonly onMark: (market: number, mark: number) => void;
}

/** What the perpetual's own book contributes to its mark, in ticks; 0 for none. */
interface BookSays {
  readonly middle: number;
  readonly last: number;
}

const unnumbered = { seq: 0, tsUs: 0, account: 0, isTransactionEnd: true };
const nothing: BookSays = { middle: 0, last: 0 };

export class Marks {
  readonly #parts: MarksParts;
  readonly #meter: DepthMeter;
  /** The last interval computed; −1 before the first. */
  #interval = -1;

  constructor(parts: MarksParts) {
    this.#parts = parts;
    this.#meter = new DepthMeter(parts.state, parts.best);
  }

  /** The start of the next interval. */
  get nextUs(): number {
    return (this.#interval + 1) * this.#parts.intervalUs;
  }

  /** Computes all marks if a new interval has started; returns whether it has. */
  tick(atUs: number): boolean {
    const { state, intervalUs, interest } = this.#parts;
    const interval = Math.floor(atUs / intervalUs);
    if (interval === this.#interval) return false;
    const isFirst = this.#interval < 0;
    this.#interval = interval;
    const perpetuals = state.table.markets.filter(isPerpetual);
    for (const market of perpetuals) this.#endReferences(market, atUs);
    this.#meter.measure();
    for (const market of perpetuals) {
      this.#measureIndex(market, atUs);
      const index = state.indexes.ticks(market.id);
      const says = this.#bookSays(market, index);
      this.#average(market, index, says.middle, atUs);
      this.#mark(market, index, says, { atUs, isFirst });
      interest.measure(
        market,
        this.#meter.backing(market, numberAt(state.indexes.level, market.id)),
      );
    }
    return true;
  }

  /** Ends the reference prices of the market that were not renewed in time. Spec RSK-18. */
  #endReferences({ id: market }: Market, atUs: number): void {
    const { state, writer } = this.#parts;
    for (const origin of Object.values(IndexOrigin)) {
      if (!state.references.hasRunOut(market, origin, atUs)) continue;
      const event = { kind: EventKind.referenceSet, market, origin, price: 0, untilUs: 0 };
      writer.nonOrder({ ...unnumbered, ...event }, atUs);
    }
  }

  #measureIndex(market: Market, atUs: number): void {
    const { state, writer } = this.#parts;
    const before = state.indexes.of(market.id);
    const next = this.#nextIndex(market, before);
    if (next === null || isSame(before, next)) return;
    const event = { kind: EventKind.indexMeasured, market: market.id, ...next };
    writer.nonOrder({ ...unnumbered, ...event }, atUs);
  }

  /** The next state of the market's index; null if the market has never had an index. Spec RSK-17. */
  #nextIndex(market: Market, known: IndexState): IndexState | null {
    const { state, intervalUs } = this.#parts;
    const { id } = market;
    const reference = state.references.best(id);
    if (reference > 0) return outsideIndex(reference * basisParts);
    // Old journals have no events with an index level. The level then continues from the index stored with the mark.
    const stored = numberAt(state.index, id) * basisParts;
    const before = known.level > 0 || stored === 0 ? known : outsideIndex(stored);
    const price = this.#meter.indexPrice(market);
    if (price === 0) return before.level === 0 ? null : unmeasuredIndex(before);
    const term = (code: RiskTerm) => state.riskTerms.of(id, code);
    return measuredIndex(before, price, {
      windowMs: term(RiskTerm.indexWindowMs),
      movePpm: term(RiskTerm.indexMovePpm),
      jumpBps: term(RiskTerm.indexJumpBps),
      intervalUs,
    });
  }

  /**
   * The book's middle price and last price, 0 if they do not count. If there is an index and the term `bookDepth` is
   * set, they count only if the book has that depth. The middle price is then between the average prices to fill the
   * depth on each side, and the last price is limited to the range between them. Spec RSK-28.
   */
  #bookSays(market: Market, index: number): BookSays {
    const { state, best } = this.#parts;
    const { id } = market;
    const last = numberAt(state.lastPrice, id);
    if (index === 0 || state.riskTerms.of(id, RiskTerm.bookDepth) === 0) {
      return { middle: midOf(wordAt(best.bid, id), wordAt(best.ask, id)), last };
    }
    const prices = this.#meter.bookPrices(market);
    if (prices === null) return nothing;
    const { bid, ask } = prices;
    assert(bid > 0 && bid <= ask, "the bid of a counted book must be positive and at most the ask");
    const counted = last === 0 ? 0 : Math.min(Math.max(last, bid), ask);
    return { middle: midOf(bid, ask), last: counted };
  }

  /** Adds a sample to the average basis if index and middle are known. Spec RSK-20. */
  #average({ id: market }: Market, index: number, middle: number, atUs: number): void {
    const { state, writer, intervalUs } = this.#parts;
    if (index === 0 || middle === 0) return;
    assert(index > 0 && middle > 0, "the prices must be positive");
    const { average, isKnown } = state.basis;
    const basis = state.basis.withSample(market, middle - index, intervalUs);
    if (isKnown[market] === 1 && basis === average[market]) return;
    const event = { kind: EventKind.basisAveraged, market, basis };
    writer.nonOrder({ ...unnumbered, ...event }, atUs);
  }

  #mark(
    { id }: Market,
    index: number,
    { middle, last }: BookSays,
    { atUs, isFirst }: { atUs: number; isFirst: boolean },
  ): void {
    const { state, writer, onMark } = this.#parts;
    assert(index >= 0 && last >= 0, "the prices must not be negative; 0 means no price");
    const smoothed = state.basis.smoothed(id, index, middle);
    const band = state.riskTerms.of(id, RiskTerm.markBandBps);
    const mark = withinBand(markOf(index, last, smoothed), index, band);
    const isNew = mark !== state.mark[id];
    if (isNew || index !== state.index[id]) {
      const event = { kind: EventKind.marked, market: id, mark, index };
      writer.nonOrder({ ...unnumbered, ...event }, atUs);
    }
    if (isNew || isFirst) onMark(id, mark);
  }
}

function isSame(one: IndexState, other: IndexState): boolean {
  return (
    one.level === other.level &&
    one.believed === other.believed &&
    one.leap === other.leap &&
    one.witnesses === other.witnesses &&
    one.isFresh === other.isFresh
  );
}
