// The order in which requests of a machine on one thread are answered.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssertionFailure } from "../core/assert.ts";
import { emptyMatchRequest } from "../core/generated/messages.ts";
import { matcherCreditsMax } from "../core/limits.ts";
import { MatchLane } from "../core/match-messages.ts";
import { MatcherQueue } from "./matcher-queue.ts";

const { orders, cancels } = MatchLane;

function ask(queue: MatcherQueue, slot: number, lane: MatchLane = orders, matcher = 0): void {
  queue.push(matcher, lane, { ...emptyMatchRequest(), slot });
}

test("the oldest request comes first, of all or of one lane, however often places went round", () => {
  const queue = new MatcherQueue(2);
  for (let round = 0; round < 5 * matcherCreditsMax; round++) {
    ask(queue, 1);
    ask(queue, 2, cancels);
    ask(queue, 3, orders, 1);
    ask(queue, 4, cancels);
    assert.deepEqual(
      [queue.count, queue.waiting(0, cancels), queue.waiting(1, cancels)],
      [4, 2, 0],
    );
    assert.equal(queue.shiftFrom(0, cancels).request.slot, 2);
    assert.equal(queue.shiftFrom(1, orders).request.slot, 3);
    assert.equal(queue.shift().request.slot, 1);
    ask(queue, 5);
    assert.equal(queue.shift().request.slot, 4);
    assert.equal(queue.shiftFrom(0, orders).request.slot, 5);
  }
  assert.equal(queue.count, 0);
});

test("nothing is taken off an empty lane, and no more is asked than there are credits for", () => {
  const queue = new MatcherQueue(1);
  assert.throws(() => queue.shift(), AssertionFailure);
  for (let slot = 0; slot < 2 * matcherCreditsMax; slot++) ask(queue, slot);
  assert.throws(() => queue.shiftFrom(0, cancels), AssertionFailure);
  assert.throws(() => ask(queue, 0), AssertionFailure);
});
