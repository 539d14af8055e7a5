// Rows of providers as the database gives them, and as the ports have them.

import type { ProviderRecord, ProviderState } from "../../../../ports/swaps/provider-registry.ts";
import { numberOrNull, type Stored } from "../../rows.ts";

export type StoredProvider = Stored<ProviderRecord>;

export function providerOf(row: StoredProvider): ProviderRecord {
  const { provider, name, url, party, reason, health } = row;
  return {
    ...{ provider, name, url, party, reason, health },
    state: row.state as ProviderState,
    score: Number(row.score),
    pairs: JSON.parse(row.pairs) as string[],
    createdMs: Number(row.created_ms),
    decidedMs: numberOrNull(row.decided_ms),
    asked: Number(row.asked),
    quoted: Number(row.quoted),
    passed: Number(row.passed),
    late: Number(row.late),
    invalid: Number(row.invalid),
    failed: Number(row.failed),
    settled: Number(row.settled),
    declined: Number(row.declined),
    unlocked: Number(row.unlocked),
    answerMs: Number(row.answer_ms),
    healthMs: numberOrNull(row.health_ms),
  };
}
