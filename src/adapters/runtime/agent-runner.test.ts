// Tests that the event-loop driver never sleeps while there is work: not after a doorbell ring, not after a call of
// `poke`, and not if work arrived between its last check and its wait.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CountersBuffer, RunState } from "../../wire/counters-buffer.ts";
import { Doorbell } from "../../wire/doorbell.ts";
import type { Agent } from "./agent.ts";
import { EventLoopRunner, runBlocking, type ThreadVitals } from "./agent-runner.ts";

class CountingAgent implements Agent {
  readonly roleName = "counting";
  waiting = 0;
  done = 0;
  isClosed = false;
  whenLooked: () => void = () => undefined;

  doWork(): number {
    const work = this.waiting;
    this.waiting = 0;
    this.done += work;
    return work;
  }

  hasWork(): boolean {
    this.whenLooked();
    return this.waiting > 0;
  }

  onClose(): void {
    this.isClosed = true;
  }
}

function vitals(): ThreadVitals {
  return {
    thread: 0,
    counters: new CountersBuffer(CountersBuffer.allocate(1)),
    bell: new Doorbell(Doorbell.allocate()),
    spinUs: 0,
    look: () => undefined,
  };
}

const runners: EventLoopRunner[] = [];

/** The next heartbeat of the newest runner. Tests call it themselves: the timer would run cycles too. */
let heartbeat: () => void = () => undefined;
beforeEach(() => {
  mock.method(globalThis, "setTimeout", (run: () => void) => {
    heartbeat = run;
    return { unref: () => undefined };
  });
});

// Close runners also after a failed assertion, because their timers would keep the process alive.
afterEach(() => {
  for (const runner of runners.splice(0)) runner.close();
  mock.restoreAll();
});

function drive(agent: Agent, own: ThreadVitals): EventLoopRunner {
  const runner = new EventLoopRunner(agent, own);
  runners.push(runner);
  return runner;
}

const patienceMs = 60_000;

/** Resolves when the agent has done exactly `count` pieces of work; fails after a timeout. */
async function untilDone(agent: CountingAgent, count: number): Promise<void> {
  const beganMs = performance.now();
  while (agent.done !== count && performance.now() - beganMs < patienceMs) await sleep(1);
  assert.equal(agent.done, count);
}

test("ringing the doorbell wakes a sleeping event-loop agent", async () => {
  const agent = new CountingAgent();
  const own = vitals();
  const runner = drive(agent, own);
  for (let round = 1; round <= 50; round++) {
    await sleep(1);
    agent.waiting = 1;
    own.bell.ring();
    await untilDone(agent, round);
  }
  runner.close();
  assert(agent.isClosed);
});

test("work that arrives during the last check is done without ringing the doorbell", async () => {
  const agent = new CountingAgent();
  let isFirstLook = true;
  agent.whenLooked = () => {
    if (isFirstLook) agent.waiting = 7;
    isFirstLook = false;
  };
  drive(agent, vitals());
  await untilDone(agent, 7);
});

test("a poke does the work while the agent sleeps, and a later ring of the doorbell still wakes it", async () => {
  const agent = new CountingAgent();
  const own = vitals();
  const runner = drive(agent, own);
  await sleep(5);
  agent.waiting = 1;
  runner.poke();
  assert.equal(agent.done, 1);
  agent.waiting = 2;
  own.bell.ring();
  await untilDone(agent, 3);
});

test("a closed runner does no more work", async () => {
  const agent = new CountingAgent();
  const own = vitals();
  const runner = drive(agent, own);
  await sleep(5);
  runner.close();
  agent.waiting = 1;
  own.bell.ring();
  runner.poke();
  await sleep(5);
  assert.equal(agent.done, 0);
});

test("a blocking agent counts heartbeats and ends when the venue is stopped", () => {
  const agent = new CountingAgent();
  const own = vitals();
  own.counters.advanceTo(RunState.running);
  agent.waiting = 3;
  agent.whenLooked = () => own.counters.advanceTo(RunState.stopped);
  runBlocking(agent, own);
  assert.equal(agent.done, 3);
  assert(own.counters.heartbeats(0) >= 2);
  assert(agent.isClosed);
});

test("an agent for which nobody waits works at heartbeats, and at once again when somebody looks", async () => {
  const agent = new CountingAgent();
  const own = vitals();
  const runner = new EventLoopRunner(agent, own, () => false);
  runners.push(runner);
  await sleep(5);
  for (let count = 0; count < 20; count++) heartbeat();
  agent.waiting = 1;
  own.bell.ring();
  await untilDone(agent, 1);
  agent.waiting = 1;
  own.bell.ring();
  await sleep(20);
  assert.equal(agent.done, 1);
  heartbeat();
  assert.equal(agent.done, 2);
  runner.attend();
  agent.waiting = 1;
  own.bell.ring();
  await untilDone(agent, 3);
});
