// Tests of the command bridge: each reply reaches only its own request, the table of requests is bounded, and draining
// ends.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Command, CommandKind } from "../../../core/generated/commands.ts";
import { requestsInFlightMax } from "../../../core/limits.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { asUnixMs } from "../../../core/unix-ms.ts";
import { CommandBridge, type UnstampedCommand, withoutWindow } from "./command-bridge.ts";

const clock = { nowUs: () => 1_000_000, nowMs: () => asUnixMs(1000) };

function command(account: number): UnstampedCommand {
  return { kind: CommandKind.cancelAllOrders, account, market: 0 };
}

function setUp(deadlineMs = 30_000) {
  const sent: Command[] = [];
  const ring = { isFull: false };
  const sink = {
    trySend(command: Command) {
      if (!ring.isFull) sent.push(command);
      return !ring.isFull;
    },
  };
  const bridge = new CommandBridge(sink, {
    source: 3,
    deadlineMs,
    clock,
    marketClock: clock,
    counts: null,
  });
  const answer = (command: Command | undefined, subject = 0, reason: RejectReason = 0) => {
    assert.ok(command !== undefined);
    const { source, correlation } = command;
    const reply = {
      source,
      correlation,
      reason,
      lastSeq: 0,
      subject,
      isRepeated: false,
    } as const;
    bridge.accept(reply);
  };
  return { bridge, sent, ring, answer };
}

test("each reply reaches its request, in any order, and a second reply fails an assertion", () => {
  const { bridge, sent, answer } = setUp();
  const answers: string[] = [];
  for (const name of ["a", "b", "c"]) {
    assert.ok(
      bridge.send(command(1001), "orders", withoutWindow, ({ subject }) =>
        answers.push(`${name}${subject}`),
      ),
    );
  }
  answer(sent[1], 1);
  answer(sent[2], 2);
  answer(sent[0], 0);
  assert.deepEqual(answers, ["b1", "c2", "a0"]);
  assert.throws(() => answer(sent[0]));
  bridge.send(command(1001), "orders", withoutWindow, () => answers.push("later"));
  assert.throws(() => answer(sent[0]), "a slot that is used again has another generation");
});

test("commands carry their source, the time, and a deadline earlier than the request's", () => {
  const { bridge, sent } = setUp();
  bridge.send(command(1001), "cancels", withoutWindow, () => {});
  assert.equal(sent[0]?.source, 3);
  assert.equal(sent[0]?.atUs, 1_000_000);
  assert.equal(sent[0]?.deadlineUs, 30_000_000);
  const hurried = setUp(500);
  hurried.bridge.send(command(1001), "cancels", withoutWindow, () => {});
  assert.equal(hurried.sent[0]?.deadlineUs, 1_250_000);
});

test("AUT-32 a command ends with the client's time window, and its refusal says which limit has passed", () => {
  const { bridge, sent, answer } = setUp();
  const reasons: RejectReason[] = [];
  const send = (untilUs: number) =>
    bridge.send(command(1001), "orders", { ...withoutWindow, untilUs }, ({ reason }) =>
      reasons.push(reason),
    );
  const { deadlinePassed, windowPassed, unknownOrder } = RejectReason;
  for (const untilUs of [6_000_000, 60_000_000, 6_000_000]) send(untilUs);
  assert.deepEqual(
    sent.map(({ deadlineUs }) => deadlineUs),
    [6_000_000, 30_000_000, 6_000_000],
  );
  for (const [index, reason] of [deadlinePassed, deadlinePassed, unknownOrder].entries())
    answer(sent[index], 0, reason);
  assert.deepEqual(reasons, [windowPassed, deadlinePassed, unknownOrder]);
});

test("an account has commands in flight until its last reply, and barriers count for no account", () => {
  const { bridge, sent, answer } = setUp();
  bridge.send(command(1001), "orders", withoutWindow, () => {});
  bridge.send(command(1001), "orders", withoutWindow, () => {});
  bridge.barrier(() => {});
  assert.ok(bridge.hasInFlight(1001));
  assert.ok(!bridge.hasInFlight(1002));
  answer(sent[0]);
  assert.ok(bridge.hasInFlight(1001));
  answer(sent[1]);
  assert.ok(!bridge.hasInFlight(1001));
  assert.equal(bridge.inFlight, 1);
});

test("LIM-33 a full ring or a full table refuses commands and changes nothing", () => {
  const { bridge, sent, ring, answer } = setUp();
  ring.isFull = true;
  assert.ok(!bridge.send(command(1001), "orders", withoutWindow, () => {}));
  assert.ok(!bridge.hasInFlight(1001));
  assert.equal(bridge.inFlight, 0);
  ring.isFull = false;
  for (let count = 0; count < requestsInFlightMax; count++) {
    assert.ok(bridge.send(command(1001), "orders", withoutWindow, () => {}));
  }
  assert.ok(!bridge.send(command(1001), "orders", withoutWindow, () => {}));
  const correlations = new Set(sent.map(({ correlation }) => correlation));
  assert.equal(correlations.size, requestsInFlightMax);
  answer(sent[5]);
  assert.ok(bridge.send(command(1001), "orders", withoutWindow, () => {}));
});

test("draining stops new commands and ends with the last reply", async () => {
  const { bridge, sent, answer } = setUp();
  bridge.send(command(1001), "orders", withoutWindow, () => {});
  let isDrained = false;
  const drained = bridge.drain().then(() => {
    isDrained = true;
  });
  assert.ok(!bridge.send(command(1001), "orders", withoutWindow, () => {}));
  assert.ok(!bridge.barrier(() => {}));
  await Promise.resolve();
  assert.ok(!isDrained);
  answer(sent[0]);
  await drained;
  await bridge.drain();
});
