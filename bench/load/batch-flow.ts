// Generates batches of five orders on the perpetual markets. Prices are drawn like those of the spot flow: limit prices
// lie at geometrically distributed distances from the middle price, and a share of the orders is priced to trade at
// once.

import { formatScaled } from "../../src/core/money/amounts.ts";
import type { FlowCounts, RequestSource } from "../../src/tools/load/load-run.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import {
  type LoadKey,
  RequestSigner,
  virtualAddress,
} from "../../src/tools/load/signed-requests.ts";
import type { FlowMarket } from "../../src/tools/load/spot-flow.ts";

export const ordersPerBatch = 5;

/** Markets of the load. The smallest orders are worth about 100 USDC. */
const markets: readonly FlowMarket[] = [
  { symbol: "BTCUSDT", tickDecimals: 2, lotDecimals: 3, middleTicks: 6_000_000, qtyLotsMin: 2 },
  { symbol: "ETHUSDT", tickDecimals: 2, lotDecimals: 3, middleTicks: 300_000, qtyLotsMin: 34 },
];
const distanceMean = 20;
const distanceMax = 200;
const placed = Buffer.from('"orderId":');

export interface BatchFlowOptions {
  readonly keys: readonly LoadKey[];
  readonly host: string;
  /** Share of orders that are priced to trade at once, from 0 to 1. */
  readonly crossingShare: number;
  readonly seed: number;
}

export class BatchFlow implements RequestSource {
  readonly counts: FlowCounts = {
    ...{ orders: 0, cancels: 0, cancelsLate: 0 },
    ...{ limited: 0, unavailable: 0, refused: 0, unknown: 0 },
  };
  /** Body of the answer to the last batch that had a refused order. */
  lastRefusal = "";
  readonly #options: BatchFlowOptions;
  readonly #signers: readonly RequestSigner[];
  readonly #random: SeededRandom;
  #turn = 0;

  constructor(options: BatchFlowOptions) {
    const { keys, host, seed } = options;
    this.#options = options;
    this.#random = new SeededRandom(seed);
    this.#signers = keys.map((key, index) => new RequestSigner(key, host, virtualAddress(index)));
  }

  next(): string | null {
    const signer = this.#signers[this.#turn++ % this.#signers.length];
    if (signer === undefined) return null;
    const orders = Array.from({ length: ordersPerBatch }, () => this.#order());
    const query = `batchOrders=${encodeURIComponent(JSON.stringify(orders))}`;
    return signer.request("POST", "/fapi/v1/batchOrders", query);
  }

  answered(_place: number, status: number, body: Buffer): void {
    const { counts } = this;
    if (status === 429) counts.limited += ordersPerBatch;
    else if (status === 503) counts.unavailable += ordersPerBatch;
    else {
      const orders = ordersIn(body);
      counts.orders += orders;
      counts.refused += ordersPerBatch - orders;
      if (orders < ordersPerBatch)
        this.lastRefusal = `${status} ${body.toString("latin1", 0, 400)}`;
    }
  }

  lost(): void {
    this.counts.unknown += ordersPerBatch;
  }

  #order(): object {
    const random = this.#random;
    const market = markets[random.below(markets.length)] ?? markets[0];
    if (market === undefined) throw new Error("an order flow must have at least one market");
    const isBuy = random.next() < 0.5;
    const isCrossing = random.next() < this.#options.crossingShare;
    const away = Math.min(1 + Math.floor(random.exponential(distanceMean)), distanceMax);
    const distance = isCrossing ? -distanceMax : away;
    const price = market.middleTicks + (isBuy ? -distance : distance);
    const qty = market.qtyLotsMin + random.below(2 * market.qtyLotsMin);
    return {
      ...{ symbol: market.symbol, side: isBuy ? "BUY" : "SELL", type: "LIMIT", timeInForce: "GTC" },
      price: formatScaled(price, market.tickDecimals),
      quantity: formatScaled(qty, market.lotDecimals),
    };
  }
}

/** Counts the placed orders in the body of an answer. */
function ordersIn(body: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(placed); at >= 0; at = body.indexOf(placed, at + 1)) count++;
  return count;
}
