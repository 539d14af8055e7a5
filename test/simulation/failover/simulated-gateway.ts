// A gateway process of a failover run, with its clients: the real pump, window and follower behind rings, and a copy of
// the state. It records what its clients sent, and what they were told.

import assert from "node:assert/strict";
import { GatewayPump } from "../../../src/adapters/runtime/bus/gateway-pump.ts";
import { CommandRingSink } from "../../../src/adapters/runtime/command-ring-sink.ts";
import { FrontAgent } from "../../../src/adapters/runtime/front-agent.ts";
import type { CommandIdentity } from "../../../src/core/command-identity.ts";
import type { Command } from "../../../src/core/generated/commands.ts";
import type { VenueEvent } from "../../../src/core/generated/events.ts";
import type { Reply } from "../../../src/core/generated/messages.ts";
import { apply } from "../../../src/engine/state/apply/apply.ts";
import type { VenueState } from "../../../src/engine/state/venue-state.ts";
import type { Bus } from "../../../src/ports/bus.ts";
import type { CommandLane } from "../../../src/ports/command-sink.ts";
import { GroupFollower } from "../../../src/services/bus/group-follower.ts";
import { OrderClaims } from "../../../src/services/bus/order-claims.ts";
import { CountersBuffer } from "../../../src/wire/counters-buffer.ts";
import { SpscRing } from "../../../src/wire/spsc-ring.ts";
import type { SentCommand } from "../../model/model-gateway.ts";
import { type Draft, startUs } from "../../support/machine/test-venue.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { GatewayJournal } from "./gateway-journal.ts";
import { renumbering } from "./renumbering-bus.ts";
import type { SimulatedCluster } from "./simulated-cluster.ts";
import type { SimulatedProcess, SimulatedTime } from "./simulated-time.ts";
import { venueName } from "./simulated-venue.ts";

/** Deliberate faults of a gateway; a run with one of them must fail. */
export type GatewayCanary =
  | "resends-under-new-numbers"
  | "skips-gaps"
  | "follows-what-is-not-durable";

const ringBytes = 2 ** 18;
/** Correlations of one process begin this much above those of the one before. */
export const correlationsPerGateway = 1_000_000;

export interface SimulatedGatewayParts {
  /** By which leaders know it after a restart. */
  readonly name: string;
  /** Number of this process among all of a run, from 1. */
  readonly number: number;
  readonly cluster: SimulatedCluster;
  readonly time: SimulatedTime;
  readonly bus: (owner: SimulatedProcess) => Bus;
  readonly skewMs: number;
  /** The last seq that any leader has announced as durable. */
  readonly announcedSeq: () => number;
  /** The state with which it starts. */
  readonly state: VenueState;
  readonly canary: GatewayCanary | null;
}

/** A client's command and what became of it. */
interface ClientCommand extends SentCommand {
  /** The client was told that nobody knows. */
  isUnknown: boolean;
}

export class SimulatedGateway implements SimulatedProcess {
  readonly name: string;
  isFrozen = false;
  isDead = false;
  readonly number: number;
  readonly incarnation: number;
  readonly state: VenueState;
  /** Seq of the state with which it started. */
  readonly startSeq: number;
  /** Bytes of every later event that the front got, in order. */
  readonly events: Uint8Array[] = [];
  readonly sent = new Map<number, ClientCommand>();
  readonly pump: GatewayPump;
  readonly #parts: SimulatedGatewayParts;
  readonly #sink: CommandRingSink;
  #correlation: number;
  #isFilling = false;

  constructor(parts: SimulatedGatewayParts) {
    this.#parts = parts;
    const { name, number, time, state, canary } = parts;
    this.name = name;
    this.number = number;
    this.incarnation = 4711 * number;
    this.#correlation = correlationsPerGateway * number;
    this.state = state;
    this.startSeq = state.seq;
    const rings = {
      orders: SpscRing.allocate(ringBytes),
      cancels: SpscRing.allocate(ringBytes),
      committed: SpscRing.allocate(ringBytes),
    };
    const counters = new CountersBuffer(CountersBuffer.allocate(1));
    const reader = {
      fold: (event: VenueEvent) => this.#fold(event),
      reply: (reply: Reply) => this.#hear(reply),
    };
    const front = new FrontAgent({
      ...{ roleName: this.name, reader, counters, seq: this.state.seq },
      ring: new SpscRing(rings.committed),
      mayAcknowledge: () => true,
    });
    const drain = () => {
      while (front.doWork() > 0);
    };
    this.#sink = new CommandRingSink(rings, { ring: () => this.pump.ring() }, counters, false);
    const bus = parts.bus(this);
    this.pump = time.withIntervalsOf(
      this,
      () =>
        new GatewayPump({
          ...{ venue: venueName, rings, counters, log: quietLog, name: this.name },
          bus: canary === "resends-under-new-numbers" ? renumbering(bus, venueName) : bus,
          incarnation: this.incarnation,
          nowUs: () => this.nowUs,
          requestMsMax: 6_000,
          orderClaims: new OrderClaims(),
          follow: (own) => this.#follow(own),
          wake: drain,
          makeRoom: drain,
          abandon: (correlation) => {
            const sent = this.sent.get(correlation);
            if (sent !== undefined) sent.isUnknown = true;
          },
          ledgerFollowed: () => undefined,
          onAnswer: null,
          markets: 0,
          onMarketsAdded: () => undefined,
        }),
    );
  }

