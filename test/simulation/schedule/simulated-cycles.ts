// The cycles of a service in a simulation run, one after the other. Each call in a cycle is a step of the schedule. A
// service that dies drops its cycle and begins anew when the venue restarts.

import assert from "node:assert/strict";
import { AssertionFailure } from "../../../src/core/assert.ts";
import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { drained, SimulatedCalls } from "./simulated-calls.ts";

export interface Cycle {
  work(): Promise<unknown>;
}

const callsPerCycleMax = 200_000;
/** Calls after which the venue gets a turn: a polling service may repeat calls until the venue has worked. */
const callsPerTurn = 32;

export class SimulatedCycles {
  readonly #random: SeededRandom;
  #calls = new SimulatedCalls();
  #cycle: Cycle | null = null;
  #isInCycle = false;
  #bug: AssertionFailure | null = null;
  /** Number of cycles begun, over all restarts. */
  begun = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Starts the service with new calls, as the venue starts or restarts. */
  start(make: (calls: SimulatedCalls) => Cycle): void {
    this.#calls = new SimulatedCalls();
    this.#isInCycle = false;
    this.#cycle = make(this.#calls);
  }

  die(): void {
    this.#calls.die();
    this.#cycle = null;
  }

  /** Starts a cycle unless one is running. */
  begin(): void {
    if (this.#isInCycle || this.#cycle === null) return;
    this.#isInCycle = true;
    this.begun++;
    const cycle = this.#cycle;
    const over = (): void => {
      if (this.#cycle === cycle) this.#isInCycle = false;
    };
    cycle.work().then(over, (error: unknown) => {
      // After a fault the next cycle retries; a bug of the service ends the run.
      if (this.#cycle === cycle && error instanceof AssertionFailure) this.#bug = error;
      over();
    });
  }

  /** Executes or answers one call; returns false if none is pending. Throws assertion failures of the service. */
  async call(): Promise<boolean> {
    const isCall = this.#calls.step(this.#random);
    // A call may send commands through the clearing client; they become visible only after the wait.
    await drained();
    this.#refuseBug();
    return isCall;
  }

  /** Runs a whole cycle; `turn` lets the venue work. Throws assertion failures of the service. */
  async whole(turn: () => Promise<void>): Promise<void> {
    this.begin();
    for (let calls = 0; this.#isInCycle; calls++) {
      assert(calls < callsPerCycleMax, "A cycle must end");
      const isCall = this.#calls.step(this.#random);
      if (!isCall || calls % callsPerTurn === 0) await turn();
      await drained();
      this.#refuseBug();
    }
  }

  #refuseBug(): void {
    if (this.#bug !== null) throw this.#bug;
  }
}
