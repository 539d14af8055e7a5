// Requests in flight on one lane to one matcher, in order. The lane's credits bound them, so that
// the matcher's reply ring can always hold every answer still owed; and because lanes are first in,
// first out, the answer at the head always belongs to the oldest request.

import { assert } from "../../core/assert.ts";
import type { PlaceOrder } from "../../core/commands.ts";
import { matcherCreditsMax } from "../../core/limits.ts";
import type { OrderTerms } from "./admission.ts";

/** A mass cancel under way: answered when its last order has been. */
export interface MassCancel {
  readonly source: number;
  readonly correlation: number;
  readonly atUs: number;
  /** Orders not yet dealt with. */
  remaining: number;
  cancelled: number;
}

/** A fence that waits for requests before it: answered when all of them have been. */
export interface FenceWait {
  readonly source: number;
  readonly correlation: number;
  remaining: number;
}

/** An order with its matcher, its hold volatile until the unit is written. */
export interface PendingPlace {
  readonly order: PlaceOrder;
  readonly terms: OrderTerms;
}

export interface PendingRequest {
  readonly slot: number;
  readonly source: number;
  readonly correlation: number;
  readonly atUs: number;
  readonly place: PendingPlace | null;
  readonly mass: MassCancel | null;
  fences: FenceWait[] | null;
}

export class RequestLane {
  readonly #requests: PendingRequest[] = [];

  get inFlight(): number {
    return this.#requests.length;
  }

  hasCredit(): boolean {
    return this.#requests.length < matcherCreditsMax;
  }

  /** Counts a request sent; asserts that a credit was left. */
  push(request: PendingRequest): void {
    assert(this.hasCredit(), "a request has a credit");
    this.#requests.push(request);
  }

  /** The request that the next answer belongs to; asserts that it is about `slot`. */
  shift(slot: number): PendingRequest {
    const request = this.#requests.shift();
    assert(request !== undefined, "an answer was asked for");
    assert(request.slot === slot, "answers come in the order of requests");
    return request;
  }

  /** The youngest request in flight. */
  last(): PendingRequest | undefined {
    return this.#requests.at(-1);
  }

  /** All requests in flight, oldest first. */
  requests(): readonly PendingRequest[] {
    return this.#requests;
  }
}
