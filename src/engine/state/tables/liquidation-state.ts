// Liquidations in progress and the trading gate.

import { assert } from "../../../core/assert.ts";
import { LiquidationStage, TradingGate } from "../../../core/liquidation.ts";

/** One account's liquidation. */
export interface Liquidation {
  readonly account: number;
  readonly stage: LiquidationStage;
  /** Number of consecutive liquidation orders without a fill. */
  readonly dryTries: number;
  /** Microseconds UTC of the earliest next attempt. */
  readonly nextUs: number;
}

export class LiquidationState {
  gate: TradingGate = TradingGate.unarmed;
  /** Number of accounts in liquidation. */
  count = 0;
  #begun = 0;
  readonly #under = new Map<number, Liquidation>();

  /** The account's liquidation, if any. */
  of(account: number): Liquidation | undefined {
    return this.count === 0 ? undefined : this.#under.get(account);
  }

  /** Number of liquidations that have begun since this state was made: a figure for the operator, in no snapshot. */
  get begun(): number {
    return this.#begun;
  }

  /** All liquidations in progress, in the order in which they started. */
  all(): IterableIterator<Liquidation> {
    return this.#under.values();
  }

  /** Starts, changes or (stage none) ends an account's liquidation. */
  set({ account, stage, dryTries, nextUs }: Liquidation): void {
    assert(dryTries >= 0 && nextUs >= 0, "the number of tries and the time must not be negative");
    if (stage !== LiquidationStage.none && !this.#under.has(account)) this.#begun++;
    if (stage === LiquidationStage.none) this.#under.delete(account);
    else this.#under.set(account, { account, stage, dryTries, nextUs });
    this.count = this.#under.size;
  }
}
