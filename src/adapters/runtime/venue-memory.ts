// The shared memory of a venue, as a worker receives it at start. Contains only handles, and the room that clearing
// keeps free in the journal ring. src/venue/topology.ts shows the sizes and which thread uses which end of a ring.

import { eventBytesMax, eventsPerTransactionMax } from "../../core/limits.ts";
import { recordSpan } from "../../wire/spsc-ring.ts";

/**
 * Room required in the journal ring before clearing takes anything: the longest transaction, the padding at
 * the ring's end, and the replies that one answer may release (barriers and mass cancels waiting for it).
 */
export const transactionRoomBytes =
  (eventsPerTransactionMax + 1) * recordSpan(eventBytesMax) + 2 ** 20;

/** Rings of one command source: fronts first, then the main thread, then settlement. */
export interface SourceMemory {
  /** All commands except cancels. Source → clearing. */
  readonly orders: SharedArrayBuffer;
  /** Cancels overtake orders. Source → clearing. */
  readonly cancels: SharedArrayBuffer;
  /** Committed events (fronts only) and the source's own replies. Journal → source. */
  readonly committed: SharedArrayBuffer;
}

/** Rings between clearing and one matcher. */
export interface MatcherMemory {
  readonly orders: SharedArrayBuffer;
  readonly cancels: SharedArrayBuffer;
  readonly replies: SharedArrayBuffer;
}

export interface VenueMemory {
  /** Of `ClockBuffer`: the venue's time, maintained by main. */
  readonly clock: SharedArrayBuffer;
  readonly counters: SharedArrayBuffer;
  /** One doorbell per thread, in the order of the heartbeats. */
  readonly bells: readonly SharedArrayBuffer[];
  readonly sources: readonly SourceMemory[];
  readonly matchers: readonly MatcherMemory[];
  /** Clearing → journal: events and replies in one order. */
  readonly journal: SharedArrayBuffer;
  /** Figures of the journal thread, for metrics. */
  readonly journalFigures: SharedArrayBuffer;
  /** Figures of the settlement thread, for metrics. */
  readonly settlementFigures: SharedArrayBuffer;
  /** Figures of each thread, in the order of the heartbeats. */
  readonly threadFigures: SharedArrayBuffer;
  /** Clearing's refusals by reason. */
  readonly refusals: SharedArrayBuffer;
  /** The newest snapshot and epochs, for safety metrics. */
  readonly safety: SharedArrayBuffer;
  /** Rate limit counters, shared by all fronts. */
  readonly limiter: SharedArrayBuffer;
  /** Stream connections by address, shared by all fronts. */
  readonly streamConnections: SharedArrayBuffer;
}

/** Slots of the threads among heartbeats and doorbells. */
export interface ThreadSlots {
  readonly main: number;
  readonly clearing: number;
  readonly journal: number;
  readonly settlement: number;
  readonly matchers: readonly number[];
  readonly fronts: readonly number[];
}

/** Numbers of the command sources that are not fronts. */
export function clearingClientSources({ sources }: Pick<VenueMemory, "sources">): {
  readonly main: number;
  readonly settlement: number;
} {
  return { main: sources.length - 2, settlement: sources.length - 1 };
}

/** Every ring, named by its ends and content. */
export function namedRings(memory: VenueMemory): { name: string; buffer: SharedArrayBuffer }[] {
  const { main, settlement } = clearingClientSources(memory);
  const names = new Map([
    [main, "main"],
    [settlement, "settlement"],
  ]);
  const sources = memory.sources.flatMap((rings, index) => {
    const source = names.get(index) ?? `front-${index}`;
    return [
      { name: `${source}-orders`, buffer: rings.orders },
      { name: `${source}-cancels`, buffer: rings.cancels },
      { name: `${source}-committed`, buffer: rings.committed },
    ];
  });
  const matchers = memory.matchers.flatMap((rings, index) => [
    { name: `matcher-${index}-orders`, buffer: rings.orders },
    { name: `matcher-${index}-cancels`, buffer: rings.cancels },
    { name: `matcher-${index}-replies`, buffer: rings.replies },
  ]);
  return [...sources, ...matchers, { name: "journal", buffer: memory.journal }];
}
