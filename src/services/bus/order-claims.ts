// The orders that gateways admit are counted by the leader, so that an account has its limits once and not once at each
// gateway. These tables hold what a command counts for, and what the leader has counted, by the place of its correlation
// among the requests in flight: no record in a ring has to carry it, and counting allocates nothing.

import type { OrderClaim, OrderUse } from "../../core/generated/messages.ts";
import { requestsInFlightMax } from "../../core/limits.ts";

/** In an `OrderUse`: the command was not counted. */
export const notCounted = 0xffff;

const placeMask = requestsInFlightMax - 1;

/** What the leader has counted for the commands of one gateway thread. */
export class OrderUses {
  readonly #per10s = new Uint16Array(requestsInFlightMax).fill(notCounted);
  readonly #perMinute = new Uint16Array(requestsInFlightMax);

  note(correlation: number, { per10s, perMinute }: OrderUse): void {
    const place = correlation & placeMask;
    this.#per10s[place] = per10s;
    this.#perMinute[place] = perMinute;
  }

  read(correlation: number, into: OrderUse): void {
    const place = correlation & placeMask;
    into.per10s = this.#per10s[place] as number;
    into.perMinute = this.#perMinute[place] as number;
  }
}

/** What the commands of one gateway thread count for. */
export class OrderClaims {
  readonly uses = new OrderUses();
  readonly #keyIds = new Uint32Array(requestsInFlightMax);
  readonly #owners = new Uint32Array(requestsInFlightMax);
  readonly #orders = new Uint16Array(requestsInFlightMax);
  readonly #keyTiers = new Uint8Array(requestsInFlightMax);
  readonly #accountTiers = new Uint8Array(requestsInFlightMax);

  put(correlation: number, { keyId, owner, orders, keyTier, accountTier }: OrderClaim): void {
    const place = correlation & placeMask;
    this.#owners[place] = owner;
    this.#keyIds[place] = keyId;
    this.#orders[place] = orders;
    this.#keyTiers[place] = keyTier;
    this.#accountTiers[place] = accountTier;
  }

  read(correlation: number, into: OrderClaim): void {
    const place = correlation & placeMask;
    into.owner = this.#owners[place] as number;
    into.keyId = this.#keyIds[place] as number;
    into.orders = this.#orders[place] as number;
    into.keyTier = this.#keyTiers[place] as OrderClaim["keyTier"];
    into.accountTier = this.#accountTiers[place] as OrderClaim["accountTier"];
  }
}
