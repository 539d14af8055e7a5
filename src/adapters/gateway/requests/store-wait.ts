// Repeats the work of requests that find the database away, as while it fails over, until it answers or the request's
// time is nearly over. Only work that may be done twice is repeated: reads, and writes that say so.
//
// While the database is away, one waiting request at a time tries again; when one of them is answered, all the others
// follow. So an outage costs a few attempts a second, however many requests wait.

import { requestsAwaitingStoreMax } from "../../../core/limits.ts";

/** Time in ms between two attempts while the database is away. */
const attemptMs = 100;

export interface StoreWaitParts {
  /** Returns whether an error from a store means that the store is unreachable. */
  readonly isStoreAway: (fault: unknown) => boolean;
  /** Longest wait of a request in milliseconds. */
  readonly waitMsMax: number;
  /** Milliseconds of a clock that only measures durations. */
  readonly nowMs: () => number;
}

interface Waiter {
  readonly endMs: number;
  readonly goOn: () => void;
}

/** A request that waits only as long as somebody wants its answer. */
export interface AwaitingRequest {
  readonly isOver: boolean;
}

export class StoreWait {
  readonly #parts: StoreWaitParts;
  readonly #waiting: Waiter[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: StoreWaitParts) {
    this.#parts = parts;
  }

  /** Number of requests that wait for the database. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * The result of `first`, or of `again` if the database was away. Throws the fault of the last attempt when the
   * request's time is over, and at once for any other fault or if too many requests wait already.
   */
  async result<T>(
    request: AwaitingRequest,
    first: Promise<T>,
    again: () => T | Promise<T>,
  ): Promise<T> {
    const endMs = this.#parts.nowMs() + this.#parts.waitMsMax;
    let attempt = first;
    for (;;) {
      try {
        const made = await attempt;
        this.#letGo(() => true);
        return made;
      } catch (fault) {
        if (!this.#mayWait(fault, endMs) || request.isOver) throw fault;
        await new Promise<void>((goOn) => this.#enter({ endMs, goOn }));
        if (request.isOver) throw fault;
        attempt = Promise.resolve(again());
      }
    }
  }

  #mayWait(fault: unknown, endMs: number): boolean {
    const { isStoreAway, nowMs } = this.#parts;
    const hasRoom = this.#waiting.length < requestsAwaitingStoreMax;
    return hasRoom && nowMs() < endMs && isStoreAway(fault);
  }

  #enter(waiter: Waiter): void {
    this.#waiting.push(waiter);
    this.#timer ??= setInterval(() => this.#attempt(), attemptMs);
  }

  /** Lets the oldest request try again, and those that cannot wait longer. */
  #attempt(): void {
    const nowMs = this.#parts.nowMs();
    this.#letGo(({ endMs }, index) => index === 0 || endMs <= nowMs);
  }

  #letGo(isDue: (waiter: Waiter, index: number) => boolean): void {
    if (this.#timer === null) return;
    const all = this.#waiting.splice(0);
    this.#waiting.push(...all.filter((waiter, index) => !isDue(waiter, index)));
    for (const [index, waiter] of all.entries()) if (isDue(waiter, index)) waiter.goOn();
    if (this.#waiting.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
