// Doorbell on one thread and across two: no wake-up is lost, and none is sent to a thread that is awake.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { AssertionFailure } from "../core/assert.ts";
import { Doorbell } from "./doorbell.ts";

const idle = () => false;

/** A thread that rings the bell in its workerData after a delay. */
const ringer = `
  const { workerData } = require("node:worker_threads");
  import(${JSON.stringify(new URL("./doorbell.js", import.meta.url))}).then(({ Doorbell }) =>
    setTimeout(() => new Doorbell(workerData).ring(), 20));
`;

test("a sleep returns at once if there is work, and after the timeout otherwise", () => {
  const bell = new Doorbell(Doorbell.allocate());
  bell.sleep(() => true, 60_000);
  bell.sleep(idle, 1);
});

test("a ring between the check for work and the wait ends the wait", () => {
  const buffer = Doorbell.allocate();
  const owner = new Doorbell(buffer);
  const producer = new Doorbell(buffer);
  owner.sleep(() => {
    producer.ring();
    return false;
  }, 60_000);
});

test("ringing an awake owner does not end its next sleep", () => {
  const buffer = Doorbell.allocate();
  const owner = new Doorbell(buffer);
  new Doorbell(buffer).ring();
  const before = process.hrtime.bigint();
  owner.sleep(idle, 20);
  assert.ok(process.hrtime.bigint() - before >= 15_000_000n);
});

test("an armed wait settles when another thread rings", { timeout: 120_000 }, async () => {
  const buffer = Doorbell.allocate();
  const bell = new Doorbell(buffer);
  const wait = bell.arm(idle);
  assert.ok(wait?.async);
  const worker = new Worker(ringer, {
    eval: true,
    workerData: buffer,
  });
  assert.equal(await wait.value, "ok");
  bell.disarm();
  await worker.terminate();
});

test("arming with pending work returns undefined and can be repeated", () => {
  const bell = new Doorbell(Doorbell.allocate());
  assert.equal(
    bell.arm(() => true),
    undefined,
  );
  assert.equal(
    bell.arm(() => true),
    undefined,
  );
});

test("a ring while arming settles the wait at once", () => {
  const buffer = Doorbell.allocate();
  const bell = new Doorbell(buffer);
  const wait = bell.arm(() => {
    new Doorbell(buffer).ring();
    return false;
  });
  assert.deepEqual({ ...wait }, { async: false, value: "not-equal" });
  bell.disarm();
});

test("many rings during one sleep cause one wake-up", async () => {
  const buffer = Doorbell.allocate();
  const bell = new Doorbell(buffer);
  const wait = bell.arm(idle);
  const ringers = [new Doorbell(buffer), new Doorbell(buffer), new Doorbell(buffer)];
  for (const ringer of ringers) ringer.ring();
  assert.equal(await wait?.value, "ok");
  assert.equal(new Int32Array(buffer)[0], 1, "three rings must increment the counter once");
  bell.disarm();
});

test("misuse fails an assertion", () => {
  const bell = new Doorbell(Doorbell.allocate());
  assert.throws(() => bell.disarm(), AssertionFailure);
  bell.arm(idle);
  assert.throws(() => bell.arm(idle), AssertionFailure);
  assert.throws(() => new Doorbell(new SharedArrayBuffer(8)), AssertionFailure);
});
