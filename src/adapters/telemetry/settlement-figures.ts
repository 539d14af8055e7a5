// What the settlement thread knows of its backlog, in shared memory so that a front can show it at /metrics
// without asking.

import { statesWaiting } from "../../ports/ledger/batch-states.ts";
import type { SettlementBacklog } from "../../ports/ledger/settlement-store.ts";

/** States of batches that are shown, in the order of their places. */
export const shownStates = statesWaiting.map(([name]) => name);

const oldestSlot = 0;
const fillsSlot = 1;
const retriesSlot = 2;
const followedSlot = 3;
const astraySlot = 4;
const statesSlot = 5;

export class SettlementFigures {
  readonly #cells: Float64Array;

  static allocate(): SharedArrayBuffer {
    const cells = statesSlot + shownStates.length;
    return new SharedArrayBuffer(cells * Float64Array.BYTES_PER_ELEMENT);
  }

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Float64Array(memory);
  }

  /** Unix milliseconds of the oldest fill that is not settled; 0 without one. */
  get oldestMs(): number {
    return this.#cells[oldestSlot] ?? 0;
  }

  get pendingFills(): number {
    return this.#cells[fillsSlot] ?? 0;
  }

  /** Rounds of batches that ended without what they were for, since the start. */
  get retries(): number {
    return this.#cells[retriesSlot] ?? 0;
  }

  /** Unix milliseconds when the ledger was last read to its end; 0 before the first time. */
  get followedMs(): number {
    return this.#cells[followedSlot] ?? 0;
  }

  /** The settlement thread only. */
  followed(nowMs: number): void {
    this.#cells[followedSlot] = nowMs;
  }

  /** Coins on record that were not those on the ledger, in the newest comparison. */
  get coinsAstray(): number {
    return this.#cells[astraySlot] ?? 0;
  }

  /** The settlement thread only. */
  audited(coinsAstray: number): void {
    this.#cells[astraySlot] = coinsAstray;
  }

  /** Batches in the state of a place. */
  batches(index: number): number {
    return this.#cells[statesSlot + index] ?? 0;
  }

  /** The settlement thread only. */
  store({ oldestMs, fills, batches }: SettlementBacklog, retries: number): void {
    this.#cells[oldestSlot] = oldestMs ?? 0;
    this.#cells[fillsSlot] = fills;
    this.#cells[retriesSlot] = retries;
    for (const [index, state] of shownStates.entries()) {
      this.#cells[statesSlot + index] = batches[state] ?? 0;
    }
  }
}
