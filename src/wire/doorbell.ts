// Each thread owns one bell. A thread that puts work into one of the owner's rings wakes the owner by its bell,
// but only if the owner sleeps.
//
//   byte 0              128
//   ┌──────────────────┬──────────────────┐   bell counter: incremented by the thread that wakes the owner
//   │ bell counter     │ sleeping flag    │   sleeping flag: 1 from before the owner's last check for work until
//   └──────────────────┴──────────────────┘   the owner is awake, or until a thread has decided to wake it
//
// Invariant: no wake-up is lost. The owner raises the flag and then checks for work; a producer publishes its work and
// then checks the flag. These accesses are sequentially consistent, so the owner sees the work or the producer sees the
// flag. Many threads may ring one bell; only its owner sleeps on it.

import { assert } from "../core/assert.ts";
import { cacheLinePairBytes } from "./spsc-ring.ts";

const bellIndex = 0;
const sleepingIndex = cacheLinePairBytes / 4;

/** The result of `Atomics.waitAsync`; the caller decides how to wait for it. */
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
    assert(
      buffer.byteLength === 2 * cacheLinePairBytes,
      "the buffer must have the size of a doorbell",
    );
    this.i32 = new Int32Array(buffer);
  }

  /** Producer, after publishing: wakes the owner if it sleeps. If the owner is awake, this costs one atomic load. */
  ring(): void {
    // This load comes after the producer's store of the tail: see the invariant above.
    if (Atomics.load(this.i32, sleepingIndex) === 0) return;
    // The exchange lets one of several ringers wake the owner and spares the others the system call.
    if (Atomics.exchange(this.i32, sleepingIndex, 0) === 0) return;
    // The counter changes before the notification, so that an owner that is about to wait sees the new value and stays
    // awake.
    Atomics.add(this.i32, bellIndex, 1);
    Atomics.notify(this.i32, bellIndex);
  }

  /**
   * For an owner without an event loop: blocks until the bell is rung or `timeoutMs` have passed; returns at once if
   * `hasWork` returns true. May also return early, so the caller must look for work in any case.
   */
  sleep(hasWork: () => boolean, timeoutMs: number): void {
    // The counter is read before the flag is raised: a thread that rings afterwards changes the counter, which ends the
    // wait.
    const bell = Atomics.load(this.i32, bellIndex);
    Atomics.store(this.i32, sleepingIndex, 1);
    if (!hasWork()) Atomics.wait(this.i32, bellIndex, bell, timeoutMs);
    // The owner is awake: from here on, `ring` costs producers one load.
    Atomics.store(this.i32, sleepingIndex, 0);
  }

  /**
   * For an owner with an event loop: returns the raw result of `Atomics.waitAsync`, which the next ring settles, or
   * undefined if there is work already. Call `disarm` after the result has settled and before the next `arm`. The wait
   * has no timeout, because on Node 20 a timed wait keeps its timer after the wake-up. A pending wait does not keep the
   * event loop alive.
   */
  arm(hasWork: () => boolean): ArmedWait | undefined {
    assert(!this.armed, "a doorbell must not be armed twice");
    // As in `sleep`: first read the counter, then raise the flag, then check for work.
    const bell = Atomics.load(this.i32, bellIndex);
    Atomics.store(this.i32, sleepingIndex, 1);
    if (hasWork()) {
      // The owner does not wait, so producers need not wake it.
      Atomics.store(this.i32, sleepingIndex, 0);
      return undefined;
    }
    this.armed = true;
    return Atomics.waitAsync(this.i32, bellIndex, bell);
  }

  /**
   * Clears the flag once the wait that `arm` returned is over, also if that wait ended at once. From here on, `ring`
   * costs producers one load again.
   */
  disarm(): void {
    assert(this.armed, "a doorbell must be armed before it is disarmed");
    this.armed = false;
    // The flag is cleared after the wake-up and before the owner checks for work again.
    Atomics.store(this.i32, sleepingIndex, 0);
  }
}
