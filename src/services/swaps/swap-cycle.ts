// One swap cycle: steps go into the journal, the ledger is followed while any swap waits for it, and
// each swap that is due is carried on, several at once and each by one hand. A step that fails is tried
// in the next cycle and holds up no other swap. When the beat comes is somebody else's business.

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
/** Beats between two looks at the ledger while nothing waits for it. */
const idleCycles = 100;

export class SwapCycle {
  readonly #parts: SwapCycleParts;
  readonly #busy = new Map<number, Promise<void>>();
  #isStopped = false;
  #idle = 0;

  constructor(parts: SwapCycleParts) {
    this.#parts = parts;
  }

  /** Begins what is due; swaps go on behind it. Nobody may call it before the last call has ended. */
  async work(): Promise<void> {
    const { recorder, log } = this.#parts;
    try {
      await recorder.work();
    } catch (error) {
      log.warn({ err: error }, "steps of swaps wait for the journal");
    }
    try {
      await this.#advanceAll();
    } catch (error) {
      log.warn({ err: error }, "swaps are looked at again in the next cycle");
    }
  }

  /** No swap is begun with any more; resolves when those under way are over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#busy.values());
  }

  async #advanceAll(): Promise<void> {
    const { store, now } = this.#parts;
    const due = await store.due(now());
    const isFresh = await this.#follow(due);
    for (const swap of due) {
      if (this.#isStopped || this.#busy.size >= atOnce) return;
      if (this.#busy.has(swap.swapNo)) continue;
      this.#busy.set(swap.swapNo, this.#advance(swap, isFresh));
    }
  }

  async #advance(swap: SwapRow, isFresh: boolean): Promise<void> {
    const { executor, store, log } = this.#parts;
    try {
      // The row was read before the ledger was: whoever had the swap then may have changed it since.
      const current = await store.swap(swap.swapNo);
      if (current !== null) await executor.advance(current, isFresh);
    } catch (error) {
      log.warn({ err: error, swapId: swap.swapId }, "a swap is looked at again");
    } finally {
      this.#busy.delete(swap.swapNo);
    }
  }

  /** True where the ledger was read to its end just now. */
  async #follow(due: readonly SwapRow[]): Promise<boolean> {
    const { follower, store, log } = this.#parts;
    try {
      if (due.some(waitsForLedger)) {
        this.#idle = 0;
        await follower.follow();
        return true;
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
