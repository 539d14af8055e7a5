// Limits a perpetual's open interest: to the operator's cap and, without an outside price, to a multiple of the
// designated makers' quotes that a trader must consume to move the index. Both limits are converted to lots whenever
// marks are computed, so that the check of an order takes only two comparisons.
//
// Open interest grows only when an incoming order trades, by at most the lots it opens. Resting orders
// reserve nothing: the incoming order that trades with them is checked here. So an order is checked against current
// open interest plus what orders in flight may open. The limits are derived, so they are not part of the state.

import { assert, numberAt } from "../../../core/assert.ts";
import { marketsMax } from "../../../core/limits.ts";
import { isPerpetual, type Market } from "../../../core/markets.ts";
import { lotsWorth } from "../../../core/money/amounts.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { PendingOrders } from "../orders/pending-orders.ts";

/** How many of the last measurements count: makers who are renewing their quotes may be missing from one or two. */
const looks = 3;

export class OpenInterest {
  readonly #state: VenueState;
  readonly #pending: PendingOrders;
  readonly #asksDepth: boolean;
  /** Limits in lots, by market; first set when marks are first computed after a start. Infinity means no limit. */
  readonly #capLots = new Float64Array(marketsMax).fill(Number.POSITIVE_INFINITY);
  readonly #depthLots = new Float64Array(marketsMax).fill(Number.POSITIVE_INFINITY);
  /** By market: the last measurements, newest first. */
  readonly #depths: bigint[][] = Array.from({ length: marketsMax }, () => []);

  /** If `asksDepth` is false, positions are accepted regardless of the depth that backs the index. */
  constructor(state: VenueState, pending: PendingOrders, asksDepth: boolean) {
    this.#state = state;
    this.#pending = pending;
    this.#asksDepth = asksDepth;
  }

  /** Computes the limits at the market's mark; `depth` in minor units, null if depth is not required. */
  measure(market: Market, depth: bigint | null): void {
    assert(isPerpetual(market), "a market with open interest must be a perpetual");
    assert(depth === null || depth >= 0n, "a depth must not be negative");
    const { riskTerms, references } = this.#state;
    const cap = BigInt(riskTerms.of(market.id, RiskTerm.openInterestMax));
    const unit = 10n ** BigInt(market.quote.decimals);
    this.#capLots[market.id] = this.#lotsOf(market, cap > 0n ? cap * unit : null);
    const share = BigInt(riskTerms.of(market.id, RiskTerm.depthSharePercent));
    const isBoundByDepth = this.#asksDepth && share > 0n && references.best(market.id) === 0;
    const best = this.#bestOf(market.id, depth);
    const bound = isBoundByDepth && best !== null ? (best * share) / 100n : null;
    this.#depthLots[market.id] = this.#lotsOf(market, bound);
  }

  /** Refuses `lots` that would exceed a limit by opening or enlarging positions. Spec RSK-36, RSK-37. */
  check(market: number, lots: number): RejectReason {
    assert(lots > 0, "an opening order must have a positive quantity");
    const open = this.#state.positions.openInterest(market) + this.#pending.opening(market) + lots;
    if (open > numberAt(this.#capLots, market)) return RejectReason.openInterestFull;
    return open > numberAt(this.#depthLots, market) ? RejectReason.depthTooThin : RejectReason.none;
  }

  /** Adds a measurement and returns the largest of the last ones; for null, forgets all of them and returns null. */
  #bestOf(market: number, depth: bigint | null): bigint | null {
    const seen = this.#depths[market] ?? [];
    if (depth === null) {
      seen.length = 0;
      return null;
    }
    seen.unshift(depth);
    seen.length = Math.min(seen.length, looks);
    let most = 0n;
    for (const one of seen) if (one > most) most = one;
    return most;
  }

  /** Converts a value to lots at the mark price, rounded down; infinity (no limit) for null or without a mark price. */
  #lotsOf({ id, tickLot }: Market, value: bigint | null): number {
    const mark = numberAt(this.#state.mark, id);
    if (value === null || mark === 0) return Number.POSITIVE_INFINITY;
    assert(
      mark > 0 && value >= 0n,
      "an open interest limit must have a positive mark price and a non-negative value",
    );
    return Number(lotsWorth(value, mark, tickLot));
  }
}
