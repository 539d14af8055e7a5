// The venue's threads as agents that the caller steps one by one: the real agents, rings and codecs, started by the
// real recovery. Nothing runs by itself, so a schedule decides which agent works next and between which two messages
// everything dies.

import assert from "node:assert/strict";
import type { Agent } from "../../../src/adapters/runtime/agent.ts";
import { CommandRingSink } from "../../../src/adapters/runtime/command-ring-sink.ts";
import { RingOutlet } from "../../../src/adapters/runtime/committed-outlet.ts";
import { type CommittedReader, FrontAgent } from "../../../src/adapters/runtime/front-agent.ts";
import { JournalAgent } from "../../../src/adapters/runtime/journal-agent.ts";
import { MatcherAgent, RingReplySink } from "../../../src/adapters/runtime/matcher-agent.ts";
import { RingClearingClient } from "../../../src/adapters/runtime/ring-clearing-client.ts";
import type {
  SourceMemory,
  ThreadSlots,
  VenueMemory,
} from "../../../src/adapters/runtime/venue-memory.ts";
import type { Command } from "../../../src/core/generated/commands.ts";
import type { MatchRequest } from "../../../src/core/generated/messages.ts";
import {
  commitBatchBytesMax,
  matcherReplyRingBytes,
  matcherRequestRingBytes,
} from "../../../src/core/limits.ts";
import { isPerpetual, type MarketTable } from "../../../src/core/markets.ts";
import { MatchingEngine } from "../../../src/engine/matching/matching-engine.ts";
import { restingOrdersOf } from "../../../src/engine/state/snapshot/resting-orders.ts";
import {
  positionsOf,
  restoreState,
  type VenueSnapshot,
} from "../../../src/engine/state/snapshot/venue-snapshot.ts";
import type { VenueState } from "../../../src/engine/state/venue-state.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { CommandLane } from "../../../src/ports/command-sink.ts";
import type { EventStore } from "../../../src/ports/journal/event-store.ts";
import { JournalWriter } from "../../../src/services/journal/journal-writer.ts";
import {
  lateOrderCloses,
  writeLateOrderCloses,
} from "../../../src/services/journal/late-order-closes.ts";
import { Projection, type UnwrittenRows } from "../../../src/services/journal/projection.ts";
import { recover, takeSnapshot } from "../../../src/services/journal/replay.ts";
import { AnswerCounts } from "../../../src/wire/answer-counts.ts";
import { CountersBuffer } from "../../../src/wire/counters-buffer.ts";
import { Doorbell } from "../../../src/wire/doorbell.ts";
import { commandBytes, encodeCommand } from "../../../src/wire/generated/command-codec.ts";
import { RefusalCounts } from "../../../src/wire/refusal-counts.ts";
import { unpackSnapshot } from "../../../src/wire/snapshot-codec.ts";
import { SpscRing } from "../../../src/wire/spsc-ring.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { type ClearingCanary, SimulatedClearing } from "./simulated-clearing.ts";

// The rings of commands are small, so that they fill. The ring to the journal holds little more than the longest
// transaction.
const commandRingBytes = 2 ** 11;
const journalRingBytes = 2 ** 21;
const frontRingBytes = 2 ** 23;
/**
 * Large enough that this ring never fills. The journal would wait for room in it, and on a single thread that wait
 * would never end.
 */
const replyRingBytes = 2 ** 18;
/** The ring of all gateways also never fills within a run. */
const gatewaysRingBytes = 2 ** 22;
const projectionIntervalMs = 250;
const ordersMax = 2 ** 14;

/** Deliberate faults of threads: a lost or reordered resting order, lost prices, or errors of clearing. */
export type ThreadsCanary =
  | ClearingCanary
  | "forgets-an-order"
  | "forgets-the-book"
  | "takes-the-younger-first"
  | "recovers-without-prices";
const clearingCanaries: readonly ClearingCanary[] = [
  ...(["leaves-a-trace", "takes-cash-from-nothing", "holds-too-much"] as const),
  "changes-without-event",
];

export interface SimulatedThreadsParts {
  readonly store: EventStore;
  readonly table: MarketTable;
  readonly clock: Clock;
  readonly matchers: number;
  readonly fronts: number;
  /** Readers of the fronts, by front number. */
  readonly readers: readonly CommittedReader[];
  /** Called after each check that a command which clearing refused has changed no state. */
  readonly onRefusal: () => void;
  /** Called with the error if the journal gives up. */
  readonly onFault: (fault: unknown) => void;
  readonly canary: ThreadsCanary | null;
  /** Command sources for gateways; by default none. */
  readonly gatewaySlots?: number;
  /** By default the venue leads for good. */
  readonly mayAcknowledge?: () => boolean;
  /** The state of a follower that takes over; without it, the state is recovered from the store. */
  readonly warm?: TakenOver;
}

