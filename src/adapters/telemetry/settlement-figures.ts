// Figures of the settlement backlog in shared memory, so that a front can show them at /metrics without a
// request.

import { statesWaiting } from "../../ports/ledger/batch-states.ts";
import type { SettlementBacklog } from "../../ports/ledger/settlement-store.ts";

/** The states of batches shown, in the order of their slots. */
export const shownStates = statesWaiting.map(([name]) => name);

const oldestSlot = 0;
const fillsSlot = 1;
const retriesSlot = 2;
const followedSlot = 3;
const astraySlot = 4;
const statesSlot = 5;

export class SettlementFigures {
  readonly #values: Float64Array;

  static allocate(): SharedArrayBuffer {
    const values = statesSlot + shownStates.length;
    return new SharedArrayBuffer(values * Float64Array.BYTES_PER_ELEMENT);
  }

  constructor(memory: SharedArrayBuffer) {
    this.#values = new Float64Array(memory);
  }

  /** Unix ms of the oldest unsettled fill; 0 if there is none. */
  get oldestMs(): number {
    return this.#values[oldestSlot] ?? 0;
  }

  get pendingFills(): number {
    return this.#values[fillsSlot] ?? 0;
  }

  /** Rounds of batches that failed, since the start. */
  get retries(): number {
    return this.#values[retriesSlot] ?? 0;
  }

  /** Unix ms of the last time the ledger's updates were read completely; 0 before the first time. */
  get followedMs(): number {
    return this.#values[followedSlot] ?? 0;
  }

  /** The settlement thread only. */
  followed(nowMs: number): void {
    this.#values[followedSlot] = nowMs;
  }

  /** Recorded coins that differed from the ledger in the last audit. */
  get coinsAstray(): number {
    return this.#values[astraySlot] ?? 0;
  }

  /** The settlement thread only. */
  audited(coinsAstray: number): void {
    this.#values[astraySlot] = coinsAstray;
  }

  /** Batches in the state with this index. */
  batches(index: number): number {
    return this.#values[statesSlot + index] ?? 0;
  }

  /** The settlement thread only. */
  store({ oldestMs, fills, batches }: SettlementBacklog, retries: number): void {
    this.#values[oldestSlot] = oldestMs ?? 0;
    this.#values[fillsSlot] = fills;
    this.#values[retriesSlot] = retries;
    for (const [index, state] of shownStates.entries()) {
      this.#values[statesSlot + index] = batches[state] ?? 0;
    }
  }
}
