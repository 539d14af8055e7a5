// Both ends of the bus against each other, with a stand-in for clearing and the journal behind the leader's end and one
// for a front behind the gateway's.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { GatewayPump } from "../../../src/adapters/runtime/bus/gateway-pump.ts";
import { LeaderBus } from "../../../src/adapters/runtime/bus/leader-bus.ts";
import { CommandRingSink } from "../../../src/adapters/runtime/command-ring-sink.ts";
import { gatewaySources } from "../../../src/adapters/runtime/venue-memory.ts";
import { type Command, CommandKind } from "../../../src/core/generated/commands.ts";
import {
  emptyOrderClaim,
  emptyOrderUse,
  emptyReply,
  type OrderUse,
  type Reply,
} from "../../../src/core/generated/messages.ts";
import { RejectReason } from "../../../src/core/reject-reason.ts";
import { asUnixMs } from "../../../src/core/unix-ms.ts";
import { RateLimiter } from "../../../src/services/access/rate-limiter.ts";
import { GroupFollower } from "../../../src/services/bus/group-follower.ts";
import { OrderClaims } from "../../../src/services/bus/order-claims.ts";
import { createTopology, type Topology } from "../../../src/venue/topology.ts";
import { CountersBuffer, RunState } from "../../../src/wire/counters-buffer.ts";
import { Doorbell } from "../../../src/wire/doorbell.ts";
import { decodeCommand } from "../../../src/wire/generated/command-codec.ts";
import { decodeReply, encodeReply, replyBytes } from "../../../src/wire/generated/message-codec.ts";
import { SpscRing } from "../../../src/wire/spsc-ring.ts";
import { until as untilFound } from "../../epochs/epoch-waits.ts";
import { quietLog } from "../quiet-log.ts";
import type { MemoryHub } from "./memory-bus.ts";

const eventBytes = 40;
/** Origins are numbered from here. */
export const firstOrigin = 100;
const waitMsMax = 60_000;
const requestMsMax = 9_000;

export async function until(holds: () => boolean, what: string): Promise<void> {
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
export class TestLeader {
  readonly commands: { source: number; correlation: number; deadlineUs: number; atUs: number }[] =
    [];
  readonly committed: Committed;
  /** Origins of the signs of life that clearing got. */
  readonly signs: number[] = [];
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
  readonly limiter: RateLimiter;
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
    this.limiter = new RateLimiter(memory.limiter);
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
        limiter: this.limiter,
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
        if (command.kind === CommandKind.signOfLife) this.signs.push(command.origin);
        else if (!this.mutes(command)) this.#take(command);
      }
      ring.release();
    }
    this.#outlet.publish();
    this.agent.doWork();
  }

  #take(command: Command): void {
    const { source, correlation, deadlineUs, atUs } = command;
    if (command.kind === CommandKind.registerOrigin) this.answerRegistration(source);
    else if (this.forgotten.has(command.identity?.origin ?? 0))
      this.#answer({ source, correlation, reason: RejectReason.unknownOrigin });
    else {
      this.commands.push({ source, correlation, deadlineUs, atUs });
      this.#answer({ source, correlation, subject: this.#resultOf(command) });
    }
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
export class TestGateway {
  readonly events: number[] = [];
  readonly replies: (Reply & OrderUse & { eventsBefore: number })[] = [];
  readonly #use = emptyOrderUse();
  outdated = 0;
  readonly abandoned: number[] = [];
  readonly claims = new OrderClaims();
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
      orderClaims: this.claims,
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
  send(deadlineMs = 5_000, lane: "orders" | "cancels" = "orders", orders = 0): number {
    this.#correlation++;
    this.claims.put(this.#correlation, { ...emptyOrderClaim(), keyId: 7, orders });
    const atUs = this.clock.nowUs();
    const stamp = { source: 0, correlation: this.#correlation, atUs };
    const command = { kind: CommandKind.cancelAllOrders, account: 1, market: 0, ...stamp } as const;
    assert.ok(this.#sink.trySend({ ...command, deadlineUs: atUs + deadlineMs * 1000 }, lane));
    return this.#correlation;
  }

  /**
   * Sends commands for `ms` and waits for all answers; returns how often one was sent again. Begins anew, for two minutes at
   * most, if the machine paused for longer than `pauseMsMax`.
   */
  resendsIn(ms: number, pauseMsMax: number): Promise<number> {
    return untilFound("a time without a pause of the machine", async () => {
      const before = this.pump.figures.resends;
      const pausedMs = await this.#sendFor(ms);
      return pausedMs > pauseMsMax ? null : this.pump.figures.resends - before;
    });
  }

  /** Returns the longest time in which nothing ran, in ms. */
  async #sendFor(ms: number): Promise<number> {
    let [atMs, pausedMs] = [performance.now(), 0];
    const pass = () => {
      pausedMs = Math.max(pausedMs, performance.now() - atMs);
      atMs = performance.now();
    };
    for (const endMs = atMs + ms; atMs < endMs; await pause(2)) {
      this.send();
      pass();
    }
    await until(() => this.pump.figures.unanswered === 0, "all answers");
    pass();
    return pausedMs;
  }

  #read(): void {
    const ring = this.#committed;
    for (let at = ring.next(); at >= 0; at = ring.next()) {
      if (ring.length === replyBytes) {
        const reply = emptyReply();
        decodeReply(ring, at, ring.length, reply);
        this.claims.uses.read(reply.correlation, this.#use);
        this.replies.push({ ...reply, ...this.#use, eventsBefore: this.events.length });
      } else this.events.push(ring.u8[at] ?? 0);
    }
    ring.release();
  }
}
