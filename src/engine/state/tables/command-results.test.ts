// The table keeps the results that an origin has not confirmed, for a bounded number of origins, and forgets the rest.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AssertionFailure } from "../../../core/assert.ts";
import type { OriginLane } from "../../../core/command-identity.ts";
import { originMemoryMs, originsMax, originWindowMax } from "../../../core/limits.ts";
import { CommandResults } from "./command-results.ts";

const memoryUs = originMemoryMs * 1000;

function identity(number: number, confirmedUpTo: number, lane: OriginLane = 0, origin = 1) {
  return { origin, lane, number, confirmedUpTo };
}

function done(subject: number, isFinished = true) {
  return { subject, seq: subject + 1000, isFinished };
}

function withOrigin(name = "a"): CommandResults {
  const table = new CommandResults();
  table.register(1, name, 1);
  return table;
}

test("CMD-1 a result is kept until its origin confirms it, by lane", () => {
  const table = withOrigin();
  table.record(identity(1, 0), done(7), 2);
  table.record(identity(3, 0), done(8), 3);
  assert.deepEqual(table.resultOf(identity(1, 0)), done(7));
  assert.equal(table.resultOf(identity(2, 0)), null, "a number may be left out");
  assert.equal(table.resultOf(identity(1, 0, 1)), null, "lanes are apart");
  table.record(identity(4, 1), done(9), 4);
  assert.equal(table.resultOf(identity(1, 0)), null);
  assert.deepEqual(table.resultOf(identity(3, 0)), done(8));
  assert.equal(table.confirmedUpTo(1, 0), 1);
  assert.equal(table.confirmedUpTo(1, 1), 0);
});

test("CMD-3 steps replace each other until the command is finished, which happens once", () => {
  const table = withOrigin();
  table.record(identity(1, 0), done(1, false), 2);
  table.record(identity(1, 0), done(2, false), 3);
  table.record(identity(1, 0), done(2), 4);
  assert.deepEqual(table.resultOf(identity(1, 0)), done(2));
  assert.throws(() => table.record(identity(1, 0), done(2), 5), AssertionFailure);
});

test("CMD-2 the results of a lane never exceed its window", () => {
  const table = withOrigin();
  const last = originWindowMax;
  table.record(identity(1, 0), done(1), 2);
  table.record(identity(last, 0), done(2), 3);
  assert.throws(() => table.record(identity(last + 1, 0), done(3), 4), AssertionFailure);
  table.record(identity(last + 1, 1), done(3), 5);
  assert.deepEqual(table.resultOf(identity(last, 0)), done(2));
  assert.equal(table.resultOf(identity(1, 0)), null, "its place now has another number");
});

test("CMD-2 a result that was confirmed before it came is not kept", () => {
  const table = withOrigin();
  table.record(identity(9, 8), done(1), 2);
  table.record(identity(5, 0), done(2), 3);
  assert.equal(table.resultOf(identity(5, 0)), null);
  assert.equal(table.confirmedUpTo(1, 0), 8);
});

test("CMD-4 an incarnation lives until the next one of its gateway confirms an answer", () => {
  const table = withOrigin("a");
  table.register(2, "b", 2);
  table.register(3, "a", 3);
  assert(table.isLiving(1), "the new incarnation has answered nobody yet");
  table.record(identity(1, 0, 0, 3), done(1), 4);
  assert(table.isLiving(1));
  table.record(identity(2, 1, 0, 3), done(2), 5);
  assert.deepEqual([table.isLiving(1), table.isLiving(2), table.isLiving(3)], [false, true, true]);
});

test("CMD-4 a gateway that keeps restarting has two incarnations at most", () => {
  const table = new CommandResults();
  for (let origin = 1; origin <= 1000; origin++) table.register(origin, "a", origin);
  assert.equal(table.count, 2);
  assert(table.isLiving(999) && table.isLiving(1000));
});

test("CMD-4 the number of origins is limited, and idle ones end when another registers", () => {
  const table = new CommandResults();
  for (let origin = 1; origin <= originsMax; origin++) table.register(origin, `g${origin}`, origin);
  const next = originsMax + 1;
  assert(!table.hasRoom("other", memoryUs));
  assert.throws(() => table.register(next, "other", memoryUs), AssertionFailure);
  table.record(identity(1, 0), done(1), memoryUs);
  assert(!table.hasRoom("other", memoryUs + 1), "the first has been used meanwhile");
  assert(table.hasRoom("other", memoryUs + 2));
  table.register(next, "other", memoryUs + 2);
  assert.deepEqual([table.isLiving(1), table.isLiving(2), table.isLiving(3)], [true, false, true]);
});

test("an origin out of order, and a result of an unknown origin, stop the thread", () => {
  const table = withOrigin();
  assert.throws(() => table.register(3, "b", 2), AssertionFailure);
  assert.throws(() => table.record(identity(1, 0, 0, 2), done(1), 2), AssertionFailure);
});

/** A table with one origin, checked after each record against plain maps of everything recorded. */
class Compared {
  #table = withOrigin();
  readonly #plain = [new Map<number, object>(), new Map<number, object>()] as const;
  readonly #confirmed = [0, 0];
  readonly #next = [1, 1];

  record(lane: OriginLane, skip: number, lag: number, isFinished: boolean): void {
    const number = (this.#next[lane] ?? 1) + skip;
    const confirmedUpTo = Math.max(number - 1 - lag, 0);
    const result = done(number, isFinished);
    this.#table.record(identity(number, confirmedUpTo, lane), result, number + 1);
    this.#plain[lane].set(number, result);
    this.#confirmed[lane] = Math.max(this.#confirmed[lane] ?? 0, confirmedUpTo);
    this.#next[lane] = number + 1;
    for (let of = number; of > number - 90; of--) this.#compare(lane, of);
  }

  #compare(lane: OriginLane, number: number): void {
    const isKept = number > (this.#confirmed[lane] ?? 0);
    const expected = isKept ? (this.#plain[lane].get(number) ?? null) : null;
    assert.deepEqual(this.#table.resultOf(identity(number, 0, lane)), expected);
  }

  restore(): void {
    const copy = new CommandResults();
    for (const row of this.#table.origins()) copy.restore(row);
    for (const row of this.#table.results()) copy.restoreResult(row);
    assert.deepEqual([...copy.results()], [...this.#table.results()]);
    assert.deepEqual(copy.origins(), this.#table.origins());
    this.#table = copy;
  }
}

test("CMD-1 the table equals a plain list, even if captured and restored at any time", () => {
  const step = fc.tuple(fc.nat(1), fc.nat(40), fc.nat(60), fc.boolean());
  fc.assert(
    fc.property(fc.array(step, { maxLength: 800, size: "max" }), fc.nat(800), (steps, cut) => {
      const compared = new Compared();
      for (const [index, [lane, skip, lag, isFinished]] of steps.entries()) {
        compared.record(lane as OriginLane, skip, lag, isFinished);
        if (index === cut) compared.restore();
      }
    }),
    { numRuns: 20 },
  );
});
