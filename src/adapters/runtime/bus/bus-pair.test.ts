// Proves the two ends of the bus against each other, with a stand-in for clearing and the journal: what a front sends
// is answered once, and of what is not answered the front knows whether it may have been executed.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { MemoryHub } from "../../../../test/support/bus/memory-bus.ts";
import { quietLog } from "../../../../test/support/quiet-log.ts";
import { resendMs } from "../../../core/bus-limits.ts";
import { type Command, CommandKind } from "../../../core/generated/commands.ts";
import { emptyReply, type Reply } from "../../../core/generated/messages.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { asUnixMs } from "../../../core/unix-ms.ts";
import { GroupFollower } from "../../../services/bus/group-follower.ts";
import { createTopology, type Topology } from "../../../venue/topology.ts";
import { busProtocol } from "../../../wire/bus-message.ts";
import { CountersBuffer, RunState } from "../../../wire/counters-buffer.ts";
import { Doorbell } from "../../../wire/doorbell.ts";
import { decodeCommand } from "../../../wire/generated/command-codec.ts";
import { decodeReply, encodeReply, replyBytes } from "../../../wire/generated/message-codec.ts";
import { SpscRing } from "../../../wire/spsc-ring.ts";
import { CommandRingSink } from "../command-ring-sink.ts";
import { gatewaySources } from "../venue-memory.ts";
import { GatewayPump } from "./gateway-pump.ts";
import { LeaderBus } from "./leader-bus.ts";

const eventBytes = 40;
const firstOrigin = 100;
const waitMsMax = 10_000;
const requestMsMax = 9_000;

async function until(holds: () => boolean, what: string): Promise<void> {
  const endMs = performance.now() + waitMsMax;
  while (!holds()) {
    if (performance.now() > endMs) throw new Error(`did not happen: ${what}`);
    await pause(2);
  }
}

function clockAt(offsetMs: number) {
  const nowMs = () => asUnixMs(Math.floor(performance.now()) + offsetMs);
  return { nowMs, nowUs: () => nowMs() * 1000 };
}

/** What a leader has committed, and its successor begins with: events, and the results of numbered commands. */
interface Committed {
  readonly events: Uint8Array[];
  readonly results: Map<string, number>;
}

/**
 * A leader with a stand-in for clearing: each command becomes one event and one reply, unless `mutes` is set. A command
 * that comes again gets its first answer.
 */
class TestLeader {
  readonly commands: { source: number; correlation: number; deadlineUs: number; atUs: number }[] =
    [];
  readonly committed: Committed;
  readonly agent: LeaderBus;
  readonly clock = clockAt(1_000_000);
  /** Which commands clearing never sees. */
  mutes: (command: Command) => boolean = () => false;
  /** Number of registrations; each gives an origin of its own, from `firstOrigin`. */
  registrations = 0;
  /** Origins that do not live. */
  readonly forgotten = new Set<number>();
  readonly markets: number;
  readonly counters: CountersBuffer;
  mayAcknowledge = true;
  readonly bus;
  readonly #topology: Topology;
  readonly #outlet: SpscRing;
  readonly #rings: SpscRing[];

