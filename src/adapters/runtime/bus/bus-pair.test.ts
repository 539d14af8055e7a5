// Proves the two ends of the bus against each other, with a stand-in for clearing and the journal: what a front sends
// is answered once, and of what is not answered the front knows whether it may have been executed.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { until as untilFound } from "../../../../test/epochs/epoch-waits.ts";
import {
  firstOrigin,
  TestGateway,
  TestLeader,
  until,
} from "../../../../test/support/bus/bus-ends.ts";
import { MemoryHub } from "../../../../test/support/bus/memory-bus.ts";
import { RateTier } from "../../../core/accounts.ts";
import { resendMs } from "../../../core/bus-limits.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { limitsOf } from "../../../services/access/rate-limiter.ts";
import { notCounted } from "../../../services/bus/order-claims.ts";
import { BusMessageReader, busProtocol } from "../../../wire/bus-message.ts";
import { RunState } from "../../../wire/counters-buffer.ts";

/** False for a sign of life. */
function hasRecords(bytes: Uint8Array): boolean {
  const reader = new BusMessageReader();
  return reader.open(bytes) === null && reader.header.count > 0;
}

const numbersTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function pair(slots = 2) {
  const hub = new MemoryHub();
  const leaders = [new TestLeader(hub, 1, slots)];
  const current = () => leaders.at(-1) as TestLeader;
  const gateway = new TestGateway(hub, current, 4711);
  stops.push(() => gateway.pump.close());
  stops.push(() => {
    for (const leader of leaders) leader.stop();
  });
  await until(() => gateway.pump.isReady, "the gateway is ready");
  return { hub, leaders, current, gateway };
}

test("GWY-9 commands are answered once, each after its events, in the leader's time", async () => {
  const { current, gateway } = await pair();
  const beganMs = performance.now();
  for (let order = 0; order < 100; order++) gateway.send(5_000);
  gateway.send(5_000, "cancels");
  await until(() => gateway.replies.length === 101, "all replies");
  const lastedUs = Math.ceil(performance.now() - beganMs + 1) * 1000;
  assert.deepEqual(gateway.events, numbersTo(101));
  for (const { lastSeq, eventsBefore } of gateway.replies) assert.ok(eventsBefore >= lastSeq);
  assert.equal(new Set(gateway.replies.map(({ correlation }) => correlation)).size, 101);
  for (const { source, atUs, deadlineUs } of current().commands) {
    assert.equal(source, 1, "the first source after the only front");
    // The gateway's clock is far from the leader's; only durations count.
    assert.ok(Math.abs(atUs - current().clock.nowUs()) < 60_000_000);
    assert.ok(deadlineUs <= atUs + 5_000_000 && deadlineUs > atUs + 5_000_000 - lastedUs);
  }
});

test("lost groups are read from the journal before a later reply is passed on", async () => {
  const { hub, current, gateway } = await pair();
  let lost = 0;
  hub.loses = (subject) => subject.endsWith(".groups") && lost++ < 3;
  for (let round = 0; round < 5; round++) {
    current().commit(3);
    gateway.send();
    await pause(5);
  }
  await until(() => gateway.replies.length === 5, "all replies");
  await until(() => gateway.events.length === 20, "all events");
  assert.deepEqual(gateway.events, numbersTo(20));
  for (const { lastSeq, eventsBefore } of gateway.replies) assert.ok(eventsBefore >= lastSeq);
});

test("a command that was never handed over waits for the bus, or is refused as not executed", async () => {
  const { current, gateway } = await pair();
  gateway.bus.setConnected(false);
  const short = gateway.send(150);
  const long = gateway.send(8_000);
  await until(() => gateway.replies.length === 1, "the refusal");
  assert.equal(gateway.replies[0]?.correlation, short);
  assert.equal(gateway.replies[0]?.reason, RejectReason.deadlinePassed);
  assert.equal(current().commands.length, 0);
  gateway.bus.setConnected(true);
  await until(() => gateway.replies.length === 2, "the answer");
  assert.equal(gateway.replies[1]?.correlation, long);
  assert.equal(gateway.replies[1]?.reason, RejectReason.none);
  assert.deepEqual(
    current().commands.map(({ correlation }) => correlation),
    [long],
  );
});

