// Liquidations under way and the gate of trading, as events left them.

import { assert } from "../../../core/assert.ts";
import { LiquidationStage, TradingGate } from "../../../core/liquidation.ts";

/** One account's liquidation. */
export interface Liquidation {
  readonly account: number;
  readonly stage: LiquidationStage;
  /** Orders of the venue in a row that traded nothing. */
  readonly dryTries: number;
  /** Microseconds UTC of the next attempt at the earliest. */
  readonly nextUs: number;
}

export class LiquidationState {
  gate: TradingGate = TradingGate.unarmed;
  /** How many accounts are being liquidated. */
  count = 0;
  readonly #under = new Map<number, Liquidation>();

  /** The account's liquidation; undefined for one that is in none. */
  of(account: number): Liquidation | undefined {
    return this.count === 0 ? undefined : this.#under.get(account);
  }

  /** In the order in which they began. */
  all(): IterableIterator<Liquidation> {
    return this.#under.values();
  }

  /** Begins, changes or (stage none) ends an account's liquidation. */
  set({ account, stage, dryTries, nextUs }: Liquidation): void {
    assert(dryTries >= 0 && nextUs >= 0, "a liquidation counts and waits forward");
    if (stage === LiquidationStage.none) this.#under.delete(account);
    else this.#under.set(account, { account, stage, dryTries, nextUs });
    this.count = this.#under.size;
  }
}