  constructor(hub: MemoryHub, epoch: number, slots = 2, before?: Committed, markets = 3) {
    this.markets = markets;
    const { events, results } = before ?? { events: [], results: new Map<string, number>() };
    this.committed = { events: [...events], results: new Map(results) };
    this.#topology = createTopology({
      fronts: 1,
      matchers: 1,
      gatewaySlots: slots,
      limiterSeed: 1,
    });
    const { memory } = this.#topology;
    const { first, sources } = gatewaySources(memory, this.#topology.slots);
    const committed = sources[0]?.committed ?? new SharedArrayBuffer(0);
    this.#outlet = new SpscRing(committed);
    this.#rings = sources.flatMap(({ cancels, orders }) => [
      new SpscRing(cancels),
      new SpscRing(orders),
    ]);
    this.bus = hub.join();
    const counters = new CountersBuffer(memory.counters);
    counters.advanceTo(RunState.running);
    this.counters = counters;
    const bell = new Doorbell(Doorbell.allocate());
    bell.ring = () => setImmediate(() => this.#clear());
    this.agent = new LeaderBus({
      ...{
        bus: this.bus,
        venue: "test",
        epoch,
        seq: this.committed.events.length,
        sources,
        committed,
      },
      ...{ firstSource: first, clearingBell: bell, counters, clock: this.clock, log: quietLog },
      ...{
        followedMs: () => 0,
        markets: this.markets,
        hasDevelopmentTools: false,
        mayAcknowledge: () => this.mayAcknowledge,
      },
    });
  }

  /** Commits events that no gateway caused. */
  commit(count: number): void {
    for (let event = 0; event < count; event++) this.#journal();
    this.#outlet.publish();
    this.agent.doWork();
  }

  stop(): void {
    this.agent.onClose();
    void this.bus.close();
  }

  #resultOf({ identity }: Command): number {
    assert(identity !== null && identity !== undefined);
    const key = `${identity.origin} ${identity.lane} ${identity.number}`;
    const { results } = this.committed;
    const result = results.get(key) ?? this.#journal();
    results.set(key, result);
    return result;
  }

  #journal(): number {
    const bytes = new Uint8Array(eventBytes).fill(this.committed.events.length + 1);
    this.committed.events.push(bytes);
    this.#outlet.u8.set(bytes, this.#outlet.claim(eventBytes));
    this.#outlet.commit();
    return this.committed.events.length;
  }

  #clear(): void {
    for (const ring of this.#rings) {
      for (let at = ring.next(); at >= 0; at = ring.next()) {
        const command = decodeCommand(ring, at, ring.length);
        const { source, correlation, deadlineUs, atUs } = command;
        if (this.mutes(command)) continue;
        if (command.kind === CommandKind.registerOrigin) this.answerRegistration(source);
        else if (this.forgotten.has(command.identity?.origin ?? 0))
          this.#answer({ source, correlation, reason: RejectReason.unknownOrigin });
        else {
          this.commands.push({ source, correlation, deadlineUs, atUs });
          this.#answer({ source, correlation, subject: this.#resultOf(command) });
        }
      }
      ring.release();
    }
    this.#outlet.publish();
    this.agent.doWork();
  }

  /** Gives the gateway with this source an origin. */
  answerRegistration(source: number): void {
    this.#answer({ source, correlation: 0, subject: firstOrigin + this.registrations++ });
    this.#outlet.publish();
  }

  #answer(reply: Partial<Reply>): void {
    const lastSeq = this.committed.events.length;
    encodeReply(this.#outlet, this.#outlet.claim(replyBytes), {
      ...{ ...emptyReply(), lastSeq },
      ...reply,
    });
    this.#outlet.commit();
  }
}

/** A gateway's pump with a stand-in for its front. */
class TestGateway {
  readonly events: number[] = [];
  readonly replies: (Reply & { eventsBefore: number })[] = [];
  readonly abandoned: number[] = [];
  outdated = 0;
  readonly pump: GatewayPump;
  readonly bus;
  readonly clock = clockAt(77_000_000);
  readonly #sink: CommandRingSink;
  readonly #committed: SpscRing;
  #correlation = 0;

  constructor(hub: MemoryHub, leader: () => TestLeader, incarnation: number) {
    const { memory } = createTopology({ fronts: 1, matchers: 0, gatewaySlots: 0, limiterSeed: 1 });
    const [rings] = memory.sources;
    assert(rings !== undefined);
    const counters = new CountersBuffer(memory.counters);
    this.#committed = new SpscRing(rings.committed);
    const bell = { ring: () => this.pump.ring() };
    this.#sink = new CommandRingSink(rings, bell, counters, false);
    this.bus = hub.join();
    const journal = {
      lastSeq: async () => leader().committed.events.length,
      readEvents: async (after: number, to: number | null, take: (chunk: never) => void) => {
        for (let seq = after + 1; seq <= (to ?? 0); seq++) {
          const bytes = leader().committed.events[seq - 1];
          take({ firstSeq: seq, count: 1, bytes, offsets: [0], lengths: [eventBytes] } as never);
        }
      },
    };
    const faults = { onGap: () => undefined, onFault: (fault: unknown) => Promise.reject(fault) };
    this.pump = new GatewayPump({
      ...{ bus: this.bus, venue: "test", rings, counters, log: quietLog, incarnation },
      name: `gateway ${incarnation}`,
      nowUs: () => this.clock.nowUs(),
      requestMsMax,
      follow: (parts) => new GroupFollower({ seq: 0, journal, pause, ...faults, ...parts }),
      wake: () => this.#read(),
      makeRoom: () => this.#read(),
      onAnswer: null,
      abandon: (correlation) => this.abandoned.push(correlation),
      markets: 3,
      onMarketsAdded: () => {
        this.outdated++;
      },
      ledgerFollowed: () => undefined,
    });
  }

