// One of the fleet: an account with its key, the address it speaks from, and how often it may; and its purse, what
// it has gained and is left holding. It stays below what a house key is allowed in any window, however its windows
// lie: a bucket of orders that fills steadily.

import { RateTier } from "../../core/accounts.ts";
import { limitsOf } from "../../services/access/rate-limiter.ts";
import { type LoadKey, RequestSigner } from "../load/signed-requests.ts";
import { type FleetMarket, type FleetRequest, type Holding, holdingOf } from "./fleet-market.ts";
import type { ReferencePrices } from "./reference-prices.ts";

/** Of the limit of ten seconds: the rest is for orders that were under way when a window began. */
const usedShare = 0.9;
const ordersPerMs = (limitsOf(RateTier.house).ordersPer10s / 10_000) * usedShare;
/** Orders at once; with what arrives in ten seconds still below the limit of ten seconds. */
const bucketOrders = 5;

/** Orders a second that a member is counted on for: room is left for bursts. */
export const ordersPerMember = 14;

export class FleetMember {
  readonly account: number;
  readonly #signer: RequestSigner;
  #orders = bucketOrders;
  #filledMs = 0;

  /** Speaks to `host` with `key`, from `address` as a trusted proxy would tell it. */
  constructor(key: LoadKey, host: string, address: string) {
    this.account = key.account;
    this.#signer = new RequestSigner(key, host, address);
  }

  /** Whether an order may be sent at `nowMs`; counts nothing. */
  mayOrder(nowMs: number): boolean {
    const passedMs = Math.max(0, nowMs - this.#filledMs);
    this.#orders = Math.min(bucketOrders, this.#orders + passedMs * ordersPerMs);
    this.#filledMs = nowMs;
    return this.#orders >= 1;
  }

  /** Counts an order that is sent. */
  spendOrder(): void {
    this.#orders -= 1;
  }

  sign({ method, path, query }: FleetRequest): string {
    return this.#signer.request(method, path, query);
  }
}

/** How often the account is looked at. */
const lookMs = 5_000;

interface Surface {
  readonly markets: readonly FleetMarket[];
  first: Holding | null;
  last: Holding | null;
  nextMs: number;
}

/** From what the venue says of the account, counted from the first look: money given before does not matter. */
export class FleetPurse {
  readonly #prices: ReferencePrices;
  readonly #surfaces: readonly Surface[];

  constructor(markets: readonly FleetMarket[], prices: ReferencePrices) {
    this.#prices = prices;
    this.#surfaces = [true, false]
      .map((isSpot) => markets.filter((market) => market.isSpot === isSpot))
      .filter((some) => some.length > 0)
      .map((some) => ({ markets: some, first: null, last: null, nextMs: 0 }));
  }

  /** Whether every surface has been looked at. */
  get isKnown(): boolean {
    return this.#surfaces.every(({ first }) => first !== null);
  }

  /** A market of the surface to be looked at now, which then is not for a while; null if none is. */
  due(nowMs: number): FleetMarket | null {
    const surface = this.#surfaces.find(({ nextMs }) => nextMs <= nowMs);
    if (surface === undefined) return null;
    surface.nextMs = nowMs + lookMs;
    return surface.markets[0] ?? null;
  }

  /** Takes the answer to a look at the surface of `market`. */
  take(market: FleetMarket, body: unknown): void {
    const surface = this.#surfaces.find(({ markets }) => markets[0]?.isSpot === market.isSpot);
    if (surface === undefined) return;
    surface.last = holdingOf(surface.markets, body);
    surface.first ??= surface.last;
  }

  /** What it holds of `market` more than in the beginning, in the base asset. */
  inventory(market: FleetMarket): number {
    const surface = this.#surfaces.find(({ markets }) => markets.includes(market));
    const { first, last } = surface ?? {};
    return (last?.base.get(market.symbol) ?? 0) - (first?.base.get(market.symbol) ?? 0);
  }

  /** What it has gained, in the quote asset, its inventory at the prices of now. */
  gain(): number {
    let sum = 0;
    for (const { markets, first, last } of this.#surfaces) {
      sum += (last?.quote ?? 0) - (first?.quote ?? 0);
      for (const market of markets) {
        // What a position has gained is in its margin balance already.
        if (market.isSpot) sum += this.inventory(market) * this.#prices.of(market);
      }
    }
    return sum;
  }
}
