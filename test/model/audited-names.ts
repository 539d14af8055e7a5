// The auditor's names: client order ids and idempotency keys, and the times from which each may be used again. A client
// order id of an account is free ten minutes after its order closed, that of a quote at once.

import assert from "node:assert/strict";
import type { RequestKeyed } from "../../src/core/generated/events.ts";
import { clientIdMemoryMs, requestKeyMemoryMs } from "../../src/core/limits.ts";
import { isQuoteClientId } from "../../src/core/orders.ts";
import type { AcceptedOrder } from "../../src/engine/state/apply/order-posting.ts";
import type { AuditedOrder } from "./audited-book.ts";

export class AuditedNames {
  readonly #clientIds = new Map<string, number>();
  /** Time from which each idempotency key may be used again, in microseconds. */
  readonly #keys = new Map<string, number>();

  use({ account, clientId, tsUs }: AcceptedOrder): void {
    if (clientId === "") return;
    const freeFrom = this.#clientIds.get(`${account}:${clientId}`) ?? 0;
    assert(tsUs >= freeFrom, "a client id must not be used twice");
    this.#clientIds.set(`${account}:${clientId}`, Number.POSITIVE_INFINITY);
  }

  /** The order closed at `tsUs`. */
  leave({ account, clientId }: AuditedOrder, tsUs: number): void {
    if (clientId === "") return;
    const memoryMs = isQuoteClientId(clientId) ? 0 : clientIdMemoryMs;
    this.#clientIds.set(`${account}:${clientId}`, tsUs + memoryMs * 1000);
  }

  useKey({ account, high, low, tsUs }: RequestKeyed): void {
    const key = `${account}:${high}:${low}`;
    assert(tsUs >= (this.#keys.get(key) ?? 0), "a key must not be used twice in a day");
    this.#keys.set(key, tsUs + requestKeyMemoryMs * 1000);
  }
}
