// The auditor's prices, computed from events alone: last trades, external prices with their validity, and the
// average basis of each perpetual. From these and the books it checks each journaled mark and index.

import assert from "node:assert/strict";
import {
  type BasisAveraged,
  EventKind,
  type IndexMeasured,
  type Marked,
  type ReferenceSet,
  type VenueEvent,
} from "../../src/core/generated/events.ts";
import { type Market, MarketKind, type MarketTable } from "../../src/core/markets.ts";
import { Side } from "../../src/core/orders.ts";
import { RiskTerm } from "../../src/core/perpetuals/risk-terms.ts";
import type { AuditedOrder } from "./audited-book.ts";
import { AuditedDepth } from "./audited-depth.ts";

const parts = 1000n;
/**
 * How much later than its command an event's time may be, in microseconds. Event times only rise, but tests set the
 * clock back by up to this much.
 */
const shortSlackUs = 5_000_000;

interface Books {
  readonly bestPrice: (market: number, side: Side) => bigint;
  readonly resting: (market: number, side: Side) => readonly AuditedOrder[];
}

export class AuditedPrices {
  readonly #table: MarketTable;
  readonly #slackUs: number;
  readonly #bestPrice: (market: number, side: Side) => bigint;
  readonly #depth: AuditedDepth;
  /** Last index measurement of each market. */
  readonly #levels = new Map<number, IndexMeasured>();
  /** Current mark by market; a market without a mark has no entry. */
  readonly #marks = new Map<number, bigint>();
  /** All marks of each market in order, with the event's seq; 0n where the mark was removed. */
  readonly #marked = new Map<number, { readonly seq: number; readonly mark: bigint }[]>();
  readonly #last = new Map<number, bigint>();
  /** Valid external prices, by `market/origin`. */
  readonly #references = new Map<string, { price: bigint; untilUs: number }>();
  readonly #basis = new Map<number, bigint>();

  constructor(table: MarketTable, { bestPrice, resting }: Books, slackUs = shortSlackUs) {
    this.#depth = new AuditedDepth(resting);
    this.#slackUs = slackUs;
    this.#table = table;
    this.#bestPrice = bestPrice;
  }

  /** Returns the current mark in ticks; 0n if there is none. */
  markOf(market: number): bigint {
    return this.#marks.get(market) ?? 0n;
  }

  /** Returns the mark that was current at `seq` and all later marks; 0n where there was none. */
  marksSince(market: number, seq: number): bigint[] {
    const all = this.#marked.get(market) ?? [];
    const before = all.findLastIndex((one) => one.seq <= seq);
    return all.slice(Math.max(before, 0)).map(({ mark }) => mark);
  }

  /** Price of the last trade in ticks; 0n before the first. */
  lastOf(market: number): bigint {
    return this.#last.get(market) ?? 0n;
  }

  trade({ market, price }: { market: number; price: number }): void {
    this.#last.set(market, BigInt(price));
  }

  /**
   * Checks that a mark is the median of index, last trade and smoothed middle of the book, limited to the band around
   * the index. An unknown price is left out; if two prices are known, the mark is their mean.
   */
  mark(event: Marked): void {
    const market = this.#table.market(event.market);
    const index = this.#index(market.id);
    const { middle, last } = this.#book(market, event.tsUs);
    const known = [index, last, this.#smoothed(market, index, middle)].filter(
      (price) => price > 0n,
    );
    known.sort((a, b) => Number(a - b));
    const [lower = 0n, upper = lower, highest] = known;
    const median = highest === undefined ? (lower + upper) / 2n : upper;
    const mark = this.#withinBand(market.id, median, index);
    assert.equal(BigInt(event.index), index, "the mark event must have the current index");
    assert.equal(BigInt(event.mark), mark, "the mark must be the median of the prices that count");
    const marked = this.#marked.get(market.id) ?? [];
    marked.push({ seq: event.seq, mark });
    this.#marked.set(market.id, marked);
    if (mark === 0n) this.#marks.delete(market.id);
    else this.#marks.set(market.id, mark);
  }

