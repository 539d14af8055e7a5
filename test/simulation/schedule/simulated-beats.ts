// The beats of a service in a simulated life, one after the other, every call of theirs a step of the
// schedule. Who dies leaves its beat and begins with another life.

import assert from "node:assert/strict";
import { AssertionFailure } from "../../../src/core/assert.ts";
import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { drained, SimulatedCalls } from "./simulated-calls.ts";

export interface Beat {
  work(): Promise<unknown>;
}

const callsPerBeatMax = 200_000;
/** Whoever waits for something may ask again and again: the venue works all the same. */
const callsPerTurn = 32;

export class SimulatedBeats {
  readonly #random: SeededRandom;
  #calls = new SimulatedCalls();
  #beat: Beat | null = null;
  #isBeating = false;
  #bug: AssertionFailure | null = null;
  /** Beats of all lives. */
  begun = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** A life begins: what beats is made of new calls. */
  start(make: (calls: SimulatedCalls) => Beat): void {
    this.#calls = new SimulatedCalls();
    this.#isBeating = false;
    this.#beat = make(this.#calls);
  }

  die(): void {
    this.#calls.die();
    this.#beat = null;
  }

  /** A beat, unless there is one. */
  begin(): void {
    if (this.#isBeating || this.#beat === null) return;
    this.#isBeating = true;
    this.begun++;
    const beat = this.#beat;
    const over = (): void => {
      if (this.#beat === beat) this.#isBeating = false;
    };
    beat.work().then(over, (error: unknown) => {
      // What breaks off is tried again at the next beat; a bug of the service ends the run.
      if (this.#beat === beat && error instanceof AssertionFailure) this.#bug = error;
      over();
    });
  }

  /** One call is carried out or answered; false where there is none. Throws what the service asserted. */
  async call(): Promise<boolean> {
    const isCall = this.#calls.step(this.#random);
    // Commands sent by a clearing client also become visible only then.
    await drained();
    this.#refuseBug();
    return isCall;
  }

  /** A beat from its beginning to its end; `turn` lets the venue work. Throws what the service asserted. */
  async whole(turn: () => Promise<void>): Promise<void> {
    this.begin();
    for (let calls = 0; this.#isBeating; calls++) {
      assert(calls < callsPerBeatMax, "a beat ends");
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
