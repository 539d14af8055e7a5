// Proves that a gateway knows of every command whether it may have been executed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { OriginLane } from "../../core/command-identity.ts";
import { type Command, CommandKind } from "../../core/generated/commands.ts";
import { originWindowMax } from "../../core/limits.ts";
import { CommandWindow } from "./command-window.ts";

const { orders, cancels } = OriginLane;

function command(correlation: number, { atUs = 0, deadlineUs = 100 } = {}): Command {
  const kind = CommandKind.cancelAllOrders;
  return { kind, source: 0, correlation, atUs, deadlineUs, account: 1, market: 0 };
}

function correlationsOf(commands: readonly Command[]): number[] {
  return commands.map(({ correlation }) => correlation);
}

function numbersOf(window: CommandWindow, lane: OriginLane = orders): number[] {
  return window.unansweredOf(lane).map(({ number }) => number);
}

function handOverAll(window: CommandWindow, lane: OriginLane = orders): void {
  while (window.hasNext(lane)) window.handOver(lane, 1, 0);
}

test("commands are handed over in order, numbered by lane, and gone once answered", () => {
  const window = new CommandWindow();
  for (const correlation of [1, 2, 3]) window.add(command(correlation), orders);
  window.add(command(9), cancels);
  handOverAll(window);
  handOverAll(window, cancels);
  assert.deepEqual([numbersOf(window), numbersOf(window, cancels)], [[1, 2, 3], [1]]);
  assert.equal(window.answered(2)?.number, 2);
  assert.equal(window.answered(2), undefined, "a repeated reply answers nothing");
  assert.equal(window.answered(77), undefined, "a stranger's reply answers nothing");
  assert.deepEqual(numbersOf(window), [1, 3]);
  assert.equal(window.answered(9)?.number, 1);
});

test("results are confirmed up to the oldest command without an answer", () => {
  const window = new CommandWindow();
  assert.equal(window.confirmedUpTo(orders), 0);
  for (const correlation of [1, 2, 3]) window.add(command(correlation), orders);
  handOverAll(window);
  assert.equal(window.confirmedUpTo(orders), 0);
  window.answered(2);
  assert.equal(window.confirmedUpTo(orders), 0, "the first one may still be asked for");
  window.answered(1);
  assert.equal(window.confirmedUpTo(orders), 2);
  window.answered(3);
  assert.equal(window.confirmedUpTo(orders), 3);
  assert.equal(window.confirmedUpTo(cancels), 0);
});

test("a waiting command past its deadline is not executed, in whatever order deadlines pass", () => {
  const window = new CommandWindow();
  window.add(command(2, { deadlineUs: 200 }), orders);
  window.add(command(3, { deadlineUs: 100 }), orders);
  assert.deepEqual(correlationsOf(window.takeOverdue(100)), []);
  assert.deepEqual(correlationsOf(window.takeOverdue(101)), [3]);
  assert.equal(window.queued, 1);
});

test("GWY-16 a handed-over command is abandoned by the age of its request, not by its deadline", () => {
  const window = new CommandWindow();
  window.add(command(1, { atUs: 10, deadlineUs: 11 }), orders);
  window.add(command(2, { atUs: 20, deadlineUs: 90 }), orders);
  handOverAll(window);
  assert.deepEqual(correlationsOf(window.takeOverdue(50)), [], "it may have been executed");
  assert.deepEqual(correlationsOf(window.takeAbandoned(10)), []);
  assert.deepEqual(correlationsOf(window.takeAbandoned(20)), [1]);
  assert.equal(window.answered(1), undefined, "a reply after that is dropped");
});

test("a window full of unanswered commands hands over nothing more", () => {
  const window = new CommandWindow();
  for (let correlation = 0; correlation <= originWindowMax; correlation++)
    window.add(command(correlation), orders);
  handOverAll(window);
  assert.equal(window.unanswered, originWindowMax);
  assert.equal(window.queued, 1);
  window.answered(1);
  assert.equal(window.hasNext(orders), false, "the oldest one holds the window");
  window.answered(0);
  assert.equal(window.handOver(orders, 1, 0)?.number, originWindowMax + 1);
});

test("a command is known as undone if each of its sendings was refused", () => {
  const window = new CommandWindow();
  for (const correlation of [1, 2]) window.add(command(correlation), orders);
  handOverAll(window);
  for (const numbered of window.unansweredOf(orders)) numbered.timesSent++;
  window.refused(1);
  window.refused(1);
  window.refused(2);
  assert.deepEqual(
    window.dueOf(orders, 0).map(({ number }) => number),
    [1],
  );
  assert.deepEqual(
    window.takeOverdue(101).map(({ correlation }) => correlation),
    [1],
  );
  assert.deepEqual(numbersOf(window), [2], "nobody knows of the other one");
});

test("GWY-22 of the refused commands the oldest is tried, and its answer frees the others at once", () => {
  const window = new CommandWindow();
  for (const correlation of [1, 2, 3, 4]) window.add(command(correlation), orders);
  for (let sentUs = 10; window.hasNext(orders); sentUs += 10) window.handOver(orders, 1, sentUs);
  for (const correlation of [2, 3, 4]) window.refused(correlation);
  const dueOf = (beforeUs: number) => window.dueOf(orders, beforeUs).map(({ number }) => number);
  assert.deepEqual(dueOf(0), [2], "what may have been executed and the younger refused ones wait");
  assert.deepEqual(dueOf(35), [1, 2, 3], "all are sent again by their age");
  const first = window.answered(1);
  assert(first !== undefined);
  assert.deepEqual(window.freedBy(first, orders), [], "an older command says nothing of them");
  const tried = window.answered(2);
  assert(tried !== undefined);
  assert.deepEqual(
    window.freedBy(tried, orders).map(({ number }) => number),
    [3, 4],
  );
  assert.deepEqual(window.freedBy(tried, cancels), []);
});
