// A maker of the fleet: keeps a ladder of bids and offers around the reference price of one market. At each step it
// moves the order (rung) that is farthest from its target price. The maker's inventory shifts the ladder; beyond the
// inventory limit, the orders on the side that would increase the inventory are cancelled.
//
// A rung has at most one request in flight. After a request with unknown outcome, the maker cancels everything and
// rebuilds the ladder.

import type { SeededRandom } from "../load/seeded-random.ts";
import {
  cancelling,
  clearing,
  type FleetMarket,
  type FleetRequest,
  type FleetStep,
  looking,
  moving,
  type Outcome,
  orderIn,
  placing,
  type Quote,
  type Side,
} from "./fleet-market.ts";
import type { FleetMember, FleetPurse } from "./fleet-member.ts";
import type { ReferencePrices } from "./reference-prices.ts";

/** Number of rungs on each side. */
const rungsPerSide = 5;
/** Distance between rungs as a share of the price. The first rung is at least half of this distance from the middle. */
const stepShare = 0.0004;
/** Inventory limit of a maker, in the quote asset. */
const inventoryMax = 20_000;
/** Number of steps by which the ladder is shifted at the inventory limit. */
const shiftSteps = 3;
/** Maximum number of requests that one maker has in flight. */
const underWayMax = 3;
/** Share of due rungs that are cancelled instead of moved. */
const withdrawShare = 0.05;

interface Rung {
  readonly side: Side;
  readonly level: number;
  /** Id of the resting order; 0 if there is none. */
  orderId: number;
  /** Price of the resting order in ticks. */
  price: number;
  /** Price in ticks that it will have once the request under way is done. */
  nextPrice: number;
  qty: number;
  isUnderWay: boolean;
}

interface MakerOptions {
  readonly member: FleetMember;
  readonly market: FleetMarket;
  readonly purse: FleetPurse;
  readonly prices: ReferencePrices;
  readonly random: SeededRandom;
}

export class FleetMaker {
  readonly member: FleetMember;
  readonly purse: FleetPurse;
  readonly market: FleetMarket;
  readonly #prices: ReferencePrices;
  readonly #random: SeededRandom;
  readonly #rungs: readonly Rung[];
  /** Offset of this maker's rungs, which places them between the rungs of the other makers. */
  readonly #offset: number;
  #underWay = 0;
  /** True if the book may have orders of this maker that the ladder does not contain, as at the start. */
  #isUnsure = true;
  #isHeld = false;

