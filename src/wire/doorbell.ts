// One bell per thread: whoever put work into one of its rings wakes it if, and only if, it sleeps.
//
//   byte 0              128
//   ┌──────────────────┬──────────────────┐   bell counter: bumped by whoever wakes the owner
//   │ bell counter     │ sleeping flag    │   sleeping flag: 1 from before the owner's last look until
//   └──────────────────┴──────────────────┘   it is awake, or until somebody has taken on to wake it
//
// Invariant: no wake-up is lost. The owner raises the flag and then looks for work; a producer publishes
// and then looks at the flag. Both accesses are sequentially consistent, so at least one sees the other.
// Many threads may ring one bell; only its owner sleeps on it.

import { assert } from "../core/assert.ts";
import { cacheLinePairBytes } from "./spsc-ring.ts";

const bellIndex = 0;
const sleepingIndex = cacheLinePairBytes / 4;

/** What `Atomics.waitAsync` answers; the caller's floor decides how to wait for it. */
export type ArmedWait = ReturnType<typeof Atomics.waitAsync>;

export class Doorbell {
  private readonly i32: Int32Array;
  private armed = false;

  /** Zeroed memory for one bell. */
  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(2 * cacheLinePairBytes);
  }

  /** The bell in `buffer`, for its owner or for a thread that rings it. */
  constructor(buffer: SharedArrayBuffer) {
    assert(buffer.byteLength === 2 * cacheLinePairBytes, "a doorbell buffer");
    this.i32 = new Int32Array(buffer);
  }

  /** Producer, after publishing: wakes the owner if it sleeps. One atomic load when it does not. */
  ring(): void {
    // After the producer's store of the tail: see the invariant above.
    if (Atomics.load(this.i32, sleepingIndex) === 0) return;
    // The exchange picks one waker among many ringers; the others are spared the system call.
    if (Atomics.exchange(this.i32, sleepingIndex, 0) === 0) return;
    // The counter before the notification: an owner about to wait then finds another value and stays up.
    Atomics.add(this.i32, bellIndex, 1);
    Atomics.notify(this.i32, bellIndex);
  }

  /**
   * Owner without an event loop: blocks until rung or `timeoutMs` passed; returns at once when
   * `hasWork` says so. May also return early: the caller looks for work whatever woke it.
   */
  sleep(hasWork: () => boolean, timeoutMs: number): void {
    // The counter is read before the flag is raised: a ring in between changes it and ends the wait.
    const bell = Atomics.load(this.i32, bellIndex);
    Atomics.store(this.i32, sleepingIndex, 1);
    if (!hasWork()) Atomics.wait(this.i32, bellIndex, bell, timeoutMs);
    // Awake: from here on ringing costs producers one load.
    Atomics.store(this.i32, sleepingIndex, 0);
  }

  /**
   * Owner with an event loop: the raw result of `Atomics.waitAsync`, settled by the next ring, or
   * undefined when there is work already. Call `disarm` when it has settled, before the next `arm`.
   * No timeout: on Node 20 a timed wait keeps its timer after the wake-up. A pending wait does not keep
   * the event loop alive.
   */
  arm(hasWork: () => boolean): ArmedWait | undefined {
    assert(!this.armed, "one wait at a time");
    // The same order as in `sleep`: counter, flag, work.
    const bell = Atomics.load(this.i32, bellIndex);
    Atomics.store(this.i32, sleepingIndex, 1);
    if (hasWork()) {
      // Nobody waits, so nobody needs waking.
      Atomics.store(this.i32, sleepingIndex, 0);
      return undefined;
    }
    this.armed = true;
    return Atomics.waitAsync(this.i32, bellIndex, bell);
  }

  /** Owner, once the wait of `arm` has settled or answered at once: ringing is cheap again. */
  disarm(): void {
    assert(this.armed, "a wait was armed");
    this.armed = false;
    // After the wake-up and before the next look for work.
    Atomics.store(this.i32, sleepingIndex, 0);
  }
}
