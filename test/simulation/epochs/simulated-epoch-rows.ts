// The epoch tables of the simulation, in memory: sealed epochs, the data for proofs, and the progress of writing epochs
// to the ledger. Each method acts as one transaction and checks the same conditions as the real repository.

import assert from "node:assert/strict";
import { EventKind, type VenueEvent } from "../../../src/core/generated/events.ts";
import type { OrderChange } from "../../../src/engine/state/apply/order-changes.ts";
import { isAmendment } from "../../../src/engine/state/apply/order-posting.ts";
import type {
  EpochReader,
  EpochRecord,
  EpochTerms,
  EpochTile,
  EpochWriter,
  SealedEntry,
} from "../../../src/ports/journal/epoch-store.ts";
import type { EventStore } from "../../../src/ports/journal/event-store.ts";
import type {
  AnchorAttempt,
  EpochAnchor,
  EpochAnchorStore,
  EpochCommitment,
} from "../../../src/ports/ledger/epoch-anchors.ts";
import { decodeEventBytes } from "../../../src/wire/records/event-bytes.ts";

/** Deliberate faults of the tables that the audit must detect. */
export type EpochRowsCanary = "skips-an-epoch" | "tears-a-leaf" | "seals-twice";

function isChange(event: VenueEvent): event is OrderChange {
  const { orderTriggered, orderReduced } = EventKind;
  return event.kind === orderTriggered || event.kind === orderReduced || isAmendment(event);
}

export class SimulatedEpochRows implements EpochWriter, EpochReader, EpochAnchorStore {
  readonly #journal: Pick<EventStore, "readEvents">;
  readonly #canary: EpochRowsCanary | null;
  #terms: EpochTerms | null = null;
  /** Sealed epochs, in the order of their numbers. */
  readonly #epochs: EpochRecord[] = [];
  readonly #tiles = new Map<string, EpochTile>();
  readonly #anchors = new Map<number, EpochAnchor>();

  constructor(journal: Pick<EventStore, "readEvents">, canary: EpochRowsCanary | null) {
    this.#journal = journal;
    this.#canary = canary;
  }

  /** All sealed epochs, oldest first. */
  get sealed(): readonly EpochRecord[] {
    return this.#epochs;
  }

  // Writes of the sealer, which computes epochs.

  async agree(terms: EpochTerms): Promise<EpochTerms> {
    this.#terms ??= terms;
    return this.#terms;
  }

  async newest(): Promise<EpochRecord | null> {
    return this.#epochs.at(-1) ?? null;
  }

