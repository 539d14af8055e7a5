// Proves that a gateway knows of every command whether it may have been executed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { OriginLane } from "../../core/command-identity.ts";
import { type Command, CommandKind } from "../../core/generated/commands.ts";
import { originWindowMax } from "../../core/limits.ts";
import { CommandWindow } from "./command-window.ts";

const { orders, cancels } = OriginLane;

function command(correlation: number, deadlineUs = 100): Command {
  const kind = CommandKind.cancelAllOrders;
  return { kind, source: 0, correlation, atUs: 0, deadlineUs, account: 1, market: 0 };
}

function numbersOf(window: CommandWindow, lane: OriginLane = orders): number[] {
  return window.unansweredOf(lane).map(({ number }) => number);
}

function handOverAll(window: CommandWindow, lane: OriginLane = orders): void {
  while (window.hasNext(lane)) window.handOver(lane, 1);
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

test("a waiting command past its deadline is not executed; a handed-over one is abandoned later", () => {
  const window = new CommandWindow();
  window.add(command(1, 100), orders);
  handOverAll(window);
  window.add(command(2, 100), orders);
  window.add(command(3, 200), orders);
  const correlations = (commands: Command[]) => commands.map(({ correlation }) => correlation);
  assert.deepEqual(correlations(window.takeOverdue(100)), []);
  assert.deepEqual(correlations(window.takeOverdue(101)), [2]);
  assert.equal(window.queued, 1);
  assert.deepEqual(correlations(window.takeAbandoned(100)), []);
  assert.deepEqual(correlations(window.takeAbandoned(101)), [1]);
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
  assert.equal(window.handOver(orders, 1)?.number, originWindowMax + 1);
});

test("a command is known as undone if each of its sendings was refused", () => {
  const window = new CommandWindow();
  for (const correlation of [1, 2]) window.add(command(correlation, 100), orders);
  handOverAll(window);
  for (const numbered of window.unansweredOf(orders)) numbered.timesSent++;
  window.refused(1);
  window.refused(1);
  window.refused(2);
  assert.deepEqual(
    window.refusedOf(orders).map(({ number }) => number),
    [1],
  );
  assert.deepEqual(
    window.takeOverdue(101).map(({ correlation }) => correlation),
    [1],
  );
  assert.deepEqual(numbersOf(window), [2], "nobody knows of the other one");
});
