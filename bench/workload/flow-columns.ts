// Stores the messages of a seeded stream as parallel columns, with the handles that clearing would issue.

import type { FlowOrder } from "./reference-book.ts";

export interface FlowColumns {
  readonly length: number;
  readonly kinds: Uint8Array;
  readonly sides: Uint8Array;
  readonly ids: Int32Array;
  readonly prices: Int32Array;
  readonly qtys: Int32Array;
  /** Slot of the handle that clearing would issue: the slot freed last is reused first. */
  readonly slots: Int32Array;
  readonly generations: Int32Array;
}

/** Writes the columns message by message. */
export class FlowWriter {
  readonly columns: FlowColumns;
  readonly #freeSlots: number[] = [];
  readonly #generations: number[] = [];
  #at = 0;

  constructor(length: number) {
    this.columns = {
      length,
      kinds: new Uint8Array(length),
      sides: new Uint8Array(length),
      ids: new Int32Array(length),
      prices: new Int32Array(length),
      qtys: new Int32Array(length),
      slots: new Int32Array(length),
      generations: new Int32Array(length),
    };
  }

  /** Number of messages written so far. */
  get written(): number {
    return this.#at;
  }

  /** Largest number of slots in use, which is the pool size that a book needs. */
  get slotsUsed(): number {
    return this.#generations.length;
  }

  /** Takes a slot for a new order, with its next generation. */
  takeSlot(): number {
    const slot = this.#freeSlots.pop() ?? this.#generations.push(0) - 1;
    this.#generations[slot] = this.generationOf(slot) + 1;
    return slot;
  }

  /** Frees the slot of an order that is gone. */
  freeSlot(slot: number): void {
    this.#freeSlots.push(slot);
  }

  /** Takes the slot that was freed last back into use, because its order is placed again. */
  keepSlot(): void {
    this.#freeSlots.pop();
  }

  generationOf(slot: number): number {
    return this.#generations[slot] ?? 0;
  }

  /** Writes the next message; returns its index. */
  write(kind: number, order: FlowOrder): number {
    const { kinds, sides, ids, prices, qtys, slots, generations } = this.columns;
    const at = this.#at++;
    kinds[at] = kind;
    sides[at] = order.side;
    ids[at] = order.id;
    prices[at] = order.price;
    qtys[at] = order.qty;
    slots[at] = order.slot;
    generations[at] = this.generationOf(order.slot);
    return at;
  }
}
