// The shared memory of one venue, as a worker receives it when it starts. Only handles live here, and the room that
// clearing keeps; which thread may use which end of a ring, and the sizes, are drawn in src/venue/topology.ts.

import { eventBytesMax, eventsPerTransactionMax } from "../../core/limits.ts";
import { recordSpan } from "../../wire/spsc-ring.ts";

/**
 * Room in the journal ring before clearing takes anything: a longest transaction, the padding at the ring's
 * end, and the replies that one answer may release (barriers and mass cancels waiting for it).
 */
export const transactionRoomBytes =
  (eventsPerTransactionMax + 1) * recordSpan(eventBytesMax) + 2 ** 20;

/** Rings of one command source: fronts first, then the main thread, then settlement. */
export interface SourceMemory {
  /** Every command but cancels. Source → clearing. */
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
  /** Of `ClockBuffer`: the venue's time, which main keeps. */
  readonly clock: SharedArrayBuffer;
  readonly counters: SharedArrayBuffer;
  /** One doorbell a thread, in the order of the heartbeats. */
  readonly bells: readonly SharedArrayBuffer[];
  readonly sources: readonly SourceMemory[];
  readonly matchers: readonly MatcherMemory[];
  /** Clearing → journal: events and replies in one order. */
  readonly journal: SharedArrayBuffer;
  /** Figures of the journal thread, read by whoever renders metrics. */
  readonly journalFigures: SharedArrayBuffer;
  /** Figures of the settlement thread, for the same reader. */
  readonly settlementFigures: SharedArrayBuffer;
  /** What each thread tells of itself, in the order of the heartbeats. */
  readonly threadFigures: SharedArrayBuffer;
  /** Clearing's refusals by reason. */
  readonly refusals: SharedArrayBuffer;
  /** The newest snapshot and epochs, for whoever asks whether money is safe. */
  readonly safety: SharedArrayBuffer;
  /** Rate limit counters, shared by all fronts. */
  readonly limiter: SharedArrayBuffer;
  /** Stream connections by address, shared by all fronts. */
  readonly streamConnections: SharedArrayBuffer;
}

/** Places of the threads among heartbeats and doorbells. */
export interface ThreadSlots {
  readonly main: number;
  readonly clearing: number;
  readonly journal: number;
  readonly settlement: number;
  readonly matchers: readonly number[];
  readonly fronts: readonly number[];
}

/** Numbers of the command sources that are no fronts. */
export function clearingClientSources({ sources }: Pick<VenueMemory, "sources">): {
  readonly main: number;
  readonly settlement: number;
} {
  return { main: sources.length - 2, settlement: sources.length - 1 };
}

/** Every ring with a name for people: what it leads from, to, and carries. */
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
