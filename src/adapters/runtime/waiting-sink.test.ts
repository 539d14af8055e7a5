// Proves that commands wait for a stalled journal in their order, and are refused at their deadline or when the venue
// stops.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Command, CommandKind } from "../../core/generated/commands.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { CommandLane } from "../../ports/command-sink.ts";
import { WaitingSink } from "./waiting-sink.ts";

const waitMsMax = 60_000;

function command(correlation: number, deadlineUs = 100): Command {
  const kind = CommandKind.cancelAllOrders;
  return { kind, source: 0, correlation, atUs: 0, deadlineUs, account: 1, market: 0 };
}

class Scene {
  isStalled = true;
  isStopping = false;
  room = Number.POSITIVE_INFINITY;
  nowUs = 0;
  readonly sent: number[] = [];
  readonly refused: [correlation: number, RejectReason][] = [];
  readonly sink = new WaitingSink({
    sink: {
      takes: () => !this.isStopping,
      trySend: ({ correlation }) => {
        if (this.sent.length >= this.room) return false;
        this.sent.push(correlation);
        return true;
      },
    },
    counters: { isJournalStalled: () => this.isStalled },
    nowUs: () => this.nowUs,
    refuse: ({ correlation }, reason) => this.refused.push([correlation, reason]),
  });

  send(correlation: number, lane: CommandLane = "orders", deadlineUs = 100): boolean {
    return this.sink.trySend(command(correlation, deadlineUs), lane);
  }

  /** Waits until `count` commands wait. */
  async until(count: number): Promise<void> {
    const endMs = performance.now() + waitMsMax;
    while (this.sink.waiting !== count) {
      assert(performance.now() < endMs, `${this.sink.waiting} commands wait instead of ${count}`);
      await pause(2);
    }
  }
}

test("while the journal commits, nothing waits, and a full ring is told at once", () => {
  const scene = new Scene();
  scene.isStalled = false;
  scene.room = 1;
  assert.deepEqual([scene.send(1), scene.send(2)], [true, false]);
  assert.deepEqual([scene.sent, scene.sink.waiting], [[1], 0]);
});

test("JRN-25 what waits for a stalled journal is sent in order once it goes on, cancels first", async () => {
  const scene = new Scene();
  for (const correlation of [1, 2]) assert(scene.send(correlation));
  assert(scene.send(9, "cancels"));
  await pause(30);
  assert.deepEqual([scene.sent, scene.sink.waiting], [[], 3]);
  scene.room = 2;
  scene.isStalled = false;
  await scene.until(1);
  assert(scene.send(3), "a later command does not pass one that waits for room");
  scene.room = 10;
  await scene.until(0);
  assert.deepEqual([scene.sent, scene.refused], [[9, 1, 2, 3], []]);
  assert(scene.send(4));
  assert.deepEqual(scene.sent.at(-1), 4, "later commands are sent at once again");
});

test("JRN-25 what waits is refused at its deadline, in whatever order deadlines pass", async () => {
  const scene = new Scene();
  scene.send(1, "orders", 300);
  scene.send(2, "orders", 100);
  scene.nowUs = 101;
  await scene.until(1);
  assert.deepEqual(scene.refused, [[2, RejectReason.deadlinePassed]]);
  scene.isStalled = false;
  await scene.until(0);
  assert.deepEqual(scene.sent, [1]);
});

test("RTY-4 what waits is refused when the venue stops, and nothing more is taken", async () => {
  const scene = new Scene();
  scene.send(1);
  scene.isStopping = true;
  assert.equal(scene.send(2), false);
  await scene.until(0);
  assert.deepEqual([scene.refused, scene.sent], [[[1, RejectReason.stopping]], []]);
});
