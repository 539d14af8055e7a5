// The contract that every bus must fulfil, as tests that run for each bus.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bus } from "../../src/ports/bus.ts";
import { until as untilFound } from "../epochs/epoch-waits.ts";

/** Two members of one bus, and functions that cut the first one off and connect it again. */
export interface BusUnderTest {
  readonly one: Bus;
  readonly other: Bus;
  cut(): Promise<void>;
  mend(): Promise<void>;
}

const waitMsMax = 60_000;

async function until(holds: () => boolean): Promise<void> {
  const endMs = performance.now() + waitMsMax;
  while (!holds()) {
    if (performance.now() > endMs) throw new Error("what was awaited did not happen");
    await sleep(5);
  }
}

let probes = 0;

/** Waits until both are connected, and all that `other` has subscribed is heard of `one`. */
async function joined({ one, other }: Pick<BusUnderTest, "one" | "other">): Promise<void> {
  await until(() => one.isConnected && other.isConnected);
  // What one connection sends is taken in order, so the subscriptions before this one are there once it is answered.
  const subject = `a.joined.${++probes}`;
  other.subscribe(subject, (bytes, answer) => answer(bytes));
  await untilFound("the other's subscriptions", () => one.request(subject, bytesOf(1), 1_000));
}

function bytesOf(...values: number[]): Uint8Array {
  return Uint8Array.from(values);
}

export function judgeBus(name: string, subject: () => BusUnderTest, skip: string | false): void {
  test(`${name}: messages of one sender arrive complete and in order, not at the sender`, {
    skip,
  }, async () => {
    const { one, other } = subject();
    const heard: Uint8Array[] = [];
    let echoed = 0;
    other.subscribe("a.order", (bytes) => heard.push(new Uint8Array(bytes)));
    one.subscribe("a.order", () => echoed++);
    await joined({ one, other });
    const long = new Uint8Array(100_000).map((_, at) => at % 251);
    const sent = [bytesOf(), bytesOf(1), bytesOf(2, 3), long, bytesOf(4)];
    for (const bytes of sent) assert.equal(one.publish("a.order", bytes.slice()), true);
    await until(() => heard.length === sent.length);
    assert.deepEqual(heard, sent);
    assert.equal(echoed, 0);
  });

  test(`${name}: a request gets its answer, or null if nobody answers`, { skip }, async () => {
    const { one, other } = subject();
    other.subscribe("a.ask", (bytes, answer) => answer(bytesOf(...bytes, 9)));
    await joined({ one, other });
    assert.deepEqual([...((await one.request("a.ask", bytesOf(7), waitMsMax)) ?? [])], [7, 9]);
    assert.equal(await one.request("a.silence", bytesOf(7), 100), null);
  });

  test(`${name}: a lost connection is told, takes nothing, and sends nothing later`, {
    skip,
  }, async () => {
    const { one, other, cut, mend } = subject();
    const heard: number[] = [];
    const told: boolean[] = [];
    other.subscribe("a.loss", (bytes) => heard.push(bytes[0] ?? -1));
    await joined({ one, other });
    one.onChange((isConnected) => told.push(isConnected));
    await cut();
    await until(() => !one.isConnected);
    assert.equal(one.publish("a.loss", bytesOf(1)), false);
    assert.equal(await one.request("a.ask", bytesOf(7), 100), null);
    await mend();
    await joined({ one, other });
    assert.equal(told.at(-1), true);
    assert.ok(told.includes(false));
    assert.equal(one.publish("a.loss", bytesOf(2)), true);
    await until(() => heard.length > 0);
    assert.deepEqual(heard, [2]);
  });

  test(`${name}: a closed bus takes nothing`, { skip }, async () => {
    const { one } = subject();
    await one.close();
    assert.equal(one.isConnected, false);
    assert.equal(one.publish("a.order", bytesOf(1)), false);
  });
}
