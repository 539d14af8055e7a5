// Proves that reads which must not run beside each other do not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { oneAtATime } from "../../web/src/one-at-a-time.ts";

test("WEB-81 reads of the same list run one after another, and of those asked for meanwhile only the newest", async () => {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const read = oneAtATime<number>((input) => {
    begun.push(input);
    return new Promise((resolve) => ends.push(resolve));
  });
  const all = [read(1), read(2), read(3)];
  assert.deepEqual(begun, [1]);
  ends.shift()?.();
  while (begun.length < 2) await Promise.resolve();
  assert.deepEqual(begun, [1, 3]);
  ends.shift()?.();
  await Promise.all(all);
  assert.deepEqual(begun, [1, 3]);
});

test("WEB-81 a read that failed does not stop the next one", async () => {
  let isBroken = true;
  const done: number[] = [];
  const read = oneAtATime<number>((input) => {
    if (isBroken) return Promise.reject(new Error("away"));
    done.push(input);
    return Promise.resolve();
  });
  await assert.rejects(read(1), /away/);
  isBroken = false;
  await read(2);
  assert.deepEqual(done, [2]);
});
