// One swap cycle: records steps in the journal, reads ledger updates if a due swap waits for them, and advances due
// swaps. Several swaps advance in parallel, each by one worker. A failed step is retried in the next cycle and does not
// hold up other swaps. SwapLoop schedules the cycles.

import { SwapState } from "../../core/swaps.ts";
import type { Log } from "../../ports/log.ts";
import type { SwapRow, SwapStore } from "../../ports/swaps/swap-store.ts";
import type { MoveRecorder } from "./move-recorder.ts";
import type { SwapExecutor } from "./swap-executor.ts";
import type { SwapFollower } from "./swap-follower.ts";

export interface SwapCycleParts {
  readonly store: SwapStore;
  readonly follower: SwapFollower;
  readonly recorder: MoveRecorder;
  readonly executor: SwapExecutor;
  readonly now: () => number;
  readonly log: Log;
}

const atOnce = 32;
/**
 * While no due swap waits for the ledger, its updates are not read. Once in this many cycles, the cursor then skips to
 * the ledger's end.
 */
const idleCycles = 25;

export class SwapCycle {
  readonly #parts: SwapCycleParts;
  readonly #busy = new Map<number, Promise<void>>();
  #isStopped = false;
  #idle = 0;
  /** Whether the last cycle found nothing to do. */
  #wasIdle = false;

  constructor(parts: SwapCycleParts) {
    this.#parts = parts;
  }

  /**
   * Starts all due work; swaps continue after the call has returned. Returns true if no swap is open and every step is
   * recorded, so that there is nothing to do before a row changes. Calls must not overlap.
   */
  async work(): Promise<boolean> {
    const { recorder, store, log } = this.#parts;
    let isIdle = false;
    try {
      // One statement replaces the others while there is nothing to do.
      if (this.#wasIdle && !(await store.hasOpen())) {
        await this.#follow([]);
        return true;
      }
      this.#wasIdle = false;
      isIdle = await recorder.work();
    } catch (error) {
      log.warn({ err: error }, "swap steps could not be recorded; they are retried");
    }
    try {
      this.#wasIdle = (await this.#advanceAll()) && isIdle;
      return this.#wasIdle;
    } catch (error) {
      log.warn({ err: error }, "a swap cycle failed; the next one retries");
      return false;
    }
  }

  /** Starts no more swaps and resolves when those in progress end. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#busy.values());
  }

  /** Advances the due swaps; returns whether no swap is open. */
  async #advanceAll(): Promise<boolean> {
    const { store, now } = this.#parts;
    const due = await store.due(now());
    const isFresh = await this.#follow(due);
    for (const swap of due) {
      if (this.#isStopped || this.#busy.size >= atOnce) return false;
      if (this.#busy.has(swap.swapNo)) continue;
      this.#busy.set(swap.swapNo, this.#advance(swap, isFresh));
    }
    if (due.length > 0 || this.#busy.size > 0) return false;
    return (await store.open(1)).length === 0;
  }

  async #advance(swap: SwapRow, isFresh: boolean): Promise<void> {
    const { executor, store, log } = this.#parts;
    try {
      // Read the row again: the previous worker of this swap may have changed it since.
      const current = await store.swap(swap.swapNo);
      if (current !== null) await executor.advance(current, isFresh);
    } catch (error) {
      log.warn({ err: error, swapId: swap.swapId }, "a swap step failed; it is retried");
    } finally {
      this.#busy.delete(swap.swapNo);
    }
  }

  /** True if the ledger was just read to its end. */
  async #follow(due: readonly SwapRow[]): Promise<boolean> {
    const { follower, store, log } = this.#parts;
    try {
      if (due.some(waitsForLedger)) {
        this.#idle = 0;
        return await follower.follow();
      }
      this.#idle++;
      if (this.#idle % idleCycles !== 1) return false;
      const isIdle = async () => !(await store.open(1_000)).some(waitsForLedger);
      await follower.skip(isIdle);
    } catch (error) {
      log.warn({ err: error }, "the ledger could not be read for swaps");
    }
    return false;
  }
}

function waitsForLedger({ state }: SwapRow): boolean {
  return state >= SwapState.accepted && state <= SwapState.releasing;
}
