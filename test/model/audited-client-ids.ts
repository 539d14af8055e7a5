// The client order ids in use, as the auditor sees them: one is free again ten minutes after its order closed.

import assert from "node:assert/strict";
import type { OrderAccepted, SpecialAccepted } from "../../src/core/generated/events.ts";
import { clientIdMemoryMs } from "../../src/core/limits.ts";

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
    this.#freeFrom.set(`${account}:${clientId}`, tsUs + clientIdMemoryMs * 1000);
  }
}
