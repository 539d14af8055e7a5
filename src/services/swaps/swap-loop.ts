// The beat of swaps: steps go into the journal, the ledger is followed while any swap waits for it, and
// each swap that is due is carried on, several at once and each by one hand. A step that fails is tried
// at the next beat and holds up no other swap.

import { SwapState } from "../../core/swaps.ts";
import type { SwapTimes } from "../../engine/swaps/swap-machine.ts";
import type { Log } from "../../ports/log.ts";
import type { SwapRow, SwapStore } from "../../ports/swap-store.ts";
import type { MoveRecorder } from "./move-recorder.ts";
import type { SwapCarrier } from "./swap-carrier.ts";
import type { SwapFollower } from "./swap-follower.ts";

/** How often swaps are looked at, and their times. */
export interface SwapSettings extends SwapTimes {
  readonly pollMs: number;
}

export interface SwapLoopParts {
  readonly pollMs: number;
  readonly store: SwapStore;
  readonly follower: SwapFollower;
  readonly recorder: MoveRecorder;
  readonly carrier: SwapCarrier;
  readonly log: Log;
}

/** A step may wait for a ledger that does not answer. */
const stopMsMax = 5_000;
const atOnce = 32;
/** Beats between two looks at the ledger while nothing waits for it. */
const idleBeats = 100;

export class SwapLoop {
  readonly #parts: SwapLoopParts;
  readonly #busy = new Map<number, Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #turn: Promise<void> = Promise.resolve();
  #isTurning = false;
  #isWoken = false;
  #isStopped = false;
  #idle = 0;

  constructor(parts: SwapLoopParts) {
    this.#parts = parts;
    this.#beat(0);
  }

  /** There is something to do now. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isTurning) this.#beat(0);
  }

  /** Resolves when the steps under way are over; what they had written down is enough to go on from. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, stopMsMax);
    });
    const all = this.#turn.then(() => Promise.all(this.#busy.values()));
    await Promise.race([all, late]);
    clearTimeout(timer);
  }

  #beat(inMs: number): void {
    if (this.#isStopped) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isTurning = true;
      this.#isWoken = false;
      this.#turn = this.#step().finally(() => {
        this.#isTurning = false;
        this.#beat(this.#isWoken ? 0 : this.#parts.pollMs);
      });
    }, inMs);
  }

  async #step(): Promise<void> {
    const { recorder, log } = this.#parts;
    try {
      await recorder.work();
    } catch (error) {
      log.warn({ err: error }, "steps of swaps wait for the journal");
    }
    try {
      await this.#carryAll();
    } catch (error) {
      log.warn({ err: error }, "swaps are looked at again at the next beat");
    }
  }

  async #carryAll(): Promise<void> {
    const { store } = this.#parts;
    const due = await store.due(Date.now());
    const isFresh = await this.#follow(due);
    for (const swap of due) {
      if (this.#isStopped || this.#busy.size >= atOnce) return;
      if (this.#busy.has(swap.swapNo)) continue;
      this.#busy.set(swap.swapNo, this.#carry(swap, isFresh));
    }
  }

  async #carry(swap: SwapRow, isFresh: boolean): Promise<void> {
    const { carrier, store, log } = this.#parts;
    try {
      // The row was read before the ledger was: whoever had the swap then may have changed it since.
      const current = await store.swap(swap.swapNo);
      if (current !== null) await carrier.carry(current, isFresh);
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
      if (this.#idle % idleBeats !== 1) return false;
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
