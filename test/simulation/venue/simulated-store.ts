// The database of the simulation: one journal that survives every death of the venue, and the rows that its batches
// wrote. simulated-commits.ts decides when and how batches are written.

import type { VenueEvent } from "../../../src/core/generated/events.ts";
import { eventBytesMax } from "../../../src/core/limits.ts";
import { OrderStatus } from "../../../src/core/orders.ts";
import type {
  CommitBatch,
  EventChunk,
  EventStore,
  StoredSnapshot,
} from "../../../src/ports/journal/event-store.ts";
import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { encodeEvent, eventBytes } from "../../../src/wire/generated/event-codec.ts";
import { decodeEventBytes } from "../../../src/wire/records/event-bytes.ts";
import { createRecordViews } from "../../../src/wire/records/record-views.ts";
import type { SimulationCounts } from "../simulation-counts.ts";
import { type CommitCanary, commitCanaries, oneOf, SimulatedCommits } from "./simulated-commits.ts";

interface StoredEvent {
  readonly seq: number;
  readonly bytes: Uint8Array;
}

const chunkEvents = 1000;

/** Deliberate faults of the store; a simulation run with one of them must fail. */
export type StoreCanary = CommitCanary | "forgets-a-batch" | "writes-twice" | "tears-a-batch";

export interface SimulatedStoreParts {
  readonly random: SeededRandom;
  readonly counts: SimulationCounts;
  /** Called for each event when it becomes durable. */
  readonly onEvent: (event: VenueEvent) => void;
  readonly canary: StoreCanary | null;
}

export class SimulatedStore implements EventStore {
  /** Stored snapshots, newest first. */
  readonly snapshots: StoredSnapshot[] = [];
  /** Rows of balances; the key is `account/wallet/asset`. */
  readonly balances = new Map<string, { total: bigint; reserved: bigint }>();
  /** Status in the row of each order, by order id. */
  readonly orders = new Map<number, number>();
  readonly #events: StoredEvent[] = [];
  readonly commits: SimulatedCommits;
  readonly #onEvent: (event: VenueEvent) => void;
  readonly #canary: StoreCanary | null;

  constructor({ random, counts, onEvent, canary }: SimulatedStoreParts) {
    this.#onEvent = onEvent;
    this.#canary = canary;
    this.commits = new SimulatedCommits({
      ...{ random, counts, lastSeq: () => this.committedSeq },
      keep: (batch) => {
        this.#keep(batch, batch.count);
        if (canary === "writes-twice") this.#keep(batch, batch.count);
      },
      canary: oneOf(commitCanaries, canary),
    });
  }

  get committedSeq(): number {
    return this.#events.length;
  }

  async becomeWriter(): Promise<string> {
    // Nothing to guard: only one venue runs at a time.
    return "1";
  }

  async lastSeq(): Promise<number> {
    return this.committedSeq;
  }

  appendBatch(batch: CommitBatch): Promise<void> {
    return this.commits.append(batch);
  }

  /** Writes the events that exist before the first venue starts. */
  foundWith(events: readonly VenueEvent[]): void {
    const scratch = createRecordViews(new ArrayBuffer(eventBytesMax));
    for (const event of events) {
      encodeEvent(scratch, 0, event);
      const bytes = scratch.u8.slice(0, eventBytes(event));
      this.#events.push({ seq: event.seq, bytes });
      this.#onEvent(event);
    }
  }

  /** Handles the writer's death: its pending commit is written if `lands`, otherwise lost. */
  abandon(lands: boolean): void {
    const unwritten = this.commits.abandon(lands);
    if (this.#canary === "forgets-a-batch") this.#events.length -= Math.min(this.#events.length, 3);
    if (this.#canary === "tears-a-batch" && unwritten !== null)
      this.#keep(unwritten, Math.floor(unwritten.count / 2));
  }

  #keep(batch: CommitBatch, count: number): void {
    for (let index = 0, at = 0; index < count; index++) {
      const length = batch.lengths[index] ?? 0;
      const bytes = batch.bytes.slice(at, at + length);
      at += length;
      this.#events.push({ seq: batch.firstSeq + index, bytes });
      this.#onEvent(decodeEventBytes(bytes, 0, length));
    }
    const { balances, orders, orderStates } = batch;
    for (const [index, account] of balances.account.entries()) {
      const key = `${account}/${balances.wallet[index]}/${balances.asset[index]}`;
      const total = balances.total[index] ?? 0n;
      this.balances.set(key, { total, reserved: balances.reserved[index] ?? 0n });
    }
    for (const [index, orderId] of orders.orderId.entries())
      this.orders.set(orderId, orders.status[index] ?? 0);
    for (const [index, orderId] of orderStates.orderId.entries())
      this.orders.set(orderId, orderStates.status[index] ?? 0);
  }

  async openByRow(orderIds: readonly number[]): Promise<number[]> {
    return orderIds.filter((orderId) => this.orders.get(orderId) === OrderStatus.open);
  }

  async readEvents(
    afterSeq: number,
    untilSeq: number | null,
    take: (chunk: EventChunk) => void,
  ): Promise<void> {
    const meant = this.#events.filter(
      ({ seq }) => seq > afterSeq && seq <= (untilSeq ?? Number.POSITIVE_INFINITY),
    );
    for (let from = 0; from < meant.length; from += chunkEvents)
      take(chunkOf(meant.slice(from, from + chunkEvents)));
  }

  async *readSnapshots(limit: number): AsyncGenerator<StoredSnapshot> {
    yield* this.snapshots.slice(0, limit);
  }

  async writeSnapshot(snapshot: StoredSnapshot): Promise<void> {
    this.snapshots.unshift(snapshot);
  }

  async close(): Promise<void> {
    // Nothing to close.
  }
}

function chunkOf(events: readonly StoredEvent[]): EventChunk {
  const lengths = Uint32Array.from(events, ({ bytes }) => bytes.length);
  const offsets = new Uint32Array(events.length);
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const [index, event] of events.entries()) {
    bytes.set(event.bytes, at);
    offsets[index] = at;
    at += event.bytes.length;
  }
  return { firstSeq: events[0]?.seq ?? 0, count: events.length, bytes, offsets, lengths };
}
