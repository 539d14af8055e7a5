// Computes the cost of submissions and meters the traffic allowance: a free base that refills over time up to a
// maximum, and purchased extra traffic. A submission that costs more than both together is refused before it runs. A
// submission that fails later is charged nevertheless.

import type { TransactionNode } from "./interpreter.ts";
import { LedgerRefusal } from "./ledger-refusal.ts";

/** Traffic parameters that all public networks use. */
export const trafficParameters = {
  burstBytes: 400_000,
  windowMs: 1_200_000,
  /** What each recipient adds to the cost of a view, in ten-thousandths of the view's bytes. */
  recipientFactor: 4,
} as const;

/** Bytes of a confirmation request without its views. */
const envelopeBytes = 2_000;

export interface TrafficState {
  baseRemaining: number;
  baseUpdatedMs: number;
  extraPurchased: number;
  extraConsumed: number;
}

/** Returns the bytes charged for a transaction with these nodes. */
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
    // Round up, because a stored value may have a fraction of a byte.
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

  /** Takes `bytes` from the base first, then from the extra traffic; refuses if both together are insufficient. */
  charge(bytes: number, nowMs: number): void {
    const state = this.#state;
    this.#refill(nowMs);
    // Take only whole bytes from the base; a fraction of a byte stays there.
    const fromBase = Math.min(bytes, Math.floor(state.baseRemaining));
    const fromExtra = bytes - fromBase;
    const extra = state.extraPurchased - state.extraConsumed;
    if (fromExtra > extra && !this.#isUnlimited) {
      throw new LedgerRefusal(
        "SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT",
        `${bytes} bytes of traffic are not available`,
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
    // Keep the fraction, so that frequent queries do not slow down the refill.
    state.baseRemaining = Math.min(burstBytes, refilled);
    state.baseUpdatedMs = nowMs;
  }
}
