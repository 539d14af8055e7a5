// The rank of an account's position in the deleveraging queue, from 0 (last fifth of its side) to 4 (first fifth), by
// the same ranking that deleveraging uses. A query is cheap: the scores of a side are sorted at most once a second, and
// the account's current score is looked up in them. Spec FAP-40, RSK-12.

import { fundAccount } from "../../../../engine/clearing/perpetuals/insurance-fund.ts";
import type { Clock } from "../../../../ports/clock.ts";
import type { ReadModel } from "../../read-model.ts";

/** Maximum age of the cached scores of other accounts. */
const keptMs = 1000;
const fifths = 5;

/** The insurance fund is never a counterparty of deleveraging. */
const unranked: ReadonlySet<number> = new Set([fundAccount]);

interface Side {
  /** Scores of all ranked accounts on this side, in ascending order. */
  readonly scores: Float64Array;
  readonly madeMs: number;
}

export class DeleveragingQueue {
  readonly #model: ReadModel;
  readonly #clock: Clock;
  readonly #sides = new Map<string, Side>();

  constructor(model: ReadModel, clock: Clock) {
    this.#model = model;
    this.#clock = clock;
  }

  /**
   * The account's rank in the queue, 0 … 4. It is also 0 if nothing can be deleveraged: the account has no position or
   * no equity, or the market has no mark.
   */
  quantile(account: number, market: number): number {
    const { state, riskScan } = this.#model;
    const qty = state.positions.qty(account, market);
    if (qty === 0 || (state.mark[market] ?? 0) === 0) return 0;
    const own = riskScan.scoreOf(account, market);
    if (own === null) return 0;
    const { scores } = this.#side(market, qty > 0);
    const ahead = scores.length - countUpTo(scores, own);
    const fifth = Math.floor((fifths * ahead) / Math.max(scores.length, 1));
    return fifths - 1 - Math.min(fifth, fifths - 1);
  }

  #side(market: number, isLong: boolean): Side {
    const key = `${market} ${isLong}`;
    const kept = this.#sides.get(key);
    const nowMs = this.#clock.nowMs();
    if (kept !== undefined && Math.abs(nowMs - kept.madeMs) < keptMs) return kept;
    const scores = this.#model.riskScan.scores(market, isLong, unranked).sort();
    const side = { scores, madeMs: nowMs };
    this.#sides.set(key, side);
    return side;
  }
}

/** Number of the ascending `values` that are at most `limit`. */
function countUpTo(values: Float64Array, limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
