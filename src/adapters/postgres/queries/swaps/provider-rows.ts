// Rows of providers as the database gives them, and as the ports have them.

import type { ProviderRecord, ProviderState } from "../../../../ports/swaps/provider-registry.ts";

export interface StoredProvider {
  readonly provider: string;
  readonly name: string;
  readonly url: string;
  readonly party: string;
  readonly pairs: string;
  readonly state: ProviderState;
  readonly reason: string | null;
  readonly created_ms: string;
  readonly decided_ms: string | null;
  readonly score: number;
  readonly asked: string;
  readonly quoted: string;
  readonly passed: string;
  readonly late: string;
  readonly invalid: string;
  readonly failed: string;
  readonly settled: string;
  readonly declined: string;
  readonly unlocked: string;
  readonly answer_ms: string;
  readonly health: string | null;
  readonly health_ms: string | null;
}

function numberOrNull(text: string | null): number | null {
  return text === null ? null : Number(text);
}

export function providerOf(row: StoredProvider): ProviderRecord {
  const { provider, name, url, party, state, reason, score, health } = row;
  return {
    ...{ provider, name, url, party, state, reason, score, health },
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