  #withinBand(market: number, mark: bigint, index: bigint): bigint {
    const bps = BigInt(this.#depth.term(market, RiskTerm.markBandBps));
    if (mark === 0n || index === 0n || bps === 0n) return mark;
    const most = (index * (10_000n + bps)) / 10_000n;
    const least = (index * (10_000n - bps) + 9999n) / 10_000n;
    const low = least < 1n ? 1n : least;
    return mark > most ? most : mark < low ? low : mark;
  }

  /** Records designated makers and risk terms. */
  note(event: VenueEvent): void {
    this.#depth.note(event);
  }

  /** Checks index measurements, external prices and changes of the average basis; ignores other events. */
  judge(event: VenueEvent): void {
    if (event.kind === EventKind.indexMeasured) this.#measure(event);
    else if (event.kind === EventKind.referenceSet) this.#reference(event);
    else if (event.kind === EventKind.basisAveraged) this.#average(event);
  }

  #reference({ market, origin, price, untilUs, tsUs }: ReferenceSet): void {
    const { kind, priceTicksMax } = this.#table.market(market);
    assert(
      kind === MarketKind.perpetual && price >= 0 && price <= priceTicksMax,
      "a reference price must be valid and of a perpetual",
    );
    if (price > 0)
      assert(untilUs > tsUs - this.#slackUs, "a reference price must be valid until a later time");
    else assert.equal(untilUs, 0, "a removed reference price must have no end time");
    const key = `${market}/${origin}`;
    if (price === 0) this.#references.delete(key);
    else this.#references.set(key, { price: BigInt(price), untilUs });
  }

