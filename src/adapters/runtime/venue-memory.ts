// The shared memory of a venue, as a worker receives it at start. This file has only the handles of the memory, and the
// number of bytes that clearing keeps free in the journal ring. src/venue/topology.ts has the sizes, and shows which
// thread uses which end of a ring.

import { eventBytesMax, eventsPerTransactionMax } from "../../core/limits.ts";
import { recordSpan } from "../../wire/spsc-ring.ts";

/**
 * Free bytes of the journal ring that clearing requires before it takes a command or an answer: the longest
 * transaction, the padding at the ring's end, and the replies that one answer may release (barriers and mass cancels
 * that waited for it).
 */
export const transactionRoomBytes =
  (eventsPerTransactionMax + 1) * recordSpan(eventBytesMax) + 2 ** 20;

/**
 * Rings of one command source. The sources are the fronts first, then the slots of gateways, then the main thread, then
 * settlement.
 */
export interface SourceMemory {
  /** All commands except cancels, from the source to clearing. */
  readonly orders: SharedArrayBuffer;
  /** Cancels, from the source to clearing. They have a separate ring so that they overtake orders. */
  readonly cancels: SharedArrayBuffer;
  /**
   * Committed events (for fronts and gateways only) and replies to the source's commands, from the journal to the
   * source. All slots of gateways share one ring, which the bus thread reads.
   */
  readonly committed: SharedArrayBuffer;
}

/** Rings between clearing and one matcher. */
export interface MatcherMemory {
  readonly orders: SharedArrayBuffer;
  readonly cancels: SharedArrayBuffer;
  readonly replies: SharedArrayBuffer;
}

export interface VenueMemory {
  /** Memory of a `ClockBuffer`: the venue's time, which the main thread maintains. */
  readonly clock: SharedArrayBuffer;
  readonly counters: SharedArrayBuffer;
  /** One doorbell per thread, with the same indexes as the heartbeats. */
  readonly bells: readonly SharedArrayBuffer[];
  readonly sources: readonly SourceMemory[];
  readonly matchers: readonly MatcherMemory[];
  /** Events and replies in one order, from clearing to the journal. */
  readonly journal: SharedArrayBuffer;
  /** Figures of the journal thread, for metrics. */
  readonly journalFigures: SharedArrayBuffer;
  /** Figures of the settlement thread, for metrics. */
  readonly settlementFigures: SharedArrayBuffer;
  /** Figures of each thread, with the same indexes as the heartbeats. */
  readonly threadFigures: SharedArrayBuffer;
  /** Counts of clearing's refusals by reason. */
  readonly refusals: SharedArrayBuffer;
  /** Memory of the `AnswerCounts`: HTTP answers of each front by status. */
  readonly answers: SharedArrayBuffer;
  /** The newest snapshot and epochs, for safety metrics. */
  readonly safety: SharedArrayBuffer;
  /** Memory of a `LeaseBuffer`: role, writer epoch, and until when this venue may acknowledge. */
  readonly lease: SharedArrayBuffer;
  /** Rate limit counters, shared by all fronts. */
  readonly limiter: SharedArrayBuffer;
  /** Stream connections by address, shared by all fronts. */
  readonly streamConnections: SharedArrayBuffer;
}

/** Indexes of the threads in the arrays of heartbeats, doorbells and figures. */
export interface ThreadSlots {
  readonly main: number;
  readonly clearing: number;
  readonly journal: number;
  readonly settlement: number;
  readonly matchers: readonly number[];
  readonly fronts: readonly number[];
  /** The bus thread; null if the venue serves no gateways. */
  readonly bus: number | null;
}

/** Returns the numbers of the command sources that are not fronts. */
export function clearingClientSources({ sources }: Pick<VenueMemory, "sources">): {
  readonly main: number;
  readonly settlement: number;
} {
  return { main: sources.length - 2, settlement: sources.length - 1 };
}

/** Returns the command sources of gateways, and the number of the first one among all sources. */
export function gatewaySources(
  { sources }: Pick<VenueMemory, "sources">,
  { fronts }: Pick<ThreadSlots, "fronts">,
): { readonly first: number; readonly sources: readonly SourceMemory[] } {
  const first = fronts.length;
  return { first, sources: sources.slice(first, clearingClientSources({ sources }).main) };
}

/** Returns every ring with a name made of its two ends and its content. */
export function namedRings(
  memory: VenueMemory,
  slots: ThreadSlots,
): { name: string; buffer: SharedArrayBuffer }[] {
  const { main, settlement } = clearingClientSources(memory);
  const gateways = gatewaySources(memory, slots);
  const names = new Map([
    [main, "main"],
    [settlement, "settlement"],
    ...gateways.sources.map((_, slot) => [gateways.first + slot, `gateway-${slot}`] as const),
  ]);
  const bus = gateways.sources[0]?.committed;
  const sources = memory.sources.flatMap((rings, index) => {
    const source = names.get(index) ?? `front-${index}`;
    const commands = [
      { name: `${source}-orders`, buffer: rings.orders },
      { name: `${source}-cancels`, buffer: rings.cancels },
    ];
    if (rings.committed === bus) return commands;
    return [...commands, { name: `${source}-committed`, buffer: rings.committed }];
  });
  if (bus !== undefined) sources.push({ name: "bus-committed", buffer: bus });
  const matchers = memory.matchers.flatMap((rings, index) => [
    { name: `matcher-${index}-orders`, buffer: rings.orders },
    { name: `matcher-${index}-cancels`, buffer: rings.cancels },
    { name: `matcher-${index}-replies`, buffer: rings.replies },
  ]);
  return [...sources, ...matchers, { name: "journal", buffer: memory.journal }];
}
