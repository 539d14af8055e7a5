// A series of points that stays small however long the run is: when it is full, each two neighbours become one. So its
// resolution follows what happens, not the time: an hour without changes takes no room.

import { assert } from "../../core/assert.ts";

/** Several changes in a row: the time of the first, and the lowest, highest and last value. */
export interface SeriesPoint<Value extends number | bigint> {
  readonly atUs: number;
  low: Value;
  high: Value;
  last: Value;
}

export class ThinnedSeries<Value extends number | bigint> {
  readonly #pointsMax: number;
  #points: SeriesPoint<Value>[] = [];
  /** Changes that one point holds. */
  #stride = 1;
  #inLast = 0;

  /** Keeps at most `pointsMax` points, an even number. */
  constructor(pointsMax: number) {
    assert(pointsMax >= 2 && pointsMax % 2 === 0, "a series must keep an even number of points");
    this.#pointsMax = pointsMax;
  }

  get points(): readonly SeriesPoint<Value>[] {
    return this.#points;
  }

  /** Adds a value that holds from `atUs` on, unless it is the last one; times must not decrease. */
  add(atUs: number, value: Value): void {
    const last = this.#points.at(-1);
    if (last?.last === value) return;
    if (last !== undefined && this.#inLast < this.#stride) {
      this.#inLast++;
      widen(last, value);
      return;
    }
    if (this.#points.length === this.#pointsMax) this.#thin();
    this.#points.push({ atUs, low: value, high: value, last: value });
    this.#inLast = 1;
  }

  #thin(): void {
    const thinned: SeriesPoint<Value>[] = [];
    for (const [at, point] of this.#points.entries()) {
      const before = thinned.at(-1);
      if (at % 2 === 0 || before === undefined) thinned.push(point);
      else {
        if (point.low < before.low) before.low = point.low;
        if (point.high > before.high) before.high = point.high;
        before.last = point.last;
      }
    }
    this.#points = thinned;
    this.#stride *= 2;
  }
}

function widen<Value extends number | bigint>(point: SeriesPoint<Value>, value: Value): void {
  if (value < point.low) point.low = value;
  if (value > point.high) point.high = value;
  point.last = value;
}
