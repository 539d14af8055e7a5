// One of the fleet: an account with its key, the address it speaks from, and how often it may. It stays
// below what a house key is allowed in any window, however its windows lie: a bucket of orders that
// fills steadily. It knows nothing of what is traded.

import { RateTier } from "../../core/accounts.ts";
import { limitsOf } from "../../services/access/rate-tiers.ts";
import { type LoadKey, RequestSigner } from "../load/signed-requests.ts";
import type { FleetRequest } from "./fleet-market.ts";

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
