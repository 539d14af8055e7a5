// What a call may use: the weight and orders of its key or session, and the orders of its account, which are
// those of the largest tier among its keys and sessions, however many it has.

import type { RateTier } from "../../core/accounts.ts";
import type { KeyTable } from "../../engine/state/tables/key-table.ts";
import { Limited, type RateLimiter } from "./rate-limiter.ts";
import { limitsOf, type RateLimits } from "./rate-tiers.ts";

export interface CountedCall {
  /** Number of the key or the session. */
  readonly keyId: number;
  readonly account: number;
  readonly tier: RateTier;
  readonly weight: number;
  /** 0 for what places none. */
  readonly orders: number;
}

export interface LimitDecision {
  readonly limited: Limited;
  /** Those that the call met, or keeps to. */
  readonly limits: RateLimits;
}

export class CallLimits {
  readonly #limiter: RateLimiter;
  readonly #keys: Pick<KeyTable, "largestTier">;

  constructor(limiter: RateLimiter, keys: Pick<KeyTable, "largestTier">) {
    this.#limiter = limiter;
    this.#keys = keys;
  }

  /**
   * Counts a call, or nothing at all where one of its limits is reached; what its key has used then stands in
   * the limiter. Spec LIM-2, LIM-13, LIM-30.
   */
  admit({ keyId, account, tier, weight, orders }: CountedCall, nowMs: number): LimitDecision {
    const limiter = this.#limiter;
    const limits = limitsOf(tier);
    if (orders === 0) return { limited: limiter.admit(keyId, weight, 0, limits, nowMs), limits };
    const ofAccount = limitsOf(this.#keys.largestTier(account));
    const reached = limiter.takeAccountOrders(account, orders, ofAccount, nowMs);
    if (reached !== Limited.no) {
      limiter.lookAtKey(keyId, nowMs);
      return { limited: reached, limits: ofAccount };
    }
    const limited = limiter.admit(keyId, weight, orders, limits, nowMs);
    if (limited !== Limited.no) limiter.giveBackAccountOrders(account, orders, nowMs);
    return { limited, limits };
  }
}
