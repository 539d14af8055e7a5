// How much open interest a perpetual takes: its operator's cap, and while it has no price from outside no more
// than a multiple of the designated makers' quotes that would have to be eaten to move its index. Worked out in
// lots with each computation of marks, so that an order costs two comparisons.
//
// Open interest grows only when an order trades on its way to the book, and by no more than it opens: what rests
// was paid for by nobody yet, and who takes it comes through here. So resting orders reserve nothing, and an
// order is held to what is open and what others on their way may open. Nothing here is state.

import { assert, numberAt } from "../../../core/assert.ts";
import { marketsMax } from "../../../core/limits.ts";
import { isPerpetual, type Market } from "../../../core/markets.ts";
import { lotsWorth } from "../../../core/money/amounts.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { PendingOrders } from "../orders/pending-orders.ts";

/** Makers who renew quotes miss one computation of marks, or two. */
const looks = 3;

export class OpenInterest {
  readonly #state: VenueState;
  readonly #pending: PendingOrders;
  readonly #asksDepth: boolean;
  /** Lots by market, not before the first marks of a start; Infinity where nothing binds. */
  readonly #capLots = new Float64Array(marketsMax).fill(Number.POSITIVE_INFINITY);
  readonly #depthLots = new Float64Array(marketsMax).fill(Number.POSITIVE_INFINITY);
  /** By market: what was measured last, newest first. */
  readonly #depths: bigint[][] = Array.from({ length: marketsMax }, () => []);

  /** `asksDepth` false: the venue takes positions whatever stands behind an index. */
  constructor(state: VenueState, pending: PendingOrders, asksDepth: boolean) {
    this.#state = state;
    this.#pending = pending;
    this.#asksDepth = asksDepth;
  }

  /** Works out the bounds at the market's mark; `depth` in minor units, null where none is to be asked for. */
  measure(market: Market, depth: bigint | null): void {
    assert(isPerpetual(market), "perpetuals have open interest");
    assert(depth === null || depth >= 0n, "a depth is worth something, or nothing");
    const { riskTerms, references } = this.#state;
    const cap = BigInt(riskTerms.of(market.id, RiskTerm.openInterestMax));
    const unit = 10n ** BigInt(market.quote.decimals);
    this.#capLots[market.id] = this.#lotsOf(market, cap > 0n ? cap * unit : null);
    const share = BigInt(riskTerms.of(market.id, RiskTerm.depthSharePercent));
    const isAsked = this.#asksDepth && share > 0n && references.best(market.id) === 0;
    const best = this.#bestOf(market.id, depth);
    const bound = isAsked && best !== null ? (best * share) / 100n : null;
    this.#depthLots[market.id] = this.#lotsOf(market, bound);
  }

  /** Refuses `lots` more that would open or enlarge positions. Spec RSK-36, RSK-37. */
  check(market: number, lots: number): RejectReason {
    assert(lots > 0, "something opens");
    const open = this.#state.positions.openInterest(market) + this.#pending.opening(market) + lots;
    if (open > numberAt(this.#capLots, market)) return RejectReason.openInterestFull;
    return open > numberAt(this.#depthLots, market) ? RejectReason.depthTooThin : RejectReason.none;
  }

  /** The most of the last measurements. */
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

  /** Lots of a value at the mark, rounded down. */
  #lotsOf({ id, tickLot }: Market, value: bigint | null): number {
    const mark = numberAt(this.#state.mark, id);
    if (value === null || mark === 0) return Number.POSITIVE_INFINITY;
    assert(mark > 0 && value >= 0n, "a bound is worth something at a mark");
    return Number(lotsWorth(value, mark, tickLot));
  }
}
