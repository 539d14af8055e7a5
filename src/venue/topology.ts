// The venue's threads, the rings between them, and their sizes.
//
//   source s = 0 … F−1 fronts, then G slots of gateways, main, settlement         matcher m = 0 … K−1
//
//   source s ══ orders, cancels ══▶ clearing ══ orders, cancels ══▶ matcher m
//                                     │  ▲                             │
//                                     │  └═══════════ replies ═════════┘
//                                     ▼ journal ring (events and replies in one order)
//                                  journal ══ committed ══▶ source s (main, settlement: replies only)
//
// The bus thread has all slots of gateways: it fills their rings, and reads one ring of committed records for all.
//
// Every ring has one producer and one consumer. Every thread sleeps on one doorbell, shared by all its producers. A
// full ring stops its producer in two cases only: clearing takes no input while the journal ring is nearly full, and
// the journal waits for a front that reads slowly.

import type { SourceMemory, ThreadSlots, VenueMemory } from "../adapters/runtime/venue-memory.ts";
import { JournalFigures } from "../adapters/telemetry/journal-figures.ts";
import { SafetyFigures } from "../adapters/telemetry/safety-figures.ts";
import { SettlementFigures } from "../adapters/telemetry/settlement-figures.ts";
import { ThreadFigures } from "../adapters/telemetry/thread-figures.ts";
import {
  cancelRingBytes,
  commandRingBytes,
  frontRingBytes,
  journalRingBytes,
  matcherReplyRingBytes,
  matcherRequestRingBytes,
} from "../core/limits.ts";
import { ConnectionCounter } from "../services/access/connection-counter.ts";
import { RateLimiter } from "../services/access/rate-limiter.ts";
import { AnswerCounts } from "../wire/answer-counts.ts";
import { ClockBuffer } from "../wire/clock-buffer.ts";
import { CountersBuffer } from "../wire/counters-buffer.ts";
import { Doorbell } from "../wire/doorbell.ts";
import { LeaseBuffer } from "../wire/lease-buffer.ts";
import { RefusalCounts } from "../wire/refusal-counts.ts";
import { SpscRing } from "../wire/spsc-ring.ts";

/**
 * Number of sources that are not fronts: main and settlement. They have only a few commands in flight at a time, and
 * they get replies but no events.
 */
const clearingClients = 2;
const clearingClientRingBytes = 2 ** 16;

export interface Topology {
  readonly slots: ThreadSlots;
  readonly memory: VenueMemory;
  /** Names for log lines and metrics, in the order of the heartbeats. */
  readonly threadNames: readonly string[];
}

export interface TopologyOptions {
  readonly fronts: number;
  readonly matchers: number;
  /** Slots for gateways; 0 if the venue serves none, and has no bus thread. */
  readonly gatewaySlots: number;
  /** Unpredictable 32 bits that decide which rows of the rate limiter and of the connection counter an address uses. */
  readonly limiterSeed: number;
}

/** Allocates the shared memory of a venue. */
export function createTopology(options: TopologyOptions): Topology {
  const { fronts, matchers, gatewaySlots } = options;
  const frontNames = numbered("front", fronts);
  const matcherNames = numbered("matcher", matchers);
  const single = ["main", "clearing", "journal", "settlement"];
  const busNames = gatewaySlots > 0 ? ["bus"] : [];
  const threadNames = [...single, ...matcherNames, ...frontNames, ...busNames];
  const slots: ThreadSlots = {
    main: 0,
    clearing: 1,
    journal: 2,
    settlement: 3,
    matchers: matcherNames.map((name) => threadNames.indexOf(name)),
    fronts: frontNames.map((name) => threadNames.indexOf(name)),
    bus: gatewaySlots > 0 ? threadNames.indexOf("bus") : null,
  };
  const memory: VenueMemory = {
    clock: ClockBuffer.allocate(),
    counters: CountersBuffer.allocate(threadNames.length),
    bells: threadNames.map(() => Doorbell.allocate()),
    sources: sourcesOf(fronts, gatewaySlots),
    matchers: matcherNames.map(() => ({
      orders: SpscRing.allocate(matcherRequestRingBytes),
      cancels: SpscRing.allocate(matcherRequestRingBytes),
      replies: SpscRing.allocate(matcherReplyRingBytes),
    })),
    journal: SpscRing.allocate(journalRingBytes),
    journalFigures: JournalFigures.allocate(),
    settlementFigures: SettlementFigures.allocate(),
    threadFigures: ThreadFigures.allocate(threadNames.length),
    refusals: RefusalCounts.allocate(),
    answers: AnswerCounts.allocate(fronts),
    safety: SafetyFigures.allocate(),
    lease: LeaseBuffer.allocate(),
    limiter: RateLimiter.allocate(options.limiterSeed),
    streamConnections: ConnectionCounter.allocate(options.limiterSeed),
  };
  return { slots, memory, threadNames };
}

function sourcesOf(fronts: number, gatewaySlots: number): SourceMemory[] {
  const source = (committed: SharedArrayBuffer): SourceMemory => ({
    orders: SpscRing.allocate(commandRingBytes),
    cancels: SpscRing.allocate(cancelRingBytes),
    committed,
  });
  const several = (count: number, ring: () => SharedArrayBuffer) =>
    Array.from({ length: count }, () => source(ring()));
  const bus = gatewaySlots > 0 ? [SpscRing.allocate(frontRingBytes)] : [];
  return [
    ...several(fronts, () => SpscRing.allocate(frontRingBytes)),
    ...bus.flatMap((ring) => several(gatewaySlots, () => ring)),
    ...several(clearingClients, () => SpscRing.allocate(clearingClientRingBytes)),
  ];
}

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index}`);
}