test("GWY-12 a lost command and a lost reply are repaired by sending again, and nothing is done twice", async () => {
  const { hub, current, gateway } = await pair();
  let lost = 0;
  hub.loses = (subject, bytes) =>
    subject.includes(".commands.") && hasRecords(bytes) && lost++ === 0;
  const first = gateway.send();
  await pause(20);
  assert.equal(current().commands.length, 0, "the command is lost");
  lost = 0;
  hub.loses = (subject) => subject.includes(".replies.") && lost++ === 0;
  await until(() => gateway.replies.length === 1, "the answer");
  assert.equal(gateway.replies[0]?.correlation, first);
  assert.deepEqual(gateway.events, [1], "it was executed once");
  const { unanswered, resends } = gateway.pump.figures;
  assert.deepEqual([unanswered, resends], [0, 2]);
});

test("GWY-12 a leader that answers in time gets no command twice, however long others follow each other", async () => {
  const { gateway } = await pair();
  // A pause of the machine makes the leader late, and then proves nothing.
  assert.equal(await gateway.resendsIn(resendMs + 300, resendMs / 2), 0);
});

test("GWY-12 a gateway that is registered twice executes nothing twice", async () => {
  const { hub, current, gateway } = await pair();
  const leader = current();
  hub.loses = (subject) => subject.includes(".replies.");
  gateway.send();
  await until(() => leader.commands.length === 1, "the command");
  hub.loses = () => false;
  // The answer to an earlier registration that had been on its way for long.
  leader.answerRegistration(1);
  leader.agent.doWork();
  await until(() => gateway.replies.length === 1, "the answer to the command sent again");
  assert.deepEqual(gateway.events, [1], "it was executed once");
});

test("CMD-4 a gateway asks for its number once a second, and gets one, however often answers are lost", async () => {
  const hub = new MemoryHub();
  const leader = new TestLeader(hub, 1);
  let [asked, lost] = [0, 0];
  hub.loses = (subject, bytes) =>
    subject.includes(".commands.") && hasRecords(bytes) && ++asked > 0;
  const gateway = new TestGateway(hub, () => leader, 4711);
  stops.push(
    () => gateway.pump.close(),
    () => leader.stop(),
  );
  await until(() => asked > 0, "the first registration");
  const firstMs = performance.now();
  await pause(700);
  assert.ok(asked <= 1 + Math.ceil((performance.now() - firstMs) / resendMs), `${asked} times`);
  hub.loses = (subject, bytes) => subject.includes(".replies.") && hasRecords(bytes) && lost++ < 2;
  await until(() => gateway.pump.isReady, "an answer");
  assert.deepEqual([lost, leader.registrations], [3, 1]);
});

test("only the refusal of its present number makes a gateway ask for another one", async () => {
  const { current, gateway } = await pair();
  const leader = current();
  let muted = 0;
  leader.mutes = () => ++muted > 0;
  const [one, other] = [gateway.send(), gateway.send()];
  await until(() => muted === 2, "both commands");
  leader.forgotten.add(firstOrigin);
  leader.mutes = ({ correlation }) => correlation === other;
  await until(() => leader.registrations === 2 && gateway.pump.isReady, "the second registration");
  assert.deepEqual(gateway.abandoned, [one], "nobody knows whether it was executed");
  leader.mutes = () => false;
  await until(() => gateway.abandoned.length === 2, "the refusal of the other command");
  assert.equal(gateway.pump.isReady, true);
  gateway.send();
  await until(() => gateway.replies.length === 1, "an answer under the second number");
  assert.equal(leader.registrations, 2);
});

test("GWY-12 the next leader gets first what has no answer, in order, and then what waited", async () => {
  const { hub, leaders, current, gateway } = await pair();
  const old = current();
  // Executed and committed, but the reply is lost with the leader.
  hub.loses = (subject) => subject.includes(".replies.");
  const done = gateway.send(8_000);
  await until(() => old.commands.length === 1, "the first command");
  old.mutes = () => true;
  const [undone, later] = [gateway.send(8_000), gateway.send(8_000)];
  await pause(50);
  old.stop();
  hub.loses = () => false;
  await until(() => !gateway.pump.isReady, "the loss is noticed");
  const waiting = gateway.send(8_000);
  leaders.push(new TestLeader(hub, 2, 2, old.committed));
  await until(() => gateway.replies.length === 4, "the answers of the later leader");
  assert.deepEqual(
    current().commands.map(({ correlation }) => correlation),
    [done, undone, later, waiting],
  );
  assert.deepEqual(
    gateway.replies.map(({ subject }) => subject),
    [1, 2, 3, 4],
    "the first answer of what was done, then new ones",
  );
  assert.deepEqual(gateway.events, [1, 2, 3, 4]);
  assert.equal(gateway.pump.figures.epoch, 2);
});

