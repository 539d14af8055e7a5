// The auditor's prices, from events alone: last trades, what sources outside say and for how long, the
// average basis, and from those and the books what each journaled mark and index must be.

import assert from "node:assert/strict";
import {
  type BasisAveraged,
  EventKind,
  type Marked,
  type ReferenceSet,
  type VenueEvent,
} from "../../src/core/events.ts";
import { type Market, MarketKind, type MarketTable } from "../../src/core/markets.ts";
import { Side } from "../../src/core/orders.ts";

const parts = 1000n;
/** Events may be stamped later than the tick that caused them: by how far tests set a clock back, and more. */
const shortSlackUs = 5_000_000;

export class AuditedPrices {
  readonly #table: MarketTable;
  readonly #slackUs: number;
  readonly #bestPrice: (market: number, side: Side) => bigint;
  /** Journaled marks by market; there is none where nothing gives one. */
  readonly #marks = new Map<number, bigint>();
  /** All marks there were, by market and in their order; 0n for none. */
  readonly #marked = new Map<number, { readonly seq: number; readonly mark: bigint }[]>();
  /** Prices of last trades by market. */
  readonly #last = new Map<number, bigint>();
  /** What stands, by `market/origin`. */
  readonly #references = new Map<string, { price: bigint; untilUs: number }>();
  readonly #basis = new Map<number, bigint>();

  constructor(
    table: MarketTable,
    bestPrice: (market: number, side: Side) => bigint,
    slackUs = shortSlackUs,
  ) {
    this.#slackUs = slackUs;
    this.#table = table;
    this.#bestPrice = bestPrice;
  }

  /** Ticks of the journaled mark; 0n without one. */
  markOf(market: number): bigint {
    return this.#marks.get(market) ?? 0n;
  }

  /** Every mark from the one that held at `seq` on; 0n for none. */
  marksSince(market: number, seq: number): bigint[] {
    const all = this.#marked.get(market) ?? [];
    const before = all.findLastIndex((one) => one.seq <= seq);
    return all.slice(Math.max(before, 0)).map(({ mark }) => mark);
  }

  /** Ticks of the last trade; 0n before the first. */
  lastOf(market: number): bigint {
    return this.#last.get(market) ?? 0n;
  }

  trade({ market, price }: { market: number; price: number }): void {
    this.#last.set(market, BigInt(price));
  }

  /** The median of index, last trade and middle, of those that exist; the mean of two. */
  mark(event: Marked): void {
    const market = this.#table.market(event.market);
    const index = this.#index(market, event.tsUs);
    const middle = this.#smoothed(market, index);
    const known = [index, this.lastOf(market.id), middle].filter((price) => price > 0n);
    known.sort((a, b) => Number(a - b));
    const [lower = 0n, upper = lower, highest] = known;
    const mark = highest === undefined ? (lower + upper) / 2n : upper;
    assert.equal(BigInt(event.index), index, "the index is what is believed first");
    assert.equal(BigInt(event.mark), mark, "the mark is the median of what exists");
    const marked = this.#marked.get(market.id) ?? [];
    marked.push({ seq: event.seq, mark });
    this.#marked.set(market.id, marked);
    if (mark === 0n) this.#marks.delete(market.id);
    else this.#marks.set(market.id, mark);
  }

  /** Judges what sources say and how the average moves; other events are not its business. */
  judge(event: VenueEvent): void {
    if (event.kind === EventKind.referenceSet) this.#reference(event);
    else if (event.kind === EventKind.basisAveraged) this.#average(event);
  }

  #reference({ market, origin, price, untilUs, tsUs }: ReferenceSet): void {
    const { kind, priceTicksMax } = this.#table.market(market);
    assert(kind === MarketKind.perpetual && price >= 0 && price <= priceTicksMax, "a price");
    if (price > 0) assert(untilUs > tsUs - this.#slackUs, "a price holds for a time that comes");
    else assert.equal(untilUs, 0, "nothing holds for no time");
    const key = `${market}/${origin}`;
    if (price === 0) this.#references.delete(key);
    else this.#references.set(key, { price: BigInt(price), untilUs });
  }

  /** An average goes from where it was toward the basis of now, and not beyond. */
  #average({ market: id, basis, tsUs }: BasisAveraged): void {
    const market = this.#table.market(id);
    const index = this.#index(market, tsUs);
    const middle = this.#middle(id);
    assert(index > 0n && middle > 0n, "a basis is between two prices");
    const sample = (middle - index) * parts;
    const before = this.#basis.get(id) ?? sample;
    const after = BigInt(basis);
    const isToward = before < sample ? after > before && after <= sample : after >= sample;
    assert(isToward && (before <= sample || after < before), "the average follows the basis");
    this.#basis.set(id, after);
  }

  #middle(market: number): bigint {
    const [bid, ask] = [this.#bestPrice(market, Side.buy), this.#bestPrice(market, Side.sell)];
    return bid > 0n && ask > 0n ? (bid + ask) / 2n : 0n;
  }

  /** The operator, then the feed, then the middle of the spot market of the same coin. */
  #index({ id, indexMarket, tickDecimals }: Market, atUs: number): bigint {
    for (const origin of [0, 1]) {
      const said = this.#references.get(`${id}/${origin}`);
      if (said === undefined) continue;
      assert(said.untilUs > atUs - this.#slackUs, "nothing is believed beyond its time");
      return said.price;
    }
    if (indexMarket === null) return 0n;
    const places = BigInt(tickDecimals - this.#table.market(indexMarket).tickDecimals);
    const middle = this.#middle(indexMarket);
    const index = places < 0n ? middle / 10n ** -places : middle * 10n ** places;
    return middle > 0n && index === 0n ? 1n : index;
  }

  /** The middle of the perpetual's book by its average distance from the index. */
  #smoothed({ id }: Market, index: bigint): bigint {
    const middle = this.#middle(id);
    const basis = this.#basis.get(id);
    if (middle === 0n || index === 0n || basis === undefined) return middle;
    const whole = basis >= 0n ? basis / parts : -((-basis + parts - 1n) / parts);
    return index + whole > 1n ? index + whole : 1n;
  }
}
