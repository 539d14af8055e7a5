// A taker of the fleet: trades against resting orders with IOC orders, in bursts on one side of one market. Beyond its
// inventory limit, it only sends orders that reduce the inventory. Once the budget of fills that settle on the ledger
// is used up, it trades perpetuals only.

import type { SeededRandom } from "../load/seeded-random.ts";
import { type FleetMarket, type FleetStep, looking, placing, type Side } from "./fleet-market.ts";
import type { FleetMember, FleetPurse } from "./fleet-member.ts";
import type { ReferencePrices } from "./reference-prices.ts";

/** Mean number of orders in a burst. */
const burstMean = 4;
/** Distance of the limit price from the reference price, as a share; it reaches the first rungs of any maker. */
const reachShare = 0.002;
/** Inventory limit of a taker per market, in the quote asset. */
const inventoryMax = 20_000;

interface TakerOptions {
  readonly member: FleetMember;
  readonly markets: readonly FleetMarket[];
  readonly purse: FleetPurse;
  readonly prices: ReferencePrices;
  readonly random: SeededRandom;
}

export class FleetTaker {
  readonly member: FleetMember;
  readonly purse: FleetPurse;
  readonly #options: TakerOptions;
  #burst: { readonly market: FleetMarket; readonly side: Side; left: number } | null = null;
  #isUnderWay = false;
  #isHeld = false;
  #mayTakeSpot = true;

  constructor(options: TakerOptions) {
    this.member = options.member;
    this.purse = options.purse;
    this.#options = options;
  }

  hold(): void {
    this.#isHeld = true;
    this.#burst = null;
  }

  letGo(): void {
    this.#isHeld = false;
  }

  get isQuiet(): boolean {
    return this.#isHeld && !this.#isUnderWay;
  }

  /** Sets whether the taker may trade spot, which depends on the budget of settled fills. */
  allowSpot(isAllowed: boolean): void {
    this.#mayTakeSpot = isAllowed;
    if (!isAllowed && this.#burst?.market.isSpot === true) this.#burst = null;
  }

  next(nowMs: number): FleetStep | null {
    if (this.#isHeld || this.#isUnderWay) return null;
    const due = this.purse.due(nowMs);
    if (due !== null) return this.#look(due);
    if (!this.purse.isKnown || !this.member.mayOrder(nowMs)) return null;
    this.#burst ??= this.#begin();
    return this.#burst === null ? null : this.#take(this.#burst);
  }

  #look(market: FleetMarket): FleetStep {
    this.#isUnderWay = true;
    return {
      ...{ market, kind: "look", request: looking(market) },
      ended: (outcome, body) => {
        this.#isUnderWay = false;
        if (outcome === "done") this.purse.take(market, body);
      },
    };
  }

  #begin(): { market: FleetMarket; side: Side; left: number } | null {
    const { markets, random } = this.#options;
    const open = markets.filter(({ isSpot }) => this.#mayTakeSpot || !isSpot);
    const market = open[random.below(open.length)];
    if (market === undefined) return null;
    return {
      market,
      side: this.#sideOf(market),
      left: 1 + Math.floor(random.exponential(burstMean)),
    };
  }

  #sideOf(market: FleetMarket): Side {
    const { prices, random } = this.#options;
    const held = this.purse.inventory(market) * prices.of(market);
    if (Math.abs(held) >= inventoryMax) return held > 0 ? "SELL" : "BUY";
    return random.next() < 0.5 ? "BUY" : "SELL";
  }

  #take(burst: { market: FleetMarket; side: Side; left: number }): FleetStep {
    const { prices, random } = this.#options;
    const { market, side } = burst;
    burst.left -= 1;
    if (burst.left === 0) this.#burst = null;
    this.member.spendOrder();
    this.#isUnderWay = true;
    const reference = prices.ticksOf(market);
    const reach = Math.max(2, reference * reachShare);
    const price = Math.max(1, Math.round(side === "BUY" ? reference + reach : reference - reach));
    const qty = market.qtyLotsMin + random.below(market.qtyLotsMin);
    return {
      ...{ market, kind: "order", request: placing(market, { side, price, qty }, "IOC") },
      ended: () => {
        this.#isUnderWay = false;
      },
    };
  }
}
