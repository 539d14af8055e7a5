// A maker of the fleet: keeps a ladder of bids and offers around the reference price of one market and moves
// the rung that is farthest from its place. What it was left holding shifts the ladder, and beyond its
// limit the side that would add to it is withdrawn.
//
// A rung has at most one request under way. When nobody knows what became of one, everything is
// withdrawn and the ladder begins anew.

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

/** Rungs on each side. */
const rungsPerSide = 5;
/** From rung to rung, and half of it from the middle, as a share of the price. */
const stepShare = 0.0004;
/** What a maker may be left holding, in the quote asset. */
const inventoryMax = 20_000;
/** How far a full inventory shifts the ladder, in steps. */
const shiftSteps = 3;
/** Requests of one maker under way. */
const underWayMax = 3;
/** Of the rungs that could be moved, how many are only withdrawn. */
const withdrawShare = 0.05;

interface Rung {
  readonly side: Side;
  readonly level: number;
  /** 0 where nothing rests. */
  orderId: number;
  /** In ticks. */
  price: number;
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
  /** Where between two rungs of the others its own lie. */
  readonly #offset: number;
  #underWay = 0;
  /** Whether something may rest that the ladder does not know of; so in the beginning. */
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
        ...{ side, level, orderId: 0, price: 0, qty: 0, isUnderWay: false },
      })),
    );
  }

  /** Withdraws its quotes and asks nothing more until it is let go. */
  hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#isUnsure ||= this.#rungs.some(({ orderId, isUnderWay }) => orderId !== 0 || isUnderWay);
  }

  letGo(): void {
    this.#isHeld = false;
  }

  /** Whether it is held and has nothing at rest or under way. */
  get isQuiet(): boolean {
    return this.#isHeld && !this.#isUnsure && this.#underWay === 0;
  }

  /** What it would do now; null for nothing. */
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
      // A perpetual's order keeps its quantity when it moves; where the price stays too it would be no move.
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

  /** `quote` is what the rung becomes if it is done. */
  #rungStep(
    rung: Rung,
    kind: "order" | "cancel",
    request: FleetRequest,
    quote: Pick<Quote, "price" | "qty"> = rung,
  ): FleetStep {
    rung.isUnderWay = true;
    return this.#step(kind, request, (outcome, body) => {
      rung.isUnderWay = false;
      // Nothing was executed: what rested still does.
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

  /** The rung that most needs a hand: one to withdraw, one that is missing, or the farthest from its place. */
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

  /** What it holds as a share of what it may: -1 … 1 and beyond. */
  #inventoryShare(): number {
    return (this.purse.inventory(this.market) * this.#prices.of(this.market)) / inventoryMax;
  }

  /** Where a rung belongs now, in ticks. */
  #priceOf({ side, level }: Rung): number {
    const reference = this.#prices.ticksOf(this.market);
    const step = Math.max(1, reference * stepShare);
    const share = Math.max(-1, Math.min(1, this.#inventoryShare()));
    const middle = reference - share * shiftSteps * step;
    const away = (level + 0.5 + this.#offset / 2) * step;
    return side === "BUY" ? Math.max(1, Math.floor(middle - away)) : Math.ceil(middle + away);
  }
}
