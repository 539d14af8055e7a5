// Runs agents: a blocking loop for threads without sockets (clearing, matchers) and an event-loop driver for the others
// (fronts, journal, main). Both loops count a heartbeat per cycle and end when the venue is stopped. Exceptions are not
// caught: they end the thread, and the end of a thread stops the venue (venue/spawn.ts).

import { type CountersBuffer, RunState } from "../../wire/counters-buffer.ts";
import type { Doorbell } from "../../wire/doorbell.ts";
import type { Agent } from "./agent.ts";
import { alignedInterval } from "./aligned-interval.ts";

/**
 * Maximum sleep of a blocking thread in milliseconds. The thread must count heartbeats, and must notice a stop even if
 * its doorbell does not ring.
 */
const sleepMsMax = 200;

/** Number of cycles between two calls of `look` in a blocking thread that never sleeps. */
const cyclesPerLook = 4096;

/** Number of cycles that an event-loop thread runs before it lets sockets and timers run. */
const cyclesPerTurn = 4;

/** Number of heartbeats for which a thread that somebody looked at goes on to follow its doorbell. */
const attentiveHeartbeats = 10;

export interface ThreadVitals {
  /** Index of this thread in the array of heartbeats. */
  readonly thread: number;
  readonly counters: CountersBuffer;
  readonly bell: Doorbell;
  readonly spinUs: number;
  /** Samples the thread's figures. Called often, and before the thread sleeps. */
  look(): void;
}

/** Runs `agent` and blocks this thread until the venue's state is `stopped`, then closes the agent. */
export function runBlocking(agent: Agent, vitals: ThreadVitals): void {
  const { counters, bell, thread, spinUs } = vitals;
  let cycles = 0;
  const hasWork = () => agent.hasWork() || counters.state() === RunState.stopped;
  while (counters.state() !== RunState.stopped) {
    counters.heartbeat(thread);
    cycles = (cycles + 1) % cyclesPerLook;
    if (cycles === 0) vitals.look();
    if (agent.doWork() > 0) continue;
    if (spinUs > 0 && spinUntil(hasWork, spinUs)) continue;
    vitals.look();
    bell.sleep(hasWork, sleepMsMax);
  }
  agent.onClose();
}

/**
 * Runs an agent on this thread's event loop; the doorbell or a call of `poke` wakes it. While nobody waits for the
 * agent's work, the runner leaves the doorbell alone and works at each heartbeat: many records then cost one wake-up.
 */
export class EventLoopRunner {
  readonly #agent: Agent;
  readonly #vitals: ThreadVitals;
  readonly #isAwaited: () => boolean;
  #heartbeatsLeft = attentiveHeartbeats;
  readonly #stopHeartbeat: () => void;
  readonly #turn = () => this.#runTurn();
  #isArmed = false;
  #isQueued = false;
  #isClosed = false;

  /**
   * Starts to run at the next turn of the event loop. The heartbeat's timer keeps the loop alive. `isAwaited` returns
   * whether somebody waits for the agent's work.
   */
  constructor(agent: Agent, vitals: ThreadVitals, isAwaited: () => boolean = () => true) {
    this.#agent = agent;
    this.#vitals = vitals;
    this.#isAwaited = isAwaited;
    const heartbeat = () => {
      this.#heartbeatsLeft = Math.max(0, this.#heartbeatsLeft - 1);
      vitals.counters.heartbeat(vitals.thread);
      vitals.look();
      this.poke();
    };
    this.#stopHeartbeat = alignedInterval(heartbeat, sleepMsMax, true);
    this.#queue();
  }

  /** Announces work for which the doorbell did not ring. The runner checks for work in this turn of the event loop. */
  poke(): void {
    if (!this.#isClosed && !this.#isQueued) this.#runCycles();
  }

  /** Announces that somebody looks at the agent's work: the runner follows the doorbell for the next seconds. */
  attend(): void {
    this.#heartbeatsLeft = attentiveHeartbeats;
    if (!this.#isArmed) this.poke();
  }

  /** Stops running and closes the agent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopHeartbeat();
    this.#agent.onClose();
  }

  #queue(): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    // `setImmediate` runs after pending input and output, unlike a microtask.
    setImmediate(this.#turn);
  }

  #runTurn(): void {
    this.#isQueued = false;
    if (!this.#isClosed) this.#runCycles();
  }

  #runCycles(): void {
    for (let cycle = 0; cycle < cyclesPerTurn; cycle++) {
      if (this.#agent.doWork() === 0) {
        this.#wait();
        return;
      }
    }
    this.#queue();
  }

  /** Waits for the doorbell, or continues at the next turn if work arrived meanwhile. */
  #wait(): void {
    if (this.#isArmed || this.#isClosed) return;
    if (this.#heartbeatsLeft === 0 && !this.#isAwaited()) return;
    const wait = this.#vitals.bell.arm(() => this.#agent.hasWork());
    if (wait === undefined) {
      this.#queue();
      return;
    }
    this.#isArmed = true;
    if (wait.async) void wait.value.then(() => this.#woken());
    else this.#woken();
  }

  #woken(): void {
    this.#isArmed = false;
    this.#vitals.bell.disarm();
    if (this.#isClosed) return;
    this.#vitals.counters.heartbeat(this.#vitals.thread);
    // Run at once instead of at the next turn, because every acknowledgement waits for this wake-up.
    if (!this.#isQueued) this.#runCycles();
  }
}

/** Number of checks between two clock readings, because a reading costs more than a check. */
const looksPerReading = 50;

/**
 * Spins until `hasWork` returns true or `spinUs` microseconds have passed; returns true if there is work. Useful only
 * with spare cores (SPIN_US, 0 by default): on a busy machine, a spinning thread occupies the core that the awaited
 * thread needs.
 */
function spinUntil(hasWork: () => boolean, spinUs: number): boolean {
  const until = performance.now() + spinUs / 1000;
  do {
    for (let look = 0; look < looksPerReading; look++) {
      if (hasWork()) return true;
    }
  } while (performance.now() < until);
  return false;
}
