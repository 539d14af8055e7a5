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
  readonly #cells: Float64Array;

  static allocate(): SharedArrayBuffer {
    const cells = statesSlot + shownStates.length;
    return new SharedArrayBuffer(cells * Float64Array.BYTES_PER_ELEMENT);
  }

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Float64Array(memory);
  }

  /** Unix ms of the oldest unsettled fill; 0 if there is none. */
  get oldestMs(): number {
    return this.#cells[oldestSlot] ?? 0;
  }

  get pendingFills(): number {
    return this.#cells[fillsSlot] ?? 0;
  }

  /** Rounds of batches that failed, since the start. */
  get retries(): number {
    return this.#cells[retriesSlot] ?? 0;
  }

  /** Unix ms when the ledger was last read to its end; 0 before the first time. */
  get followedMs(): number {
    return this.#cells[followedSlot] ?? 0;
  }

  /** The settlement thread only. */
  followed(nowMs: number): void {
    this.#cells[followedSlot] = nowMs;
  }

  /** Recorded coins that differed from the ledger in the last audit. */
  get coinsAstray(): number {
    return this.#cells[astraySlot] ?? 0;
  }

  /** The settlement thread only. */
  audited(coinsAstray: number): void {
    this.#cells[astraySlot] = coinsAstray;
  }

  /** Batches in the state with this index. */
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
