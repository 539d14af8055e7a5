// One price of a coin from what several sources say: the median of the fresh ones, without those that are
// far from it. A price that leaps is not believed before it has been said again. Pure: time comes in.
//
//   readings ──not older than staleMs──▶ fresh ──near their median──▶ kept ──▶ median
//   median ──near the last one, or the third of its like in a row──▶ the price

import { assert } from "../../core/assert.ts";
import { priceDeviationPercent, priceJumpPercent, priceWitnesses } from "../../core/limits.ts";

/** What a source said last of one coin. */
interface Said {
  readonly ticks: number;
  readonly atMs: number;
}

/** A price, and the newest reading it is made of. */
export interface ComposedPrice {
  readonly ticks: number;
  readonly atMs: number;
}

export class IndexComposition {
  readonly #staleMs: number;
  /** By source. */
  readonly #said = new Map<number, Said>();
  #accepted: ComposedPrice | null = null;
  /** A price that leapt, and how often its like was said in a row. */
  #leap: (ComposedPrice & { readonly times: number }) | null = null;

  constructor(staleMs: number) {
    assert(staleMs > 0, "a reading is fresh for some time");
    this.#staleMs = staleMs;
  }

  /** Notes what a source says: ticks above 0, and when it had them. An older reading changes nothing. */
  take(source: number, ticks: number, atMs: number): void {
    assert(ticks > 0, "a source says a price");
    const before = this.#said.get(source);
    if (before === undefined || atMs > before.atMs) this.#said.set(source, { ticks, atMs });
  }

  /** The price at `nowMs`, or null where no source is fresh, they disagree, or a leap is unconfirmed. */
  compose(nowMs: number): ComposedPrice | null {
    // What claims to come from the future is not believed either, but for a clock a little ahead.
    const fresh = [...this.#said.values()].filter(
      ({ atMs }) => Math.abs(nowMs - atMs) < this.#staleMs,
    );
    const agreeing = near(fresh);
    if (agreeing.length === 0) return null;
    const atMs = Math.min(Math.max(...agreeing.map((one) => one.atMs)), nowMs);
    const price = { ticks: medianOf(agreeing.map(({ ticks }) => ticks)), atMs };
    if (!this.#isBelieved(price, nowMs)) return null;
    this.#accepted = price;
    this.#leap = null;
    return price;
  }

  #isBelieved(price: ComposedPrice, nowMs: number): boolean {
    const before = this.#accepted;
    if (before === null || nowMs - before.atMs >= this.#staleMs) return true;
    if (isWithin(price.ticks, before.ticks, priceJumpPercent)) return true;
    const leap = this.#leap;
    const isLike = leap !== null && isWithin(price.ticks, leap.ticks, priceJumpPercent);
    if (isLike && price.atMs <= leap.atMs) return false;
    const times = isLike ? leap.times + 1 : 1;
    this.#leap = { ...price, times };
    return times >= priceWitnesses;
  }
}

/** Those near the median of all; of two that are far apart neither. */
function near(said: readonly Said[]): readonly Said[] {
  const median = medianOf(said.map(({ ticks }) => ticks));
  const [one, other] = said;
  if (said.length === 2 && one !== undefined && other !== undefined) {
    return isWithin(one.ticks, other.ticks, priceDeviationPercent) ? said : [];
  }
  return said.filter(({ ticks }) => isWithin(ticks, median, priceDeviationPercent));
}

/** The middle one, of an even number the mean of the two in the middle, rounded down; 0 of none. */
function medianOf(ticks: readonly number[]): number {
  const sorted = [...ticks].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? 0;
  const lower = sorted[(sorted.length - 1) >> 1] ?? 0;
  return Math.floor((lower + upper) / 2);
}

function isWithin(ticks: number, from: number, percent: number): boolean {
  return Math.abs(ticks - from) * 100 <= from * percent;
}
