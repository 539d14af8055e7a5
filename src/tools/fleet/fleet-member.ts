// A member of the fleet: an account with its key, its virtual address, its order budget, and its purse (PnL and
// inventory). A token bucket keeps the member below the rate limits of a house key in any window.

import { RateTier } from "../../core/accounts.ts";
import { limitsOf } from "../../services/access/rate-limiter.ts";
import { type LoadKey, RequestSigner } from "../load/signed-requests.ts";
import { type FleetMarket, type FleetRequest, type Holding, holdingOf } from "./fleet-market.ts";
import type { ReferencePrices } from "./reference-prices.ts";

/** Share of the ten-second limit that a member uses. The rest covers orders in flight at the start of a window. */
const usedShare = 0.9;
const ordersPerMs = (limitsOf(RateTier.house).ordersPer10s / 10_000) * usedShare;
/** Bucket size in orders. Bucket and ten seconds of refill together stay below the ten-second limit. */
const bucketOrders = 5;

/** Orders per second that are planned for a member; this leaves room for bursts. */
export const ordersPerMember = 14;

export class FleetMember {
  readonly account: number;
  readonly #signer: RequestSigner;
  #orders = bucketOrders;
  #filledMs = 0;

  /** Sends to `host` with `key`; `address` is sent in the header that a trusted proxy would set. */
  constructor(key: LoadKey, host: string, address: string) {
    this.account = key.account;
    this.#signer = new RequestSigner(key, host, address);
  }

  /** True if an order may be sent at `nowMs`; does not count an order. */
  mayOrder(nowMs: number): boolean {
    const passedMs = Math.max(0, nowMs - this.#filledMs);
    this.#orders = Math.min(bucketOrders, this.#orders + passedMs * ordersPerMs);
    this.#filledMs = nowMs;
    return this.#orders >= 1;
  }

  /** Takes one order from the bucket; call it for each order sent. */
  spendOrder(): void {
    this.#orders -= 1;
  }

  sign({ method, path, query }: FleetRequest): string {
    return this.#signer.request(method, path, query);
  }
}

/** Milliseconds between two account queries. */
const lookMs = 5_000;

interface Surface {
  readonly markets: readonly FleetMarket[];
  first: Holding | null;
  last: Holding | null;
  nextMs: number;
}

/** Computes PnL and inventory relative to the first account query, so that initial funding does not count. */
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

  /** True if every API has answered an account query. */
  get isKnown(): boolean {
    return this.#surfaces.every(({ first }) => first !== null);
  }

  /** Returns a market whose API is due for an account query, and marks that API as queried; null if none is due. */
  due(nowMs: number): FleetMarket | null {
    const surface = this.#surfaces.find(({ nextMs }) => nextMs <= nowMs);
    if (surface === undefined) return null;
    surface.nextMs = nowMs + lookMs;
    return surface.markets[0] ?? null;
  }

  /** Applies the response to an account query on the API of `market`. */
  take(market: FleetMarket, body: unknown): void {
    const surface = this.#surfaces.find(({ markets }) => markets[0]?.isSpot === market.isSpot);
    if (surface === undefined) return;
    surface.last = holdingOf(surface.markets, body);
    surface.first ??= surface.last;
  }

  /** Returns the change of the holding in `market` since the start, in the base asset. */
  inventory(market: FleetMarket): number {
    const surface = this.#surfaces.find(({ markets }) => markets.includes(market));
    const { first, last } = surface ?? {};
    return (last?.base.get(market.symbol) ?? 0) - (first?.base.get(market.symbol) ?? 0);
  }

  /** Returns the PnL in the quote asset; the inventory is valued at current prices. */
  gain(): number {
    let sum = 0;
    for (const { markets, first, last } of this.#surfaces) {
      sum += (last?.quote ?? 0) - (first?.quote ?? 0);
      for (const market of markets) {
        // Count inventory only on spot: on perpetuals the margin balance already includes the position's PnL.
        if (market.isSpot) sum += this.inventory(market) * this.#prices.of(market);
      }
    }
    return sum;
  }
}