test("GWY-14 what a stopping leader refuses waits for the next one; what it had executed gets its first answer", async () => {
  const { hub, leaders, current, gateway } = await pair();
  const old = current();
  hub.loses = (subject) => subject.includes(".replies.");
  const done = gateway.send(8_000);
  await until(() => old.commands.length === 1, "the first command");
  hub.loses = () => false;
  old.counters.advanceTo(RunState.draining);
  const refused = gateway.send(8_000);
  await pause(300);
  assert.deepEqual(gateway.replies, [], "a refusal answers nobody");
  old.stop();
  leaders.push(new TestLeader(hub, 2, 2, old.committed));
  await until(() => gateway.replies.length === 2, "the answers of the later leader");
  assert.deepEqual(
    gateway.replies.map(({ correlation, reason }) => [correlation, reason]),
    [
      [done, RejectReason.none],
      [refused, RejectReason.none],
    ],
  );
  assert.deepEqual(gateway.events, [1, 2], "each is executed once");
});

/** A gateway whose 80 commands its leader has not taken for a while; null if the machine paused meanwhile. */
async function untakenCommands() {
  const { hub, current, gateway } = await pair();
  const { counters } = current();
  counters.setJournalStalled(true);
  const beganMs = performance.now();
  for (let order = 0; order < 40; order++) gateway.send(20_000);
  for (let cancel = 0; cancel < 40; cancel++) gateway.send(20_000, "cancels");
  await pause(resendMs - 200);
  const before = gateway.pump.figures.resends;
  // Later all of them are sent again, as if they had been lost.
  return performance.now() - beganMs < resendMs ? { hub, counters, gateway, before } : null;
}

test("GWY-22 a leader that takes no commands is asked with few of them, and gets all as soon as it takes one", async () => {
  const untaken = await untilFound("a time without a pause of the machine", untakenCommands);
  const { hub, counters, gateway, before } = untaken;
  assert.ok(before > 0 && before < 80, `${before} resends of 80 commands`);
  assert.deepEqual(gateway.replies, []);
  let messages = 0;
  hub.loses = (subject, bytes) => {
    if (subject.includes(".commands.") && hasRecords(bytes)) messages++;
    return false;
  };
  counters.setJournalStalled(false);
  await until(() => gateway.replies.length === 80, "all answers");
  assert.ok(
    messages <= 10,
    `${messages} messages: the tried commands, and then the others at once`,
  );
  assert.deepEqual(
    gateway.replies.map(({ reason }) => reason),
    Array.from({ length: 80 }, () => RejectReason.none),
  );
});

test("GWY-15 a leader without a valid lease tells gateways nothing", async () => {
  const { current, gateway } = await pair();
  current().mayAcknowledge = false;
  current().counters.advanceTo(RunState.draining);
  gateway.send(300);
  await until(() => !gateway.pump.isReady, "the leader is silent, refusals too");
  assert.deepEqual(gateway.replies, []);
});

test("GWY-15 what the journal passed on before the lease ran out waits until it is renewed", async () => {
  const { current, gateway } = await pair();
  const leader = current();
  leader.mayAcknowledge = false;
  gateway.send();
  await until(() => leader.commands.length === 1, "the command");
  await pause(50);
  assert.deepEqual([gateway.replies, gateway.events], [[], []]);
  leader.mayAcknowledge = true;
  await until(() => gateway.replies.length === 1, "the answer");
});

test("what an earlier leader sends after its successor is discarded", async () => {
  const { hub, leaders, current, gateway } = await pair();
  const old = current();
  leaders.push(new TestLeader(hub, 2, 2, old.committed));
  await until(() => gateway.pump.figures.epoch === 2 && gateway.pump.isReady, "the later leader");
  old.commit(4);
  gateway.send();
  await until(() => gateway.replies.length === 1, "the answer");
  assert.equal(old.commands.length, 0, "commands go to the later leader alone");
  assert.deepEqual(gateway.events, [1], "the events of the earlier one are not folded");
  assert.ok(gateway.pump.figures.discarded > 0);
});

test("two gateways get their own replies and all events; a third finds no slot", async () => {
  const { hub, current, gateway } = await pair();
  const other = new TestGateway(hub, current, 4712);
  const third = new TestGateway(hub, current, 4713);
  stops.push(
    () => other.pump.close(),
    () => third.pump.close(),
  );
  await until(() => other.pump.isReady || third.pump.isReady, "a second gateway");
  const [second, refused] = other.pump.isReady ? [other, third] : [third, other];
  for (let order = 0; order < 20; order++) {
    gateway.send();
    second.send();
  }
  await until(() => gateway.replies.length === 20 && second.replies.length === 20, "all replies");
  await until(() => refused.events.length === 40, "a gateway without a slot follows all the same");
  assert.equal(gateway.events.length, 40);
  assert.equal(refused.pump.isReady, false);
  second.pump.close();
  await until(() => refused.pump.isReady, "the slot of a gateway that left");
});

