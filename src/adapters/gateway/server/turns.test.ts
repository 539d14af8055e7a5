// Tests that a burst of requests is handled in slices and in order, and that the queue is bounded.

import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestQueue } from "./turns.ts";

class Scene {
  readonly now: number[] = [];
  readonly later: number[] = [];
  readonly queue = new RequestQueue<number>(
    (request) => this.now.push(request),
    (request) => this.later.push(request),
  );

  add(from: number, count: number): void {
    for (let request = from; request < from + count; request++) this.queue.add(request);
  }

  /** Resolves after one turn of the event loop. */
  turn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);

test("the first slice is handled at once, the others one per turn, in order", async () => {
  const scene = new Scene();
  scene.add(0, 40);
  assert.deepEqual(scene.now, numbers(0, 16));
  assert.deepEqual(scene.later, []);
  await scene.turn();
  assert.deepEqual(scene.later, numbers(16, 32));
  // A new request never overtakes a waiting one.
  scene.add(40, 1);
  await scene.turn();
  assert.deepEqual(scene.later, numbers(16, 41));
  assert.equal(scene.queue.length, 0);
  await scene.turn();
  scene.add(41, 1);
  assert.deepEqual(scene.now.slice(16), [41]);
});

test("when the queue is full the oldest entry is handled, and none is lost", async () => {
  const scene = new Scene();
  scene.add(0, 10_000);
  assert.equal(scene.queue.length, 4096);
  assert.equal(scene.now.length + scene.later.length, 10_000 - 4096);
  while (scene.queue.length > 0) await scene.turn();
  assert.deepEqual([...scene.now, ...scene.later], numbers(0, 10_000));
});

test("a closed server handles no more requests", async () => {
  const scene = new Scene();
  scene.add(0, 40);
  scene.queue.clear();
  await scene.turn();
  assert.deepEqual(scene.later, []);
});
