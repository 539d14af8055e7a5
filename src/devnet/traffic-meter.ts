// What a submission costs and what is left of the allowance: a free base that refills with time up to a
// burst, then purchased extra. A submission that neither can pay for is refused before anything
// happens; one that fails later has cost its bytes all the same.

import type { TransactionNode } from "./interpreter.ts";
import { LedgerRefusal } from "./ledger-refusal.ts";

/** The network's parameters on all its public networks. */
export const trafficParameters = {
  burstBytes: 400_000,
  windowMs: 1_200_000,
  /** Parts of 10,000 a recipient adds. */
  recipientFactor: 4,
} as const;

/** Envelope of a confirmation request beside its views. */
const envelopeBytes = 2_000;

export interface TrafficState {
  baseRemaining: number;
  baseUpdatedMs: number;
  extraPurchased: number;
  extraConsumed: number;
}

/** Bytes a transaction of these nodes is charged. */
export function trafficCostOf(nodes: readonly TransactionNode[]): number {
  const { recipientFactor } = trafficParameters;
  const views = nodes.map(({ argument, witnesses }) => {
    const bytes = Buffer.byteLength(JSON.stringify(argument));
    return bytes * (1 + (witnesses.length * recipientFactor) / 10_000);
  });
  return Math.ceil(envelopeBytes + views.reduce((sum, bytes) => sum + bytes, 0));
}

export class TrafficMeter {
  readonly #state: TrafficState;
  readonly #isUnlimited: boolean;

  constructor(state: TrafficState, isUnlimited: boolean) {
    this.#state = state;
    // Written before whole bytes only were drawn.
    state.extraConsumed = Math.ceil(state.extraConsumed);
    this.#isUnlimited = isUnlimited;
  }

  static fresh(nowMs: number): TrafficState {
    return {
      baseRemaining: trafficParameters.burstBytes,
      baseUpdatedMs: nowMs,
      extraPurchased: 0,
      extraConsumed: 0,
    };
  }

  get state(): TrafficState {
    return this.#state;
  }

  /** Takes `bytes` from the base, then from the extra; refuses where they are not there. */
  charge(bytes: number, nowMs: number): void {
    const state = this.#state;
    this.#refill(nowMs);
    // Whole bytes only: parts of one stay in the base until they are one.
    const fromBase = Math.min(bytes, Math.floor(state.baseRemaining));
    const fromExtra = bytes - fromBase;
    const extra = state.extraPurchased - state.extraConsumed;
    if (fromExtra > extra && !this.#isUnlimited) {
      throw new LedgerRefusal(
        "SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT",
        `${bytes} bytes are not there`,
      );
    }
    state.baseRemaining -= fromBase;
    state.extraConsumed += fromExtra;
  }

  purchase(bytes: number): void {
    this.#state.extraPurchased += bytes;
  }

  #refill(nowMs: number): void {
    const state = this.#state;
    const { burstBytes, windowMs } = trafficParameters;
    const passedMs = Math.max(0, nowMs - state.baseUpdatedMs);
    const refilled = state.baseRemaining + (passedMs * burstBytes) / windowMs;
    // Parts of bytes are kept: a base that is looked at often must refill as fast as any other.
    state.baseRemaining = Math.min(burstBytes, refilled);
    state.baseUpdatedMs = nowMs;
  }
}
