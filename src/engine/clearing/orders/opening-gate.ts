// Decides whether a perpetual currently accepts an order that opens or enlarges a position; orders that only reduce one
// are not checked here. Orders of designated makers that do not trade on arrival always pass, because traders who close
// their positions need a counterparty. Such orders are post-only orders, and GTC limit orders that do not reach the
// best price of the other side.

import { assert, wordAt } from "../../../core/assert.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import { isPerpetual, type Market } from "../../../core/markets.ts";
import { OrderType, Side, TimeInForce } from "../../../core/orders.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { BestPrices } from "../matchers/matcher-lanes.ts";
import type { OpenInterest } from "../perpetuals/open-interest.ts";

/** The fields of an order that the gate reads. */
type Opening = Pick<
  PlaceOrder,
  "account" | "market" | "side" | "type" | "price" | "timeInForce" | "atUs"
>;

export interface OpeningGateParts {
  readonly state: VenueState;
  readonly best: BestPrices;
  readonly interest: OpenInterest;
  /** Whether a perpetual with an index market accepts positions before its first index. */
  readonly opensWithoutIndex: boolean;
}

export class OpeningGate {
  readonly #state: VenueState;
  readonly #best: BestPrices;
  readonly #interest: OpenInterest;
  readonly #opensWithoutIndex: boolean;

  constructor({ state, best, interest, opensWithoutIndex }: OpeningGateParts) {
    this.#state = state;
    this.#best = best;
    this.#interest = interest;
    this.#opensWithoutIndex = opensWithoutIndex;
  }

  /** Refuses an order that would open or enlarge a position; `none` if the market currently accepts it. */
  check(market: Market, order: Opening): RejectReason {
    assert(
      order.market === market.id && isPerpetual(market),
      "the market must be the perpetual of the order",
    );
    return this.#unlessQuote(order, this.#refusal(market, order.atUs));
  }

  /**
   * Refuses an order that may open `lots` if open interest could then exceed the market's limit. Spec RSK-36, RSK-37.
   */
  checkInterest(order: Opening, lots: number): RejectReason {
    return this.#unlessQuote(order, this.#interest.check(order.market, lots));
  }

  #unlessQuote(order: Opening, refusal: RejectReason): RejectReason {
    if (refusal === RejectReason.none) return refusal;
    const isQuote = this.#state.accounts.isDesignatedMaker(order.account) && this.#onlyRests(order);
    return isQuote ? RejectReason.none : refusal;
  }

  /**
   * Why the market currently accepts no opening orders; `none` if it does. It needs an index first, because otherwise
   * the first trader would set the mark. Spec RSK-33.
   */
  #refusal(market: Market, atUs: number): RejectReason {
    const { indexes, references } = this.#state;
    const isWithout = indexes.ticks(market.id) === 0 && references.best(market.id) === 0;
    if (isWithout && market.indexMarket !== null && !this.#opensWithoutIndex) {
      return RejectReason.marketWithoutIndex;
    }
    if (this.#isReduceOnly(market, atUs)) return RejectReason.marketReduceOnly;
    const isPaused = this.#state.fundHours.isPaused(market.id);
    return isPaused ? RejectReason.marketPaused : RejectReason.none;
  }

  /**
   * True if no source has given an index for some time. The last index is then too old to accept new risk at it. Spec
   * RSK-26.
   */
  #isReduceOnly({ id }: Market, atUs: number): boolean {
    const { indexes, riskTerms, tsUs } = this.#state;
    const staleMs = riskTerms.of(id, RiskTerm.staleMs);
    return indexes.isStale(id, staleMs, Math.max(tsUs + 1, atUs));
  }

  #onlyRests({ market, side, type, price, timeInForce }: Opening): boolean {
    if (timeInForce === TimeInForce.gtx) return true;
    if (type !== OrderType.limit || timeInForce !== TimeInForce.gtc) return false;
    const { bid, ask } = this.#best;
    const opposite = wordAt(side === Side.buy ? ask : bid, market);
    return opposite === 0 || (side === Side.buy ? price < opposite : price > opposite);
  }
}