test("COD-11 COD-12 clearing hears an idle gateway, also of the next leader, and none that is cut off", async () => {
  const { hub, leaders, current, gateway } = await pair();
  await until(() => current().signs.length >= 3, "signs of life without commands");
  const [origin = 0] = current().signs;
  assert.ok(origin > 0 && current().signs.every((one) => one === origin));
  hub.loses = (subject) => subject.includes(".commands.");
  await pause(50);
  const before = current().signs.length;
  await pause(500);
  assert.equal(current().signs.length, before);
  hub.loses = () => false;
  current().stop();
  leaders.push(new TestLeader(hub, 2, 2, current().committed));
  await until(() => current().signs.length >= 2, "signs of life at the next leader");
  assert.ok(current().signs.every((one) => one === origin));
  assert.ok(gateway.pump.isReady);
});

test("GWY-20 the leader counts the orders of all gateways together, and says what a key has used", async () => {
  const { hub, current, gateway } = await pair();
  const other = new TestGateway(hub, current, 4712);
  stops.push(() => other.pump.close());
  await until(() => other.pump.isReady, "the other gateway");
  const { ordersPer10s } = limitsOf(RateTier.standard);
  // All of it must happen in one window of 10 s.
  const intoWindow = () => current().clock.nowMs() % 10_000;
  await until(() => intoWindow() < 4_000, "the next window");
  for (let order = 0; order < ordersPer10s; order++) {
    (order % 2 === 0 ? gateway : other).send(5_000, "orders", 1);
    await until(() => gateway.replies.length + other.replies.length === order + 1, "its answer");
  }
  const told = [...gateway.replies, ...other.replies].map(({ per10s }) => per10s);
  const sorted = told.sort((a, b) => a - b);
  assert.deepEqual(sorted, numbersTo(ordersPer10s));
  const done = current().commands.length;
  for (const one of [gateway, other]) one.send(5_000, "orders", 1);
  gateway.send(5_000, "cancels");
  await until(() => gateway.replies.length + other.replies.length === ordersPer10s + 3, "refusals");
  assert.equal(current().commands.length, done + 1, "only the cancel reached clearing");
  const refused = [...gateway.replies, ...other.replies].filter(({ reason }) => reason !== 0);
  assert.deepEqual(
    refused.map(({ reason, subject, per10s }) => [reason, subject, per10s]),
    [1, 2].map(() => [RejectReason.tooManyOrdersIn10s, ordersPer10s, ordersPer10s]),
  );
  assert.equal(gateway.replies.at(-1)?.per10s, notCounted, "a cancel is not counted");
});

test("GWY-20 a command that is sent again is not counted again, and no limit refuses it", async () => {
  const { hub, leaders, current, gateway } = await pair();
  const old = current();
  // Executed, but the answer is lost with the leader.
  hub.loses = (subject) => subject.includes(".replies.");
  gateway.send(8_000, "orders", 1);
  await until(() => old.commands.length > 1, "it was sent again");
  old.limiter.lookAtKey(7, old.clock.nowMs());
  assert.ok(old.limiter.ordersPerMinute <= 1);
  old.stop();
  hub.loses = () => false;
  const next = new TestLeader(hub, 2, 2, old.committed);
  const counted = { keyId: 7, account: 1, tier: RateTier.standard };
  const { ordersPer10s } = limitsOf(RateTier.standard);
  next.limiter.admitAs(counted, RateTier.standard, 0, ordersPer10s, next.clock.nowMs());
  leaders.push(next);
  await until(() => gateway.replies.length === 1, "the first answer");
  assert.deepEqual([gateway.replies[0]?.reason, gateway.replies[0]?.subject], [0, 1]);
});

test("GWY-20 an order that has waited for a leader is not refused because others waited with it", async () => {
  const { current, gateway } = await pair();
  const { counters, limiter, clock } = current();
  counters.setJournalStalled(true);
  const waited = gateway.send(20_000, "orders", 1);
  await pause(1_500);
  const counted = { keyId: 7, account: 1, tier: RateTier.standard };
  const { ordersPer10s } = limitsOf(RateTier.standard);
  await until(() => clock.nowMs() % 10_000 < 5_000, "a window with time left");
  limiter.admitAs(counted, RateTier.standard, 0, ordersPer10s, clock.nowMs());
  counters.setJournalStalled(false);
  await until(() => gateway.replies.length === 1, "the answer");
  const [answer] = gateway.replies;
  assert.deepEqual([answer?.correlation, answer?.reason], [waited, RejectReason.none]);
  assert.equal(answer?.per10s, notCounted);
});