/** A state, packed, and the coalesced rows that may be unwritten. */
export interface TakenOver {
  readonly bytes: Uint8Array;
  readonly unwritten: UnwrittenRows;
}

interface Source {
  readonly orders: SpscRing;
  readonly cancels: SpscRing;
}

export class SimulatedThreads {
  readonly state: VenueState;
  readonly agents: readonly Agent[];
  readonly writer: JournalWriter;
  readonly clearing: RingClearingClient;
  readonly memory: VenueMemory;
  readonly slots: ThreadSlots;
  readonly counters: CountersBuffer;
  readonly #sources: readonly Source[];
  readonly #frontRings: readonly SpscRing[];
  readonly #fronts: readonly FrontAgent[];

  /** Recovers from the store and creates every thread of a venue. */
  static async start(parts: SimulatedThreadsParts): Promise<SimulatedThreads> {
    const { store, table, clock } = parts;
    const { bytes, unwritten } = parts.warm ?? (await recovered(store, table));
    const snapshot = unpackSnapshot(bytes) as VenueSnapshot;
    const { closed, ...rows } = unwritten;
    if (closed !== undefined)
      await writeLateOrderCloses(store, snapshot.seq, await lateOrderCloses(store, closed));
    const replica = restoreState(table, snapshot, { remembersClientIds: false });
    const projection = new Projection(replica, projectionIntervalMs);
    projection.takeOver(rows, clock.nowMs());
    return new SimulatedThreads(parts, snapshot, projection);
  }

