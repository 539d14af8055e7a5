// In a gateway the leader counts orders, and its replies say what a key has used. This is the front's side of it: what
// each command of a request counts for, and what its answer's headers say. Spec GWY-20.

import type { RateTier } from "../../../core/accounts.ts";
import { emptyOrderClaim, emptyOrderUse, type Reply } from "../../../core/generated/messages.ts";
import { isOrderLimit } from "../../../core/reject-reason.ts";
import type { OrderOwners } from "../../../engine/state/tables/order-owners.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Counted, RateLimiter } from "../../../services/access/rate-limiter.ts";
import { notCounted, type OrderClaims } from "../../../services/bus/order-claims.ts";

/** The orders of a request that the leader has to count. */
export interface RequestClaim {
  readonly keyId: number;
  readonly keyTier: RateTier;
  /** The account whose orders these count as, and the largest tier among the keys of its family. */
  readonly owner: number;
  readonly accountTier: RateTier;
  /** Orders that no command of the request has carried yet. */
  left: number;
  /** Weight that the request has cost; it is given back if an order limit refuses the request. */
  weight: number;
}

/** The claim of a request that places `orders`. */
export function requestClaim(
  { keyId, account, tier }: Counted,
  owners: Pick<OrderOwners, "ownerOf" | "largestTier">,
  cost: { readonly orders: number; readonly weight: number },
): RequestClaim {
  const owner = owners.ownerOf(account);
  const accountTier = owners.largestTier(owner);
  return { keyId, owner, keyTier: tier, accountTier, left: cost.orders, weight: cost.weight };
}

/** What is counted of a request, and shown in its answer. */
export interface CountedRequest {
  readonly orderClaim: RequestClaim | null;
  readonly usedWeight: number;
  reportUse(weight: number, ordersPer10s: number, ordersPerMinute: number): void;
}

export interface LeaderCountsParts {
  readonly claims: OrderClaims;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
}

export class LeaderCounts {
  readonly #parts: LeaderCountsParts;
  readonly #claim = emptyOrderClaim();
  readonly #use = emptyOrderUse();

  constructor(parts: LeaderCountsParts) {
    this.#parts = parts;
  }

  /** Notes what the next command of `request` counts for: one order, until all orders of the request are carried. */
  claim({ orderClaim }: CountedRequest, correlation: number): void {
    const claim = this.#claim;
    claim.orders = 0;
    if (orderClaim !== null && orderClaim.left > 0) {
      orderClaim.left--;
      claim.orders = 1;
      claim.keyId = orderClaim.keyId;
      claim.owner = orderClaim.owner;
      claim.keyTier = orderClaim.keyTier;
      claim.accountTier = orderClaim.accountTier;
    }
    this.#parts.claims.put(correlation, claim);
  }

  /** Shows in the answer to `request` what the leader has counted. */
  told(request: CountedRequest, { correlation, reason }: Reply): void {
    const { orderClaim } = request;
    if (orderClaim === null) return;
    const { claims, limiter, clock } = this.#parts;
    const use = this.#use;
    claims.uses.read(correlation, use);
    if (use.per10s === notCounted) return;
    const nowMs = clock.nowMs();
    // Later answers that count no order show the same figures.
    limiter.noteOrders(orderClaim.keyId, use.per10s, use.perMinute, nowMs);
    let weight = request.usedWeight;
    if (isOrderLimit(reason) && orderClaim.weight > 0) {
      // A request that an order limit refuses costs no weight. Spec LIM-13.
      limiter.giveBackWeight(orderClaim.keyId, orderClaim.weight, nowMs);
      orderClaim.weight = 0;
      weight = limiter.usedWeight;
    }
    request.reportUse(weight, use.per10s, use.perMinute);
  }
}
