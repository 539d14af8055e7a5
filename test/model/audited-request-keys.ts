// The idempotency keys in use, as the auditor sees them: an account may use one again a day later.

import assert from "node:assert/strict";
import type { RequestKeyed } from "../../src/core/generated/events.ts";
import { requestKeyMemoryMs } from "../../src/core/limits.ts";

export class AuditedRequestKeys {
  /** Time from which each key may be used again, in microseconds. */
  readonly #freeFrom = new Map<string, number>();

  use({ account, high, low, tsUs }: RequestKeyed): void {
    const key = `${account}:${high}:${low}`;
    assert(tsUs >= (this.#freeFrom.get(key) ?? 0), "a key must not be used twice in a day");
    this.#freeFrom.set(key, tsUs + requestKeyMemoryMs * 1000);
  }
}