  /** Sends a command as a front does; returns its correlation. */
  send(deadlineMs = 5_000, lane: "orders" | "cancels" = "orders"): number {
    this.#correlation++;
    const atUs = this.clock.nowUs();
    const stamp = { source: 0, correlation: this.#correlation, atUs };
    const command = { kind: CommandKind.cancelAllOrders, account: 1, market: 0, ...stamp } as const;
    assert.ok(this.#sink.trySend({ ...command, deadlineUs: atUs + deadlineMs * 1000 }, lane));
    return this.#correlation;
  }

  #read(): void {
    const ring = this.#committed;
    for (let at = ring.next(); at >= 0; at = ring.next()) {
      if (ring.length === replyBytes) {
        const reply = emptyReply();
        decodeReply(ring, at, ring.length, reply);
        this.replies.push({ ...reply, eventsBefore: this.events.length });
      } else this.events.push(ring.u8[at] ?? 0);
    }
    ring.release();
  }
}

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
  for (let order = 0; order < 100; order++) gateway.send(5_000);
  gateway.send(5_000, "cancels");
  await until(() => gateway.replies.length === 101, "all replies");
  assert.deepEqual(
    gateway.events,
    Array.from({ length: 101 }, (_, index) => index + 1),
  );
  for (const { lastSeq, eventsBefore } of gateway.replies) assert.ok(eventsBefore >= lastSeq);
  assert.equal(new Set(gateway.replies.map(({ correlation }) => correlation)).size, 101);
  for (const { source, atUs, deadlineUs } of current().commands) {
    assert.equal(source, 1, "the first source after the only front");
    // The gateway's clock is far from the leader's; only durations count.
    assert.ok(Math.abs(atUs - current().clock.nowUs()) < 5_000_000);
    assert.ok(deadlineUs <= atUs + 5_000_000 && deadlineUs > atUs + 4_000_000);
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
  assert.deepEqual(
    gateway.events,
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
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
  hub.loses = (subject) => subject.includes(".commands.") && lost++ === 0;
  const first = gateway.send();
  await pause(20);
  assert.equal(current().commands.length, 0, "the command is lost");
  lost = 0;
  hub.loses = (subject) => subject.includes(".replies.") && lost++ === 0;
  await until(() => gateway.replies.length === 1, "the answer");
  assert.equal(gateway.replies[0]?.correlation, first);
  assert.deepEqual(gateway.events, [1], "it was executed once");
  assert.equal(gateway.pump.figures.unanswered, 0);
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

test("a gateway asks for its number once a second while nobody answers", async () => {
  const hub = new MemoryHub();
  const leader = new TestLeader(hub, 1);
  let asked = 0;
  leader.mutes = () => ++asked > 0;
  const gateway = new TestGateway(hub, () => leader, 4711);
  stops.push(
    () => gateway.pump.close(),
    () => leader.stop(),
  );
  await until(() => asked > 0, "the first registration");
  const firstMs = performance.now();
  await pause(700);
  const most = 1 + Math.ceil((performance.now() - firstMs) / resendMs);
  assert.ok(asked <= most, `${asked} registrations`);
  leader.mutes = () => false;
  await until(() => gateway.pump.isReady, "a later registration");
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

test("GWY-15 a leader without a valid lease tells gateways nothing", async () => {
  const { current, gateway } = await pair();
  current().mayAcknowledge = false;
  current().counters.advanceTo(RunState.draining);
  gateway.send(300);
  await until(() => !gateway.pump.isReady, "the leader is silent, refusals too");
  assert.deepEqual(gateway.replies, []);
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
  gateway.send();
  await until(() => gateway.replies.length === 1, "the answer");
  assert.equal(current().commands.length, 1);
});
