// Figures of the settlement backlog in shared memory, so that a front can show them at /metrics without sending the
// settlement thread a message.

import { statesWaiting } from "../../ports/ledger/batch-states.ts";
import type { SettlementBacklog } from "../../ports/ledger/settlement-store.ts";

/** Names of the batch states that are shown, in the order of their slots. */
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

  /** Time of the oldest unsettled fill in Unix ms; 0 if there is none. */
  get oldestMs(): number {
    return this.#values[oldestSlot] ?? 0;
  }

  get pendingFills(): number {
    return this.#values[fillsSlot] ?? 0;
  }

  /** Number of failed rounds of batches since the start. */
  get retries(): number {
    return this.#values[retriesSlot] ?? 0;
  }

  /** Unix ms at which the ledger's updates were last read completely; 0 before the first time. */
  get followedMs(): number {
    return this.#values[followedSlot] ?? 0;
  }

  /** Records a complete read of the ledger's updates. Only the settlement thread calls this. */
  followed(nowMs: number): void {
    this.#values[followedSlot] = nowMs;
  }

  /** Number of recorded coins that differed from the ledger in the last audit. */
  get coinsAstray(): number {
    return this.#values[astraySlot] ?? 0;
  }

  /** Records the result of an audit. Only the settlement thread calls this. */
  audited(coinsAstray: number): void {
    this.#values[astraySlot] = coinsAstray;
  }

  /** Number of batches in the state with this index. */
  batches(index: number): number {
    return this.#values[statesSlot + index] ?? 0;
  }

  /** Records the backlog and the number of retries. Only the settlement thread calls this. */
  store({ oldestMs, fills, batches }: SettlementBacklog, retries: number): void {
    this.#values[oldestSlot] = oldestMs ?? 0;
    this.#values[fillsSlot] = fills;
    this.#values[retriesSlot] = retries;
    for (const [index, state] of shownStates.entries()) {
      this.#values[statesSlot + index] = batches[state] ?? 0;
    }
  }
}
