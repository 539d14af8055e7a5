// The operator's actions on liquidity providers: lists, approves, rejects and suspends them, and rotates the key
// that signs requests to them. The settlement thread applies a change in its next cycle.

import {
  type ProviderOffice,
  type ProviderRecord,
  ProviderState,
  providerStateNames,
} from "../../ports/swaps/provider-registry.ts";
import type { VenueSigner } from "../../services/access/venue-signer.ts";
import { OperatorRefusal } from "./operator-commands.ts";

export interface ProviderOperatorParts {
  readonly office: ProviderOffice;
  readonly signer: VenueSigner;
  nowMs(): number;
}

interface Decision {
  readonly provider: string;
  readonly from: readonly ProviderState[];
  readonly to: ProviderState;
  readonly reason: string | null;
}

export class ProviderOperator {
  readonly #parts: ProviderOperatorParts;

  constructor(parts: ProviderOperatorParts) {
    this.#parts = parts;
  }

  async list(): Promise<object[]> {
    return (await this.#parts.office.list()).map(shown);
  }

  approve(provider: string): Promise<object> {
    const from = [ProviderState.pending];
    return this.#decide({ provider, from, to: ProviderState.approved, reason: null });
  }

  /** Rejects a registration; its key cannot register again. */
  refuse(provider: string, reason: string): Promise<object> {
    const from = [ProviderState.pending];
    return this.#decide({ provider, from, to: ProviderState.refused, reason });
  }

  suspend(provider: string, reason: string): Promise<object> {
    const from = [ProviderState.approved];
    return this.#decide({ provider, from, to: ProviderState.suspended, reason });
  }

  /** Resumes a provider and resets its score. */
  resume(provider: string): Promise<object> {
    const from = [ProviderState.suspended];
    return this.#decide({ provider, from, to: ProviderState.approved, reason: null });
  }

  /**
   * Starts a rotation of the signing key. The new key signs after ten minutes, or immediately if the old key is
   * compromised (`isAtOnce`).
   */
  async rotateKey(isAtOnce: boolean): Promise<object> {
    const key = await this.#parts.signer.rotate(isAtOnce);
    if (key === null)
      throw new OperatorRefusal(
        "a rotation is in progress and two keys are published: wait until the older one is retired",
      );
    const { keyId, publicKey, signsFromMs } = key;
    return { key_id: keyId, public_key: publicKey, signs_from: isoOf(signsFromMs) };
  }

  async #decide(decision: Decision): Promise<object> {
    const { office, nowMs } = this.#parts;
    const record = await office.decide({ ...decision, nowMs: nowMs() });
    if (record === "partyTaken")
      throw new OperatorRefusal("another provider already uses this party or this address");
    if (record === null) {
      const names = decision.from.map((state) => providerStateNames[state]).join(" or ");
      throw new OperatorRefusal(`no ${names} provider with this id`);
    }
    return shown(record);
  }
}

function shown(record: ProviderRecord): object {
  const { provider, name, url, party, pairs, state, reason, score, health, createdMs } = record;
  const { asked, quoted, late, invalid, failed, settled, declined, unlocked } = record;
  return {
    provider_id: provider,
    ...{ name, url },
    party_id: party,
    pairs,
    status: providerStateNames[state],
    reason,
    score: score / 1000,
    health,
    registered_at: isoOf(createdMs),
    ...{ asked, quoted, late, invalid, failed, settled, declined },
    leg_late: unlocked,
  };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
