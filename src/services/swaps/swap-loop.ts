// When swaps are looked at: at a steady beat, and at once where somebody says that a row has changed.

import type { SwapTimes } from "../../engine/swaps/swap-machine.ts";
import type { SwapCycle } from "./swap-cycle.ts";

/** How often swaps are looked at, and their times. */
export interface SwapSettings extends SwapTimes {
  readonly pollMs: number;
}

/** A step may wait for a ledger that does not answer. */
const stopMsMax = 5_000;

export class SwapLoop {
  readonly #pollMs: number;
  readonly #cycle: SwapCycle;
  #timer: NodeJS.Timeout | null = null;
  #turn: Promise<void> = Promise.resolve();
  #isTurning = false;
  #isWoken = false;
  #isStopped = false;

  constructor(pollMs: number, cycle: SwapCycle) {
    this.#pollMs = pollMs;
    this.#cycle = cycle;
    this.#schedule(0);
  }

  /** There is something to do now. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isTurning) this.#schedule(0);
  }

  /** Resolves when the steps under way are over; what they had written down is enough to go on from. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, stopMsMax);
    });
    const all = Promise.all([this.#turn, this.#cycle.stop()]).then(() => this.#cycle.stop());
    await Promise.race([all, late]);
    clearTimeout(timer);
  }

  #schedule(inMs: number): void {
    if (this.#isStopped) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isTurning = true;
      this.#isWoken = false;
      this.#turn = this.#cycle.work().finally(() => {
        this.#isTurning = false;
        this.#schedule(this.#isWoken ? 0 : this.#pollMs);
      });
    }, inMs);
  }
}
