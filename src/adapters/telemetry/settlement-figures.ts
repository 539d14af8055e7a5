// What the settlement thread knows of its backlog, in shared memory so that a front can show it at /metrics
// without asking.

import { statesWaiting } from "../../ports/ledger/batch-states.ts";
import type { SettlementBacklog } from "../../ports/ledger/settlement-store.ts";

/** States of batches that are shown, in the order of their places. */
export const shownStates = statesWaiting.map(([name]) => name);

const oldestPlace = 0;
const fillsPlace = 1;
const retriesPlace = 2;
const followedPlace = 3;
const astrayPlace = 4;
const statesPlace = 5;

export class SettlementFigures {
  readonly #cells: Float64Array;

  static allocate(): SharedArrayBuffer {
    const cells = statesPlace + shownStates.length;
    return new SharedArrayBuffer(cells * Float64Array.BYTES_PER_ELEMENT);
  }

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Float64Array(memory);
  }

  /** Unix milliseconds of the oldest fill that is not settled; 0 without one. */
  get oldestMs(): number {
    return this.#cells[oldestPlace] ?? 0;
  }

  get pendingFills(): number {
    return this.#cells[fillsPlace] ?? 0;
  }

  /** Rounds of batches that ended without what they were for, since the start. */
  get retries(): number {
    return this.#cells[retriesPlace] ?? 0;
  }

  /** Unix milliseconds when the ledger was last read to its end; 0 before the first time. */
  get followedMs(): number {
    return this.#cells[followedPlace] ?? 0;
  }

  /** The settlement thread only. */
  followed(nowMs: number): void {
    this.#cells[followedPlace] = nowMs;
  }

  /** Coins on record that were not those on the ledger, in the newest comparison. */
  get coinsAstray(): number {
    return this.#cells[astrayPlace] ?? 0;
  }

  /** The settlement thread only. */
  audited(coinsAstray: number): void {
    this.#cells[astrayPlace] = coinsAstray;
  }

  /** Batches in the state of a place. */
  batches(place: number): number {
    return this.#cells[statesPlace + place] ?? 0;
  }

  /** The settlement thread only. */
  store({ oldestMs, fills, batches }: SettlementBacklog, retries: number): void {
    this.#cells[oldestPlace] = oldestMs ?? 0;
    this.#cells[fillsPlace] = fills;
    this.#cells[retriesPlace] = retries;
    for (const [place, state] of shownStates.entries()) {
      this.#cells[statesPlace + place] = batches[state] ?? 0;
    }
  }
}
