// The database of the simulation: one journal that outlives every death of the venue, with the rows
// its groups wrote. A commit is written when the schedule says so and told when it says so; whoever
// dies in between never learns what became of it.

import assert from "node:assert/strict";
import type { VenueEvent } from "../../src/core/events.ts";
import { eventBytesMax } from "../../src/core/limits.ts";
import { OrderStatus } from "../../src/core/orders.ts";
import type {
  EventChunk,
  EventStore,
  JournalGroup,
  StoredSnapshot,
} from "../../src/ports/event-store.ts";
import { decodeEventBytes, encodeEvent, eventBytes } from "../../src/wire/event-codec.ts";
import { createRecordViews } from "../../src/wire/record-views.ts";

/** A commit under way. */
interface Attempt {
  readonly group: JournalGroup;
  readonly tell: () => void;
  isWritten: boolean;
}

interface StoredEvent {
  readonly seq: number;
  readonly bytes: Uint8Array;
}

const chunkEvents = 1000;

/** How the store misbehaves, to see whether it is noticed. */
export type StoreCanary =
  | "tells-before-it-writes"
  | "forgets-a-group"
  | "writes-twice"
  | "tears-a-group";

export class SimulatedStore implements EventStore {
  /** Newest first. */
  readonly snapshots: StoredSnapshot[] = [];
  /** Rows of balances, `account/wallet/asset`. */
  readonly balances = new Map<string, { total: bigint; reserved: bigint }>();
  /** Status of every order by its row. */
  readonly orders = new Map<number, number>();
  readonly #events: StoredEvent[] = [];
  readonly #onEvent: (event: VenueEvent) => void;
  readonly #canary: StoreCanary | null;
  #attempt: Attempt | null = null;
  /** While a venue starts nobody schedules: commits are written and told at once. */
  isPrompt = true;

  /** `onEvent` is told every event in the moment it is durable. */
  constructor(onEvent: (event: VenueEvent) => void, canary: StoreCanary | null = null) {
    this.#onEvent = onEvent;
    this.#canary = canary;
  }

  get committedSeq(): number {
    return this.#events.length;
  }

  get isCommitting(): boolean {
    return this.#attempt !== null;
  }

  async becomeWriter(): Promise<void> {
    // There is one venue at a time.
  }

  async lastSeq(): Promise<number> {
    return this.committedSeq;
  }

  appendGroup(group: JournalGroup): Promise<void> {
    assert(this.#attempt === null, "one commit at a time");
    assert.equal(group.firstSeq, this.committedSeq + 1, "groups follow each other");
    return new Promise((tell) => {
      this.#attempt = { group, tell, isWritten: false };
      if (this.#canary === "tells-before-it-writes") tell();
      if (!this.isPrompt) return;
      this.write();
      this.answer();
    });
  }

  /** Events that are there before anybody lives. */
  foundWith(events: readonly VenueEvent[]): void {
    const scratch = createRecordViews(new ArrayBuffer(eventBytesMax));
    for (const event of events) {
      encodeEvent(scratch, 0, event);
      const bytes = scratch.u8.slice(0, eventBytes(event));
      this.#events.push({ seq: event.seq, bytes });
      this.#onEvent(event);
    }
  }

  /** The commit under way becomes durable, without anybody being told. */
  write(): void {
    const attempt = this.#attempt;
    if (attempt === null || attempt.isWritten) return;
    attempt.isWritten = true;
    this.#keep(attempt.group, attempt.group.count);
    if (this.#canary === "writes-twice") this.#keep(attempt.group, attempt.group.count);
  }

  /** The writer is told of a commit that is durable. */
  answer(): void {
    const attempt = this.#attempt;
    if (attempt?.isWritten !== true) return;
    this.#attempt = null;
    attempt.tell();
  }

  /** The writer is dead; its commit lands without it, or never did. */
  abandon(lands: boolean): void {
    if (lands) this.write();
    const attempt = this.#attempt;
    this.#attempt = null;
    if (this.#canary === "forgets-a-group") this.#events.length -= Math.min(this.#events.length, 3);
    if (this.#canary === "tears-a-group" && attempt !== null && !attempt.isWritten)
      this.#keep(attempt.group, Math.floor(attempt.group.count / 2));
    this.isPrompt = true;
  }

  #keep(group: JournalGroup, count: number): void {
    for (let place = 0, at = 0; place < count; place++) {
      const length = group.lengths[place] ?? 0;
      const bytes = group.bytes.slice(at, at + length);
      at += length;
      this.#events.push({ seq: group.firstSeq + place, bytes });
      this.#onEvent(decodeEventBytes(bytes, 0, length));
    }
    const { balances, orders, orderStates } = group;
    for (const [place, account] of balances.account.entries()) {
      const key = `${account}/${balances.wallet[place]}/${balances.asset[place]}`;
      const total = balances.total[place] ?? 0n;
      this.balances.set(key, { total, reserved: balances.reserved[place] ?? 0n });
    }
    for (const [place, orderId] of orders.orderId.entries())
      this.orders.set(orderId, orders.status[place] ?? 0);
    for (const [place, orderId] of orderStates.orderId.entries())
      this.orders.set(orderId, orderStates.status[place] ?? 0);
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
    // Nothing is held.
  }
}

function chunkOf(events: readonly StoredEvent[]): EventChunk {
  const lengths = Uint32Array.from(events, ({ bytes }) => bytes.length);
  const offsets = new Uint32Array(events.length);
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const [place, event] of events.entries()) {
    bytes.set(event.bytes, at);
    offsets[place] = at;
    at += event.bytes.length;
  }
  return { firstSeq: events[0]?.seq ?? 0, count: events.length, bytes, offsets, lengths };
}