  /** Asserts that the average basis moves from its old value toward the current basis and not beyond it. */
  #average({ market: id, basis, tsUs }: BasisAveraged): void {
    const market = this.#table.market(id);
    const index = this.#index(id);
    const { middle } = this.#book(market, tsUs);
    assert(
      index > 0n && middle > 0n,
      "there must be an index and a middle when the average basis changes",
    );
    const sample = (middle - index) * parts;
    const before = this.#basis.get(id) ?? sample;
    const after = BigInt(basis);
    const isToward = before < sample ? after > before && after <= sample : after >= sample;
    assert(
      isToward && (before <= sample || after < before),
      "the average basis must move toward the current basis",
    );
    this.#basis.set(id, after);
  }

  /**
   * Checks an index. An external price becomes the index at once; measured depth moves it gradually; without either
   * the index keeps its value and becomes stale.
   */
  #measure(event: IndexMeasured): void {
    const market = this.#table.market(event.market);
    const before = this.#levels.get(market.id);
    this.#levels.set(market.id, { ...event });
    const [level, believed] = [BigInt(event.level), BigInt(event.believed)];
    const said = this.#said(market.id, event.tsUs);
    const measured = said > 0n ? said * parts : this.#measured(market);
    if (measured === 0n) {
      assert(
        before !== undefined && event.level === before.level,
        "without a measurement the last good index must stay",
      );
      assert(!event.isFresh && event.leap === 0, "without a measurement the index must be stale");
      return;
    }
    assert(event.isFresh, "a measured index must be fresh");
    if (said > 0n || before === undefined) {
      assert.equal(level, measured, "a first or an external price must be the index");
      return;
    }
    this.#leapt(market.id, before, event, measured);
    const from = BigInt(before.level);
    const way = level > from ? level - from : from - level;
    const ahead = believed > from ? believed - from : from - believed;
    assert(
      way <= ahead && (way === 0n || believed > from === level > from),
      "the index must move toward the accepted price",
    );
    const cap = (from * BigInt(this.#depth.term(market.id, RiskTerm.indexMovePpm))) / 1_000_000n;
    assert(
      cap === 0n || way <= cap || way === 1n,
      "the index must not move farther than one second allows",
    );
  }

  #leapt(market: number, before: IndexMeasured, event: IndexMeasured, measured: bigint): void {
    const bps = BigInt(this.#depth.term(market, RiskTerm.indexJumpBps));
    const isNear = (price: bigint, from: number) => {
      const way = price > BigInt(from) ? price - BigInt(from) : BigInt(from) - price;
      return way * 10_000n <= BigInt(from) * bps;
    };
    const isFirst = before.leap === 0 || !isNear(measured, before.leap);
    const witnesses = isFirst ? 1 : before.witnesses + 1;
    const isBelieved = bps === 0n || isNear(measured, before.believed) || witnesses === 3;
    assert.equal(
      BigInt(isBelieved ? event.believed : event.leap),
      measured,
      "the event must have the measured price",
    );
    assert.equal(
      event.witnesses,
      isBelieved ? 0 : witnesses,
      "a jump must count its repeated measurements",
    );
  }

  /**
   * Returns the index measured in the spot market: the middle between the average prices of filling a value on each
   * side, in thousandths of the perpetual's tick; 0n if the depth does not suffice.
   */
  #measured({ id, indexMarket, tickDecimals }: Market): bigint {
    if (indexMarket === null) return 0n;
    const spot = this.#table.market(indexMarket);
    const whole = this.#depth.term(id, RiskTerm.indexDepth);
    const isEverybodys = this.#depth.term(id, RiskTerm.indexMakers) === 0;
    const middle =
      whole === 0
        ? this.#touch(spot.id) * parts
        : uncrossed((side) => this.#depth.impactPrice(spot, side, { whole, isEverybodys }));
    const places = BigInt(tickDecimals - spot.tickDecimals);
    const price = places < 0n ? middle / 10n ** -places : middle * 10n ** places;
    return middle > 0n && price === 0n ? 1n : price;
  }

  /**
   * Returns middle and last trade of the perpetual's book as the mark uses them; 0n for a price that does not count.
   */
  #book(market: Market, atUs: number): { middle: bigint; last: bigint } {
    const { id } = market;
    const last = this.lastOf(id);
    const whole = this.#depth.term(id, RiskTerm.bookDepth);
    if (this.#index(id) === 0n || whole === 0) return { middle: this.#touch(id), last };
    const isEverybodys =
      this.#depth.term(id, RiskTerm.indexMakers) === 0 || this.#said(id, atUs) > 0n;
    const price = (side: Side) => this.#depth.impactPrice(market, side, { whole, isEverybodys });
    if (uncrossed(price) === 0n) return { middle: 0n, last: 0n };
    const bid = price(Side.buy) / parts;
    const ask = (price(Side.sell) + parts - 1n) / parts;
    const within = last < bid ? bid : last > ask ? ask : last;
    return { middle: (bid + ask) / 2n, last: last === 0n ? 0n : within };
  }

  #touch(market: number): bigint {
    return middleOf((side) => this.#bestPrice(market, side));
  }

  /** Returns the operator's price if there is one, else the feed's; 0n if there is neither. */
  #said(market: number, atUs: number): bigint {
    for (const origin of [0, 1]) {
      const said = this.#references.get(`${market}/${origin}`);
      if (said === undefined) continue;
      assert(
        said.untilUs > atUs - this.#slackUs,
        "an external price must not be used after its end time",
      );
      return said.price;
    }
    return 0n;
  }

  #index(market: number): bigint {
    const level = BigInt(this.#levels.get(market)?.level ?? 0);
    return level > 0n && level < parts ? 1n : (level + parts / 2n) / parts;
  }

  /**
   * Returns the index plus the average basis; without an index or an average, or without a middle, returns `middle`.
   */
  #smoothed({ id }: Market, index: bigint, middle: bigint): bigint {
    const basis = this.#basis.get(id);
    if (middle === 0n || index === 0n || basis === undefined) return middle;
    const whole = basis >= 0n ? basis / parts : -((-basis + parts - 1n) / parts);
    return index + whole > 1n ? index + whole : 1n;
  }
}

/** Returns the middle; 0n if the bid is above the ask, as it may be if both orders are of one account. */
function uncrossed(price: (side: Side) => bigint): bigint {
  return price(Side.buy) > price(Side.sell) ? 0n : middleOf(price);
}

function middleOf(price: (side: Side) => bigint): bigint {
  const [bid, ask] = [price(Side.buy), price(Side.sell)];
  return bid > 0n && ask > 0n ? (bid + ask) / 2n : 0n;
}
