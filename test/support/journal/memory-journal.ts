// A journal in memory for tests of its readers: encoded events and stored snapshots.

import type { VenueEvent } from "../../../src/core/generated/events.ts";
import { eventBytesMax } from "../../../src/core/limits.ts";
import type {
  EventChunk,
  EventStore,
  StoredSnapshot,
} from "../../../src/ports/journal/event-store.ts";
import { encodeEvent, eventBytes } from "../../../src/wire/generated/event-codec.ts";
import { createRecordViews } from "../../../src/wire/records/record-views.ts";

const chunkEvents = 1000;

export class MemoryJournal
  implements Pick<EventStore, "readEvents" | "readSnapshots" | "writeSnapshot">
{
  /** Stored snapshots, newest first. */
  snapshots: StoredSnapshot[] = [];
  readonly #events: readonly VenueEvent[];

  constructor(events: readonly VenueEvent[]) {
    this.#events = events;
  }

  async readEvents(
    afterSeq: number,
    untilSeq: number | null,
    take: (chunk: EventChunk) => void,
  ): Promise<void> {
    const until = untilSeq ?? Number.POSITIVE_INFINITY;
    const meant = this.#events.filter(({ seq }) => seq > afterSeq && seq <= until);
    for (let from = 0; from < meant.length; from += chunkEvents) {
      take(chunkOf(meant.slice(from, from + chunkEvents)));
    }
  }

  async *readSnapshots(limit: number): AsyncGenerator<StoredSnapshot> {
    yield* this.snapshots.slice(0, limit);
  }

  async writeSnapshot(snapshot: StoredSnapshot): Promise<void> {
    this.snapshots = [snapshot, ...this.snapshots].sort((a, b) => b.seq - a.seq);
  }
}

function chunkOf(events: readonly VenueEvent[]): EventChunk {
  const scratch = createRecordViews(new ArrayBuffer(eventBytesMax));
  const lengths = Uint32Array.from(events, eventBytes);
  const offsets = new Uint32Array(events.length);
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const [index, event] of events.entries()) {
    encodeEvent(scratch, 0, event);
    bytes.set(scratch.u8.subarray(0, lengths[index]), at);
    offsets[index] = at;
    at += lengths[index] ?? 0;
  }
  return { firstSeq: events[0]?.seq ?? 0, count: events.length, bytes, offsets, lengths };
}
