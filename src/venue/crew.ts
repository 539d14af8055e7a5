// The threads that serve a venue, from the state they get until they serve. Threads that follow get a state once and then
// every event; at a start all threads get a recovered state.
//
//   offer, follow ─▶ seed ─▶ journal, clearing and matchers ready ─▶ bus open
//                       └──▶ fronts ready, which also load keys and candles ─▶ fronts open
//
// A venue that takes over seeds its fronts last: gateways have all that fronts must load, and their clients wait.

import type { WorkerInit } from "../../workers/init.ts";
import type { JournalPart } from "../../workers/seeded.ts";
import type { ThreadKind } from "../../workers/thread-kinds.ts";
import { present } from "../core/assert.ts";
import type { EventChunk } from "../ports/journal/event-store.ts";
import { packSnapshot } from "../wire/snapshot-codec.ts";
import { sharedMemoryOf } from "./init-maker.ts";
import type { WarmSeed } from "./recovery.ts";
import type { ThreadGroup, WorkerThread } from "./spawn.ts";
import type { Topology } from "./topology.ts";

export class Crew {
  readonly journal: WorkerThread;
  readonly fronts: readonly WorkerThread[];
  /** Serves the gateways; null without a bus. */
  readonly bus: WorkerThread | null;
  readonly #clearing: WorkerThread;
  readonly #matchers: readonly WorkerThread[];
  /** Resolves when the journal thread holds the writer's lock. */
  readonly isLocked: Promise<unknown>;

  /** Starts all threads of a venue, those first that have the most code to load. */
  constructor(threads: ThreadGroup, { slots, threadNames }: Topology) {
    const spawn = (kind: ThreadKind, slot: number) =>
      threads.spawn(kind, { thread: slot, name: present(threadNames[slot], "a thread's name") });
    this.fronts = slots.fronts.map((slot) => spawn("front", slot));
    this.#clearing = spawn("clearing", slots.clearing);
    this.journal = spawn("journal", slots.journal);
    this.#matchers = slots.matchers.map((slot) => spawn("matcher", slot));
    this.bus = slots.bus === null ? null : spawn("bus", slots.bus);
    this.isLocked = this.journal.next("ready");
  }

  /** Gives all threads what they begin with; `initOf` takes a thread's slot and its index among those of its kind. */
  begin(initOf: (slot: number, index: number) => WorkerInit): void {
    const bus = this.bus === null ? [] : [this.bus];
    for (const kind of [[this.journal], this.fronts, bus, [this.#clearing], this.#matchers])
      for (const [index, thread] of kind.entries()) thread.begin(initOf(thread.index, index));
  }

  /** Sends a packed state to all threads, and returns its bytes. */
  offer(bytes: Uint8Array): Uint8Array {
    const shared = sharedMemoryOf(bytes);
    for (const thread of this.#seeded) thread.offer(shared);
    return bytes;
  }

  /** Sends all threads the events that follow what they have. */
  follow({ bytes, offsets, lengths, count }: EventChunk): void {
    const sizes = lengths.slice(0, count);
    const all = new Uint8Array(sizes.reduce((sum, length) => sum + length, 0));
    let at = 0;
    for (const [index, length] of sizes.entries()) {
      const start = offsets[index] ?? 0;
      all.set(bytes.subarray(start, start + length), at);
      at += length;
    }
    const packed = new Uint8Array(sizes.buffer);
    for (const thread of this.#seeded) thread.tell({ kind: "events", bytes: all, lengths: packed });
  }

  /** Lets the engine and the journal begin with the state that they have; resolves when they are ready. */
  async seedEngine(
    { seq, unwritten }: Pick<WarmSeed, "seq" | "unwritten">,
    chainHash: Uint8Array,
  ): Promise<void> {
    const ready = seedAll(this.#engine, seq);
    // The journal reports first that it has the lock, and then that it is ready.
    await this.isLocked;
    const isReady = this.journal.next("ready");
    const part: JournalPart = { rows: unwritten, chainHash };
    this.journal.tell({ kind: "seed", seq, part: packSnapshot(part) });
    await Promise.all([ready, isReady]);
  }

  /** Lets the fronts begin with the state that they have; resolves when they have loaded keys and candles too. */
  async seedFronts(seq: number): Promise<void> {
    await seedAll(this.fronts, seq);
  }

  async openFronts(): Promise<void> {
    const opened = this.fronts.map((front) => front.next("ready"));
    for (const front of this.fronts) front.tell({ kind: "start" });
    await Promise.all(opened);
  }

  /** Serves gateways from now on, if there is a bus; the journal thread has stored its writer epoch. */
  async openBus(seq: number): Promise<void> {
    if (this.bus === null) return;
    const opened = this.bus.next("ready");
    this.bus.tell({ kind: "seed", seq, part: new Uint8Array() });
    await opened;
  }

  get #engine(): readonly WorkerThread[] {
    return [this.#clearing, ...this.#matchers];
  }

  get #seeded(): readonly WorkerThread[] {
    return [this.journal, ...this.#engine, ...this.fronts];
  }
}

async function seedAll(threads: readonly WorkerThread[], seq: number): Promise<void> {
  const ready = threads.map((thread) => thread.next("ready"));
  for (const thread of threads) thread.tell({ kind: "seed", seq, part: new Uint8Array() });
  await Promise.all(ready);
}