  constructor({ member, market, purse, prices, random }: MakerOptions) {
    this.member = member;
    this.market = market;
    this.purse = purse;
    this.#prices = prices;
    this.#random = random;
    this.#offset = random.next();
    this.#rungs = (["BUY", "SELL"] as const).flatMap((side) =>
      Array.from({ length: rungsPerSide }, (_, level) => ({
        ...{ side, level, orderId: 0, price: 0, nextPrice: 0, qty: 0, isUnderWay: false },
      })),
    );
  }

  /** Cancels the maker's quotes and sends nothing more until the maker is released. */
  hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#isUnsure ||= this.#rungs.some(({ orderId, isUnderWay }) => orderId !== 0 || isUnderWay);
  }

  letGo(): void {
    this.#isHeld = false;
  }

  /** True if the maker is held and has no orders and no requests in flight. */
  get isQuiet(): boolean {
    return this.#isHeld && !this.#isUnsure && this.#underWay === 0;
  }

  /** Returns the maker's next step at `nowMs`; null if there is nothing to do. */
  next(nowMs: number): FleetStep | null {
    if (this.#isUnsure) return this.#underWay === 0 ? this.#clear() : null;
    if (this.#isHeld || this.#underWay >= underWayMax) return null;
    const due = this.purse.due(nowMs);
    if (due !== null) return this.#look();
    if (!this.purse.isKnown) return null;
    const rung = this.#neediest();
    return rung === null ? null : this.#tend(rung, nowMs);
  }

  #clear(): FleetStep {
    return this.#step("cancel", clearing(this.market), (outcome) => {
      if (outcome !== "done" && outcome !== "late") return;
      this.#isUnsure = false;
      for (const rung of this.#rungs) rung.orderId = 0;
    });
  }

  #look(): FleetStep {
    return this.#step("look", looking(this.market), (outcome, body) => {
      if (outcome === "done") this.purse.take(this.market, body);
    });
  }

  #tend(rung: Rung, nowMs: number): FleetStep | null {
    const { market, member } = this;
    const price = this.#priceOf(rung);
    if (rung.orderId !== 0) {
      // An amend of a perpetual order keeps the quantity, so with the same price it would change nothing.
      const isStill = !market.isSpot && price === rung.price;
      const isLeaving = !this.#isWanted(rung.side) || this.#random.next() < withdrawShare;
      if (isLeaving || isStill) {
        return this.#rungStep(rung, "cancel", cancelling(market, rung.orderId));
      }
    }
    if (!member.mayOrder(nowMs)) return null;
    member.spendOrder();
    const { orderId, qty: qtyBefore } = rung;
    const qty = market.qtyLotsMin + this.#random.below(2 * market.qtyLotsMin);
    const isSameSize = orderId !== 0 && !market.isSpot;
    const quote = { side: rung.side, price, qty: isSameSize ? qtyBefore : qty };
    const request = orderId === 0 ? placing(market, quote, "GTC") : moving(market, orderId, quote);
    return this.#rungStep(rung, "order", request, quote);
  }

  /** Returns a step for a rung; `quote` is the rung's price and quantity after success. */
  #rungStep(
    rung: Rung,
    kind: "order" | "cancel",
    request: FleetRequest,
    quote: Pick<Quote, "price" | "qty"> = rung,
  ): FleetStep {
    rung.isUnderWay = true;
    rung.nextPrice = quote.price;
    return this.#step(kind, request, (outcome, body) => {
      rung.isUnderWay = false;
      // Nothing was executed, so the resting order is unchanged.
      if (outcome === "limited" || outcome === "unavailable") return;
      rung.orderId = 0;
      if (outcome === "refused" || outcome === "unsure") this.#isUnsure = true;
      else if (outcome === "done" && kind === "order") {
        const { orderId, status } = orderIn(body);
        if (status !== "NEW" && status !== "PARTIALLY_FILLED") return;
        [rung.orderId, rung.price, rung.qty] = [orderId, quote.price, quote.qty];
      }
    });
  }

  #step(
    kind: FleetStep["kind"],
    request: FleetRequest,
    ended: (outcome: Outcome, body: unknown) => void,
  ): FleetStep {
    this.#underWay += 1;
    return {
      ...{ request, kind, market: this.market },
      ended: (outcome, body) => {
        this.#underWay -= 1;
        ended(outcome, body);
      },
    };
  }

  /** Returns the rung to act on: one to cancel, else one without an order, else the farthest from its target price. */
  #neediest(): Rung | null {
    let found: Rung | null = null;
    let most = -1;
    for (const rung of this.#rungs) {
      if (rung.isUnderWay) continue;
      const need = this.#needOf(rung);
      if (need > most) [found, most] = [rung, need];
    }
    return found;
  }

  #needOf(rung: Rung): number {
    const isWanted = this.#isWanted(rung.side);
    if (rung.orderId === 0) return isWanted ? 1e6 : -1;
    if (!isWanted) return 1e9;
    return Math.abs(rung.price - this.#priceOf(rung)) + this.#random.next();
  }

  #isWanted(side: Side): boolean {
    const share = this.#inventoryShare();
    return side === "BUY" ? share < 1 : share > -1;
  }

  /** Returns the inventory as a share of the limit: from -1 to 1, and beyond if the limit is exceeded. */
  #inventoryShare(): number {
    return (this.purse.inventory(this.market) * this.#prices.of(this.market)) / inventoryMax;
  }

  /**
   * Returns the target price of a rung in ticks. A bid stays below the maker's own offers and an offer above its own bids,
   * which the venue would let cross, because orders of one account do not trade with each other.
   */
  #priceOf(rung: Rung): number {
    const wanted = this.#wantedPriceOf(rung);
    if (rung.side === "BUY")
      return Math.min(wanted, ...this.#pricesOf("SELL").map((one) => one - 1));
    return Math.max(wanted, ...this.#pricesOf("BUY").map((one) => one + 1));
  }

  /** Prices in ticks at which this maker has an order on a side, or will have one. */
  #pricesOf(side: Side): number[] {
    const rungs = this.#rungs.filter((rung) => rung.side === side);
    const resting = rungs.filter(({ orderId }) => orderId !== 0).map(({ price }) => price);
    const coming = rungs.filter((rung) => rung.isUnderWay).map(({ nextPrice }) => nextPrice);
    return [...resting, ...coming].filter((price) => price > 0);
  }

  #wantedPriceOf({ side, level }: Rung): number {
    const reference = this.#prices.ticksOf(this.market);
    const step = Math.max(1, reference * stepShare);
    const share = Math.max(-1, Math.min(1, this.#inventoryShare()));
    const middle = reference - share * shiftSteps * step;
    const away = (level + 0.5 + this.#offset / 2) * step;
    return side === "BUY" ? Math.max(1, Math.floor(middle - away)) : Math.ceil(middle + away);
  }
}