test("GWY-20 a limit's refusal that comes after the command was sent again does not answer it", async () => {
  const { hub, current, gateway } = await pair();
  const leader = current();
  const counted = { keyId: 7, account: 1, tier: RateTier.standard };
  const { ordersPer10s } = limitsOf(RateTier.standard);
  await until(() => leader.clock.nowMs() % 10_000 < 5_000, "the next window");
  leader.limiter.admitAs(counted, RateTier.standard, 0, ordersPer10s, leader.clock.nowMs());
  const late: [subject: string, bytes: Uint8Array][] = [];
  hub.loses = (subject, bytes) => {
    const isLate = subject.includes(".replies.") && hasRecords(bytes);
    if (isLate) late.push([subject, bytes.slice()]);
    return isLate;
  };
  const sent = gateway.send(8_000, "orders", 1);
  await until(() => leader.commands.length === 1, "the command that was sent again");
  assert(late.length > 1, "its first sending was refused");
  hub.loses = () => false;
  for (const [subject, bytes] of late) hub.send(leader.bus, subject, bytes, () => undefined);
  await until(() => gateway.replies.length === 1, "the answer");
  const [answer] = gateway.replies;
  assert.deepEqual([answer?.correlation, answer?.reason], [sent, RejectReason.none]);
});

test("GWY-19 a gateway notices once that a later leader has more markets, and not that one has fewer", async () => {
  const { hub, leaders, current, gateway } = await pair();
  for (const [epoch, markets] of [
    [2, 2],
    [3, 4],
  ] as const) {
    const { committed } = current();
    current().stop();
    leaders.push(new TestLeader(hub, epoch, 2, committed, markets));
    await until(() => gateway.pump.figures.epoch === epoch && gateway.pump.isReady, "the leader");
    gateway.send();
    await until(() => gateway.replies.length === epoch - 1, "an answer of the leader");
    assert.equal(gateway.outdated, epoch === 3 ? 1 : 0);
  }
  await pause(300);
  assert.equal(gateway.outdated, 1);
});

test("GWY-8 while the leader speaks another version, commands wait; the next one executes each of them once", async () => {
  const { hub, leaders, current, gateway } = await pair();
  gateway.send();
  await until(() => gateway.replies.length === 1, "the first answer");
  const { committed } = current();
  current().stop();
  // Each side sees the version of the other as a later one.
  hub.loses = (_, bytes) => {
    bytes[0] = busProtocol + 1;
    return false;
  };
  leaders.push(new TestLeader(hub, 2, 2, committed));
  await until(() => !gateway.pump.isReady, "the loss is noticed");
  for (let order = 0; order < 3; order++) gateway.send(9_000);
  await pause(300);
  assert.deepEqual([gateway.replies.length, current().commands.length], [1, 0]);
  current().stop();
  hub.loses = () => false;
  leaders.push(new TestLeader(hub, 3, 2, committed));
  await until(() => gateway.replies.length === 4, "the answers of a leader of the same version");
  assert.deepEqual(gateway.events, [1, 2, 3, 4], "each is executed once");
});

test("GWY-8 messages of another version are refused on both sides, and break nothing", async () => {
  const { hub, gateway, current } = await pair();
  const stranger = hub.join();
  const message = new Uint8Array(64);
  message[0] = busProtocol + 1;
  for (const subject of ["groups", "commands.0", "replies.0"])
    stranger.publish(`rialto.test.${subject}`, message);
  const answer = await stranger.request("rialto.test.join", message, 1_000);
  assert.equal(answer?.[0], busProtocol, "the leader answers in its own version");
  assert.equal(gateway.pump.figures.refused, 2);
  gateway.send();
  await until(() => gateway.replies.length === 1, "the answer");
  assert.equal(current().commands.length, 1);
});

test("GWY-21 the next leader begins to count at zero", async () => {
  const { hub, leaders, current, gateway } = await pair();
  await until(() => current().clock.nowMs() % 10_000 < 4_000, "the next window");
  gateway.send(8_000, "orders", 1);
  gateway.send(8_000, "orders", 1);
  await until(() => gateway.replies.length === 2, "two answers");
  current().stop();
  leaders.push(new TestLeader(hub, 2, 2, current().committed));
  await until(() => gateway.pump.figures.epoch === 2 && gateway.pump.isReady, "the later leader");
  gateway.send(8_000, "orders", 1);
  await until(() => gateway.replies.length === 3, "its answer");
  assert.deepEqual(
    gateway.replies.map(({ per10s }) => per10s),
    [1, 2, 1],
  );
});
