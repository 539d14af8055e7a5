// Rows to be rewritten, each at most once per interval: a row marked twice before it is due is written once, with its
// latest values. First in, first out, so that under steady load the rows become due at different times and no single
// commit has to write all of them.

import { reservedMemory } from "../../core/reserved-memory.ts";
import { isOverdue, mayJoin, oldestMs } from "./joining-rule.ts";

/** Entries are dropped from the front in pieces of this size: removing them one by one would be quadratic. */
const trimAt = 4096;

export class DueQueue {
  readonly #intervalMs: number;
  readonly #isQueued: Uint8Array;
  #keys: number[] = [];
  #dueMs: number[] = [];
  #head = 0;
  #taken = 0;

  /** Keys are integers below `keys`. */
  constructor(keys: number, intervalMs: number) {
    this.#isQueued = new Uint8Array(reservedMemory(keys));
    this.#intervalMs = intervalMs;
  }

  /** Records that the row of `key` changed at `nowMs`. */
  mark(key: number, nowMs: number): void {
    if (this.#isQueued[key] === 1) return;
    this.#isQueued[key] = 1;
    this.#keys.push(key);
    this.#dueMs.push(nowMs + this.#intervalMs);
  }

  /** Records that the row of `key` need not be written any more. */
  forget(key: number): void {
    this.#isQueued[key] = 0;
  }

  /** The time at which the oldest unwritten row changed, in ms; infinite if there is none. */
  get oldestMs(): number {
    return oldestMs({ dueMs: this.#dueMs, head: this.#head, intervalMs: this.#intervalMs });
  }

  /** True if rows should join a batch that is committed anyway at `nowMs`. */
  mayJoin(nowMs: number): boolean {
    return mayJoin({ dueMs: this.#dueMs, head: this.#head, intervalMs: this.#intervalMs }, nowMs);
  }

  /** True if rows justify a commit without events at `nowMs`. */
  isOverdue(nowMs: number): boolean {
    return isOverdue({ dueMs: this.#dueMs, head: this.#head, intervalMs: this.#intervalMs }, nowMs);
  }

  /** True if a row is due at `nowMs`. */
  isDue(nowMs: number): boolean {
    const due = this.#dueMs[this.#head];
    return due !== undefined && due <= nowMs;
  }

  /** Number of entries taken so far. */
  get taken(): number {
    return this.#taken;
  }

  /** Number of entries queued so far. Once `taken` reaches this number, everything marked until now is written. */
  get queued(): number {
    return this.#taken + this.#keys.length - this.#head;
  }

  /** The queued keys, oldest first. */
  pending(): number[] {
    return this.#keys.slice(this.#head).filter((key) => this.#isQueued[key] === 1);
  }

  /** Passes at most `limit` keys due at `nowMs` to `write`, oldest first. */
  take(nowMs: number, limit: number, write: (key: number) => void): void {
    for (let left = limit; left > 0 && this.isDue(nowMs); left--) {
      const key = this.#keys[this.#head] ?? 0;
      this.#head++;
      this.#taken++;
      if (this.#isQueued[key] === 0) continue;
      this.#isQueued[key] = 0;
      write(key);
    }
    if (this.#head >= trimAt || this.#head === this.#keys.length) {
      this.#keys = this.#keys.slice(this.#head);
      this.#dueMs = this.#dueMs.slice(this.#head);
      this.#head = 0;
    }
  }
}