  private constructor(
    parts: SimulatedThreadsParts,
    snapshot: VenueSnapshot,
    projection: Projection,
  ) {
    const { table, fronts, matchers, store, clock } = parts;
    const { memory, slots } = allocate(fronts, matchers, parts.gatewaySlots ?? 0);
    const counters = new CountersBuffer(memory.counters);
    this.memory = memory;
    this.slots = slots;
    this.counters = counters;
    const { seq } = projection.state;
    counters.storeCommittedSeq(seq);
    counters.storeIssuedSeq(seq);
    const { canary, onRefusal } = parts;
    const isPriceless = canary === "recovers-without-prices";
    const lastPrice = isPriceless ? snapshot.lastPrice.map(() => 0) : snapshot.lastPrice;
    this.state = restoreState(table, { ...snapshot, lastPrice });
    const clearing = new SimulatedClearing({
      ...{ onRefusal, canary: clearingCanaries.find((one) => one === canary) ?? null },
      state: this.state,
      memory,
      slots,
      counters,
      markIntervalUs: 1,
      opensWithoutIndex: true,
      fundingIntervalUs: 60_000_000,
      rewardIntervalUs: 1_000_000,
      inputLog: null,
    });
    const bell = new Doorbell(memory.bells[slots.clearing] ?? Doorbell.allocate());
    const books = memory.matchers.map((rings, index) => {
      const replies = new SpscRing(rings.replies);
      const isOwn = (market: number): boolean => market % matchers === index;
      const engine = openBooks(parts, snapshot, new RingReplySink(replies), isOwn);
      const roleName = `matcher-${index}`;
      return new MatcherAgent({ roleName, memory: rings, replies, engine, clearingBell: bell });
    });
    this.writer = new JournalWriter({
      mayAcknowledge: parts.mayAcknowledge ?? (() => true),
      ring: new SpscRing(memory.journal),
      projection,
      store,
      outlet: new RingOutlet(memory, slots, counters),
      counters,
      clock,
      meter: { began: () => undefined, committed: () => undefined },
      log: quietLog,
      onDelivered: () => undefined,
      onCommitted: () => undefined,
      onFault: parts.onFault,
    });
    this.#frontRings = memory.sources.map(({ committed }) => new SpscRing(committed));
    this.#fronts = parts.readers.map((reader, front) => {
      const ring = new SpscRing(memory.sources[front]?.committed ?? SpscRing.allocate(1024));
      const mayAcknowledge = () => true;
      return new FrontAgent({
        ...{ roleName: `front-${front}`, ring, reader, counters, seq, mayAcknowledge },
      });
    });
    this.#sources = memory.sources.map((source) => ({
      orders: new SpscRing(source.orders),
      cancels: new SpscRing(source.cancels),
    }));
    const journal = new JournalAgent(this.writer, bell);
    this.clearing = clearingClientOf(memory, {
      source: memory.sources.length - 1,
      clock,
      bell,
      counters,
    });
    this.agents = [clearing, ...books, this.#spaced(journal), ...this.#fronts, this.clearing];
  }

  /**
   * Wraps the journal so that it runs only after the fronts have made room in their rings. The journal waits while a
   * ring is full, and on a single thread no front could run meanwhile.
   */
  #spaced(journal: Agent): Agent {
    return {
      roleName: journal.roleName,
      hasWork: () => journal.hasWork(),
      onClose: () => journal.onClose(),
      doWork: () => {
        for (const [position, front] of this.#fronts.entries())
          while ((this.#frontRings[position]?.freeBytes() ?? 0) < 4 * commitBatchBytesMax)
            front.doWork();
        return journal.doWork();
      },
    };
  }

  /** Puts a command into its source's ring; returns false if the ring is full. */
  send(command: Command, lane: CommandLane): boolean {
    const source = this.#sources[command.source];
    assert(source !== undefined, "This venue has no such source");
    const ring = source[lane];
    const offset = ring.tryClaim(commandBytes(command));
    if (offset < 0) return false;
    encodeCommand(ring, offset, command);
    ring.commit();
    ring.publish();
    return true;
  }
}

async function recovered(store: EventStore, table: MarketTable): Promise<TakenOver> {
  const { projection } = await recover(store, table, { projectionIntervalMs });
  return { bytes: takeSnapshot(projection.state).bytes, unwritten: projection.unwritten() };
}

function openBooks(
  { table, canary }: SimulatedThreadsParts,
  snapshot: VenueSnapshot,
  sink: RingReplySink,
  isOwn: (market: number) => boolean,
): MatchingEngine {
  const own = table.markets.filter(({ id }) => isOwn(id));
  const engine = new MatchingEngine({
    markets: own.map(({ id }) => id),
    perpetuals: own.filter(isPerpetual).map(({ id }) => id),
    sink,
    ordersMax,
  });
  for (const { market, account, lots } of positionsOf(snapshot))
    if (isOwn(market)) engine.restorePosition(market, account, lots);
  const resting: MatchRequest[] = [];
  restingOrdersOf(snapshot, (order) => {
    if (isOwn(order.market)) resting.push({ ...order });
  });
  if (canary === "forgets-an-order") resting.shift();
  if (canary === "forgets-the-book") resting.length = 0;
  if (canary === "takes-the-younger-first") resting.reverse();
  for (const order of resting) engine.restore(order);
  return engine;
}

function clearingClientOf(
  memory: VenueMemory,
  parts: {
    readonly source: number;
    readonly clock: Clock;
    readonly bell: Doorbell;
    readonly counters: CountersBuffer;
  },
): RingClearingClient {
  const { source, clock, bell, counters } = parts;
  const rings = memory.sources[source];
  assert(rings !== undefined, "Settlement must be a source");
  return new RingClearingClient({
    name: "settlement",
    source,
    sink: new CommandRingSink(rings, bell, counters, true),
    replies: new SpscRing(rings.committed),
    clock,
    market: { nowUs: () => clock.nowUs(), edgeUs: () => null },
    deadlineMs: 60_000,
  });
}

/** Allocates a venue's memory with small rings; the last two sources are the main thread and settlement. */
function allocate(
  fronts: number,
  matchers: number,
  gatewaySlots: number,
): { memory: VenueMemory; slots: ThreadSlots } {
  const numbers = (count: number, from: number) =>
    Array.from({ length: count }, (_, n) => from + n);
  const slots: ThreadSlots = {
    main: 0,
    clearing: 1,
    journal: 2,
    settlement: 3,
    matchers: numbers(matchers, 4),
    fronts: numbers(fronts, 4 + matchers),
    bus: null,
  };
  const threads = 4 + matchers + fronts;
  const none = new SharedArrayBuffer(0);
  const ofGateways = gatewaySlots > 0 ? SpscRing.allocate(gatewaysRingBytes) : none;
  const memory: VenueMemory = {
    clock: none,
    counters: CountersBuffer.allocate(threads),
    bells: numbers(threads, 0).map(() => Doorbell.allocate()),
    sources: [
      ...numbers(fronts, 0).map(() => sourceOf(SpscRing.allocate(frontRingBytes))),
      ...numbers(gatewaySlots, 0).map(() => sourceOf(ofGateways)),
      ...numbers(2, 0).map(() => sourceOf(SpscRing.allocate(replyRingBytes))),
    ],
    matchers: numbers(matchers, 0).map(() => ({
      orders: SpscRing.allocate(matcherRequestRingBytes),
      cancels: SpscRing.allocate(matcherRequestRingBytes),
      replies: SpscRing.allocate(matcherReplyRingBytes),
    })),
    journal: SpscRing.allocate(journalRingBytes),
    journalFigures: none,
    settlementFigures: none,
    threadFigures: none,
    refusals: RefusalCounts.allocate(),
    answers: AnswerCounts.allocate(1),
    safety: none,
    lease: none,
    limiter: none,
    streamConnections: none,
  };
  return { memory, slots };
}

function sourceOf(committed: SharedArrayBuffer): SourceMemory {
  const [orders, cancels] = [0, 1].map(() => SpscRing.allocate(commandRingBytes));
  assert(orders !== undefined && cancels !== undefined);
  return { orders, cancels, committed };
}
