// Runs agents: a blocking loop for the threads that own no sockets (clearing, matchers) and an
// event-loop driver for those that do (fronts, journal, main). Both beat the thread's heartbeat each
// cycle and leave when the venue is stopped. Nothing is caught here: an exception ends its thread,
// and the end of a thread stops the venue (venue/spawn.ts).

import { type CountersBuffer, RunState } from "../../wire/counters-buffer.ts";
import type { Doorbell } from "../../wire/doorbell.ts";
import type { Agent } from "./agent.ts";

/** How long a blocking thread sleeps at most, so that it counts a heartbeat and notices a stop without a ring. */
const sleepMsMax = 200;

/** Cycles of a blocking thread that never sleeps between two looks at itself. */
const cyclesPerLook = 4096;

/** Cycles an event-loop thread runs before it lets sockets and timers have their turn. */
const cyclesPerTurn = 4;

export interface ThreadVitals {
  /** Place of this thread among the heartbeats. */
  readonly thread: number;
  readonly counters: CountersBuffer;
  readonly bell: Doorbell;
  readonly spinUs: number;
  /** Watches the thread; called often, and before it sleeps. */
  look(): void;
}

/** Blocks this thread on `agent` until the venue's state is `stopped`, then closes the agent. */
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

/** Drives an agent from this thread's event loop, woken by the doorbell or by `poke`. */
export class EventLoopRunner {
  readonly #agent: Agent;
  readonly #vitals: ThreadVitals;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #turn = () => this.#runTurn();
  #isArmed = false;
  #isQueued = false;
  #isClosed = false;

  /** Starts at the next turn of the event loop. The heartbeat's timer keeps the loop alive. */
  constructor(agent: Agent, vitals: ThreadVitals) {
    this.#agent = agent;
    this.#vitals = vitals;
    this.#heartbeat = setInterval(() => {
      vitals.counters.heartbeat(vitals.thread);
      vitals.look();
      this.poke();
    }, sleepMsMax);
    this.#queue();
  }

  /** Something changed that no ring tells: look for work in this turn of the event loop. */
  poke(): void {
    if (!this.#isClosed && !this.#isQueued) this.#runCycles();
  }

  /** Stops driving and closes the agent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    this.#agent.onClose();
  }

  #queue(): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    // After input and output had their turn, unlike a microtask.
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

  /** Waits for a ring, or goes on at the next turn if work came in between. */
  #wait(): void {
    if (this.#isArmed || this.#isClosed) return;
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
    // At once, not at the next turn: this is the wake-up every acknowledgement waits for.
    if (!this.#isQueued) this.#runCycles();
  }
}

/** Looks between two readings of the clock: a reading costs more than a look. */
const looksPerReading = 50;

/**
 * Spins until `hasWork` or `spinUs` microseconds have passed; true if there is work. Worth it only where cores are to
 * spare (SPIN_US, 0 by default): a spinning thread on a full machine takes the core of the one it waits for.
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
