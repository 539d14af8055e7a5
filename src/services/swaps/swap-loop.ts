// Schedules swap cycles: at a steady interval while a swap is open, rarely while none is, and at once when a row has
// changed.

import type { SwapTimes } from "../../engine/swaps/swap-machine.ts";
import type { SwapCycle } from "./swap-cycle.ts";

/** The polling interval and the time limits of swaps. */
export interface SwapSettings extends SwapTimes {
  readonly pollMs: number;
}

/**
 * While no swap is open and changed rows are notified, cycles are this many times as far apart. With default settings
 * the interval is shorter than the quote window, so that a request gets quotes even if its notification is lost.
 */
const idlePolls = 4;

/** Longest time that `stop` waits for the steps in progress, because the ledger may never answer. */
const stopMsMax = 5_000;

export class SwapLoop {
  readonly #pollMs: number;
  readonly #cycle: SwapCycle;
  #timer: NodeJS.Timeout | null = null;
  #turn: Promise<void> = Promise.resolve();
  #isTurning = false;
  #isWoken = false;
  #isNotified = false;
  #isStopped = false;

  constructor(pollMs: number, cycle: SwapCycle) {
    this.#pollMs = pollMs;
    this.#cycle = cycle;
    this.#schedule(0);
  }

  /**
   * Tells the loop whether `wake` will be called for changed rows from now on. If it will not, cycles keep the steady
   * interval even while no swap is open.
   */
  notified(isNotified: boolean): void {
    this.#isNotified = isNotified;
    this.wake();
  }

  /** Runs the next cycle at once. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isTurning) this.#schedule(0);
  }

  /** Resolves when the steps in progress end, or after `stopMsMax`. A restart continues from the stored state. */
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
      this.#turn = this.#runCycle();
    }, inMs);
  }

  async #runCycle(): Promise<void> {
    let isIdle = false;
    try {
      isIdle = await this.#cycle.work();
    } finally {
      this.#isTurning = false;
      const polls = isIdle && this.#isNotified ? idlePolls : 1;
      this.#schedule(this.#isWoken ? 0 : polls * this.#pollMs);
    }
  }
}
