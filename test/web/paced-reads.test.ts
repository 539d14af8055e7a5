// Proves when the page reads the account: at once, at most once in a while, and again after a failure.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { paced, retryMsMax } from "../../web/src/paced-reads.ts";

/** Lets promises that are settled go on. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A paced read on a clock of the test; `isFailing` says whether the next reads fail. */
function readsOf(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const reads = { count: 0, isFailing: false };
  const run = paced(async () => {
    reads.count++;
    if (reads.isFailing) throw new Error("503");
  }, 1_000);
  const passed = async (ms: number) => {
    await settled();
    t.mock.timers.tick(ms);
    await settled();
  };
  return { reads, run, passed };
}

test("WEB-189 changes that come together are read at once and once more", async (t) => {
  const { reads, run, passed } = readsOf(t);
  for (let change = 0; change < 5; change++) run();
  assert.equal(reads.count, 1);
  await passed(999);
  assert.equal(reads.count, 1);
  await passed(1);
  assert.equal(reads.count, 2);
  await passed(10_000);
  assert.equal(reads.count, 2);
});

test("WEB-189 a read that fails is tried again, later each time, until it succeeds", async (t) => {
  const { reads, run, passed } = readsOf(t);
  reads.isFailing = true;
  run();
  await passed(1_000);
  assert.equal(reads.count, 2);
  await passed(1_999);
  assert.equal(reads.count, 2);
  await passed(1);
  assert.equal(reads.count, 3);
  for (let minute = 0; minute < 10; minute++) await passed(retryMsMax);
  const before = reads.count;
  reads.isFailing = false;
  await passed(retryMsMax);
  assert.equal(reads.count, before + 1);
  await passed(10 * retryMsMax);
  assert.equal(reads.count, before + 1);
});

test("WEB-189 changes while reads fail do not make them be tried again more often", async (t) => {
  const { reads, run, passed } = readsOf(t);
  reads.isFailing = true;
  for (let change = 0; change < 30; change++) {
    run();
    await passed(1_000);
  }
  const before = reads.count;
  for (let seconds = 0; seconds < 300; seconds++) await passed(1_000);
  assert.ok(reads.count - before <= 11, `${reads.count - before} reads in five minutes`);
});
