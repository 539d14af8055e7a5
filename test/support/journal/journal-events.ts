// Writes events into a database as a venue does: batches of whole transactions with random boundaries pass through the
// projection and the event store. In between, the writer restarts and recovers from the stored data.

import type { PostgresConnectionOptions } from "../../../src/adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../../src/adapters/postgres/event-store.ts";
import type { VenueEvent } from "../../../src/core/generated/events.ts";
import type { Projection } from "../../../src/services/journal/projection.ts";
import { recover } from "../../../src/services/journal/replay.ts";
import { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { encodeEvent, eventBytes } from "../../../src/wire/generated/event-codec.ts";
import { createRecordViews } from "../../../src/wire/records/record-views.ts";
import { testMarkets } from "../machine/test-markets.ts";
import { quietLog } from "../quiet-log.ts";

const batchBytes = 2 ** 20;

export interface JournalEventsOptions {
  readonly connection: PostgresConnectionOptions;
  /** Whole transactions, beginning with seq 1. */
  readonly events: readonly VenueEvent[];
  /** Of 100 transaction ends, the number that end a batch. */
  readonly batchPercent: number;
  /** Number of restarts of the writer, evenly spread; each one recovers. */
  readonly restarts: number;
  readonly seed: number;
}

/** Writes all events and all rows that follow from them. */
export async function journalEvents(options: JournalEventsOptions): Promise<void> {
  const { events, restarts } = options;
  const random = new SeededRandom(options.seed);
  const share = Math.ceil(events.length / (restarts + 1));
  let from = 0;
  while (from < events.length) {
    let until = Math.min(from + share, events.length);
    while (until < events.length && events[until - 1]?.isTransactionEnd !== true) until++;
    await writeShare(options, events.slice(from, until), random);
    from = until;
  }
}

async function writeShare(
  { connection, batchPercent }: JournalEventsOptions,
  events: readonly VenueEvent[],
  random: SeededRandom,
): Promise<void> {
  const store = new PostgresEventStore({ connection, log: quietLog, isStopping: () => true });
  try {
    await store.becomeWriter();
    const { projection } = await recover(store, testMarkets, { projectionIntervalMs: 0 });
    const writer = new ShareWriter(store, projection);
    for (const event of events) {
      writer.take(event);
      if (event.isTransactionEnd && random.below(100) < batchPercent) await writer.flush(0);
    }
    do await writer.flush(Number.POSITIVE_INFINITY);
    while (projection.hasPendingRows);
  } finally {
    await store.close();
  }
}

class ShareWriter {
  readonly #store: PostgresEventStore;
  readonly #projection: Projection;
  readonly #views = createRecordViews(new ArrayBuffer(batchBytes));
  readonly #scratch = createRecordViews(new ArrayBuffer(256));
  #used = 0;

  constructor(store: PostgresEventStore, projection: Projection) {
    this.#store = store;
    this.#projection = projection;
  }

  take(event: VenueEvent): void {
    const length = eventBytes(event);
    encodeEvent(this.#scratch, 0, event);
    this.#views.u8.set(this.#scratch.u8.subarray(0, length), this.#used);
    this.#used += length;
    this.#projection.fold(event, length, 0);
  }

  /** Commits the collected events with the rows due at `nowMs`. */
  async flush(nowMs: number): Promise<void> {
    const bytes = this.#views.u8.slice(0, this.#used);
    this.#used = 0;
    await this.#store.appendBatch(this.#projection.close(bytes, nowMs));
  }
}