  async keep(epoch: number, tiles: readonly EpochTile[]): Promise<void> {
    for (const tile of tiles) {
      const name = `${epoch}/${tile.level}/${tile.tile}`;
      if (!this.#tiles.has(name)) this.#tiles.set(name, { ...tile, hashes: this.#torn(tile) });
    }
  }

  /** Returns the hashes of a tile. With the canary "tears-a-leaf", one byte of the leaf hashes is changed. */
  #torn({ level, hashes }: EpochTile): Uint8Array {
    const own = hashes.slice();
    if (this.#canary === "tears-a-leaf" && level === 0) own[0] = (own[0] ?? 0) ^ 1;
    return own;
  }

  async seal(records: readonly EpochRecord[], tiles: readonly EpochTile[]): Promise<void> {
    const newest = this.#epochs.at(-1);
    for (const [index, { epoch }] of records.entries()) {
      const before = index === 0 ? newest?.epoch : records[index - 1]?.epoch;
      if (before !== undefined && epoch !== before + 1)
        throw new Error(`epoch ${epoch} does not follow ${before}`);
    }
    const [first] = records;
    if (first === undefined) return;
    await this.keep(first.epoch, tiles);
    this.#epochs.push(...records);
    if (this.#canary === "skips-an-epoch" && records.length > 2) this.#epochs.splice(-2, 1);
    if (this.#canary === "seals-twice" && first.journalCount > 1)
      this.#epochs.push({ ...first, epoch: (records.at(-1)?.epoch ?? 0) + 1 });
  }

  async close(): Promise<void> {
    // Nothing to close.
  }

  // Reads that proofs need.

  async terms(): Promise<EpochTerms | null> {
    return this.#terms;
  }

  async epochs(before: number | null, limit: number): Promise<EpochRecord[]> {
    const older = this.#epochs.filter(({ epoch }) => before === null || epoch < before);
    return older.reverse().slice(0, limit);
  }

  async epoch(number: number): Promise<EpochRecord | null> {
    return this.#epochs.find(({ epoch }) => epoch === number) ?? null;
  }

  async entry(seq: number): Promise<SealedEntry | null> {
    const epoch = this.#epochs.find(({ firstSeq, lastSeq }) => firstSeq <= seq && seq <= lastSeq);
    if (epoch === undefined) return null;
    const [found] = await this.eventsOf(seq, seq);
    assert(found !== undefined, "a sealed entry must be in the journal");
    return { epoch, seq, body: found.bytes };
  }

  async entriesOfOrder(orderId: number, limit: number): Promise<SealedEntry[]> {
    const all = await this.eventsOf(1, this.#epochs.at(-1)?.lastSeq ?? 0);
    const ofOrder = all.filter(({ event }) => isChange(event) && event.orderId === orderId);
    const newest = ofOrder.reverse().slice(0, limit);
    const found = await Promise.all(newest.map(({ event }) => this.entry(event.seq)));
    return found.flatMap((entry) => entry ?? []);
  }

  async entryOfTrade(tradeId: number): Promise<SealedEntry | null> {
    const epoch = this.#epochs.find(({ firstTrade, fillCount }) => {
      return firstTrade <= tradeId && tradeId < firstTrade + fillCount;
    });
    if (epoch === undefined) return null;
    const all = await this.eventsOf(epoch.firstSeq, epoch.lastSeq);
    const found = all.find(
      ({ event }) => event.kind === EventKind.traded && event.tradeId === tradeId,
    );
    return found === undefined ? null : { epoch, seq: found.event.seq, body: found.bytes };
  }

  async tiles(epoch: number, names: readonly Omit<EpochTile, "hashes">[]): Promise<EpochTile[]> {
    return names.flatMap(({ level, tile }) => this.#tiles.get(`${epoch}/${level}/${tile}`) ?? []);
  }

  /** Returns journal entries with their bytes. */
  async eventsOf(
    firstSeq: number,
    lastSeq: number,
  ): Promise<{ readonly event: VenueEvent; readonly bytes: Uint8Array }[]> {
    const events: { event: VenueEvent; bytes: Uint8Array }[] = [];
    await this.#journal.readEvents(firstSeq - 1, lastSeq, (chunk) => {
      for (let index = 0; index < chunk.count; index++) {
        const start = chunk.offsets[index] ?? 0;
        const bytes = chunk.bytes.slice(start, start + (chunk.lengths[index] ?? 0));
        events.push({ event: decodeEventBytes(bytes, 0, bytes.length), bytes });
      }
    });
    return events;
  }

  // Progress of the committer, which puts epochs on the ledger.

  async lastConfirmed(): Promise<EpochAnchor | null> {
    const confirmed = [...this.#anchors.values()].filter((anchor) => anchor.confirmed !== null);
    return confirmed.sort((one, other) => other.epoch - one.epoch)[0] ?? null;
  }

  async nextSealed(after: number | null): Promise<EpochRecord | null> {
    return this.#epochs.find(({ epoch }) => epoch > (after ?? -1)) ?? null;
  }

  async anchors(epochs: readonly number[]): Promise<EpochAnchor[]> {
    return epochs.flatMap((epoch) => this.#anchors.get(epoch) ?? []);
  }

  async attempt({ epoch, network, dedupOffset, root }: AnchorAttempt): Promise<EpochAnchor> {
    const anchor = this.#anchors.get(epoch) ?? {
      epoch,
      network,
      dedupOffset,
      root,
      confirmed: null,
    };
    this.#anchors.set(epoch, anchor);
    return anchor;
  }

  async confirm(epoch: number, { blob: _, ...confirmed }: EpochCommitment): Promise<void> {
    const anchor = this.#anchors.get(epoch);
    if (anchor?.confirmed === null) this.#anchors.set(epoch, { ...anchor, confirmed });
  }

  async blob(): Promise<string | null> {
    return null;
  }
}
