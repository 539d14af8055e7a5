// The client order ids in use, as the auditor sees them: one of an account is free ten minutes after its order closed, that
// of a quote at once.

import assert from "node:assert/strict";
import type { OrderAccepted, SpecialAccepted } from "../../src/core/generated/events.ts";
import { clientIdMemoryMs } from "../../src/core/limits.ts";
import { isQuoteClientId } from "../../src/core/orders.ts";

export class AuditedClientIds {
  /** Time from which each id may be used again, in microseconds. */
  readonly #freeFrom = new Map<string, number>();

  use({ account, clientId, tsUs }: OrderAccepted | SpecialAccepted): void {
    if (clientId === "") return;
    const freeFrom = this.#freeFrom.get(`${account}:${clientId}`) ?? 0;
    assert(tsUs >= freeFrom, "a client id must not be used twice");
    this.#freeFrom.set(`${account}:${clientId}`, Number.POSITIVE_INFINITY);
  }

  leave({ account, clientId }: { account: number; clientId: string }, tsUs: number): void {
    if (clientId === "") return;
    const memoryMs = isQuoteClientId(clientId) ? 0 : clientIdMemoryMs;
    this.#freeFrom.set(`${account}:${clientId}`, tsUs + memoryMs * 1000);
  }
}