  get nowUs(): number {
    const { time, skewMs } = this.#parts;
    return startUs + (time.nowMs + skewMs) * 1000;
  }

  /** Sends a client's command with `deadlineMs` left. */
  send(draft: Draft<Command>, lane: CommandLane, deadlineMs: number): void {
    this.#correlation++;
    const atUs = this.nowUs;
    const stamp = { source: 0, correlation: this.#correlation, atUs };
    const command = { account: 0, ...draft, ...stamp, deadlineUs: atUs + deadlineMs * 1000 };
    const sent = { command: command as Command, identities: [], answer: null, isUnknown: false };
    // The sink passes it on at once.
    this.sent.set(this.#correlation, sent);
    if (!this.#sink.trySend(sent.command, lane)) this.sent.delete(this.#correlation);
  }

  /** Takes note that a command was handed to the bus under this identity; returns false if it was sent before. */
  handedOver(correlation: number, identity: CommandIdentity): boolean {
    const identities = this.sent.get(correlation)?.identities ?? [];
    const isFirst = identities.length === 0;
    if (
      !identities.some(
        ({ origin, number }) => origin === identity.origin && number === identity.number,
      )
    )
      identities.push(identity);
    return isFirst;
  }

  /** Commands whose clients were told nothing yet. */
  get waiting(): number {
    return [...this.sent.values()].filter(({ answer, isUnknown }) => answer === null && !isUnknown)
      .length;
  }

  /** True if nothing is in flight, and everything that the leader announced is here. */
  get isAtRest(): boolean {
    return this.waiting === 0 && this.pump.isReady && this.pump.figures.unanswered === 0;
  }

  /** The process is killed: its clients lose their connections, and do not know what became of their requests. */
  kill(): void {
    this.isDead = true;
    for (const sent of this.sent.values()) sent.isUnknown ||= sent.answer === null;
  }

  #follow(own: Pick<ConstructorParameters<typeof GroupFollower>[0], "pass" | "passed">) {
    const { time, canary } = this.#parts;
    return new GroupFollower({
      seq: this.state.seq,
      journal: this.#journal(),
      pause: (ms) => time.pause(this, ms),
      onGap: () => undefined,
      onFault: () => undefined,
      passed: own.passed,
      pass: (bytes, start, length) => {
        if (canary === "skips-gaps" && this.#isFilling) return;
        this.events.push(bytes.slice(start, start + length));
        own.pass(bytes, start, length);
      },
    });
  }

  #journal(): GatewayJournal {
    const { cluster, canary } = this.#parts;
    const journal = new GatewayJournal(cluster, this);
    const readEvents = journal.readEvents.bind(journal);
    const isEager = canary === "follows-what-is-not-durable";
    journal.readEvents = async (after, until, take) => {
      await readEvents(after, isEager ? null : until, (chunk) => {
        this.#isFilling = true;
        take(chunk);
        this.#isFilling = false;
      });
    };
    return journal;
  }

  #fold(event: VenueEvent): void {
    assert.equal(event.seq, this.state.seq + 1, "A gateway must see every event once, in order");
    assert(
      event.seq <= this.#parts.announcedSeq(),
      "A gateway must see no event before a leader announced it as durable",
    );
    apply(this.state, event);
  }

  #hear(reply: Reply): void {
    const sent = this.sent.get(reply.correlation);
    assert(sent !== undefined && sent.answer === null, "A client's command must be answered once");
    assert(reply.lastSeq <= this.state.seq, "A reply must follow the events it depends on");
    sent.answer = { ...reply };
  }
}
