// Keeps the state of a venue that follows: folds the committed events and compares the journal's chained hash with the
// leader's. It decides nothing. Events come from a source: the database, or a bus that is faster.

import { apply } from "../../../engine/state/apply/apply.ts";
import type { VenueState } from "../../../engine/state/venue-state.ts";
import type { EventChunk } from "../../../ports/journal/event-store.ts";
import type { ChainMark, Lease } from "../../../ports/leadership.ts";
import { decodeEventBytes } from "../../../wire/records/event-bytes.ts";
import type { UnwrittenRows } from "../projection.ts";
import { JournalChain } from "./journal-chain.ts";
import { UnwrittenMarks } from "./unwritten-marks.ts";

/** Where a follower gets committed events. */
export interface CommittedEvents {
  lastSeq(): Promise<number>;
  /** Events with seq after `afterSeq` up to `untilSeq`, in order. */
  readEvents(afterSeq: number, untilSeq: number, take: (chunk: EventChunk) => void): Promise<void>;
}

/** The follower's events are not the leader's: its state must be rebuilt. */
export class JournalDiverged extends Error {
  override name = "JournalDiverged";
}

export class Follower {
  readonly state: VenueState;
  readonly #source: CommittedEvents;
  readonly #marks: UnwrittenMarks;
  readonly #folded: (chunk: EventChunk) => void;
  #chain: JournalChain | null = null;
  #epoch = "";

  /** Follows from `state`, which `source` continues. `folded` is given all events in order, after they are folded. */
  constructor(
    state: VenueState,
    source: CommittedEvents,
    folded: (chunk: EventChunk) => void = () => undefined,
  ) {
    this.state = state;
    this.#source = source;
    this.#folded = folded;
    this.#marks = new UnwrittenMarks(state);
  }

  get seq(): number {
    return this.state.seq;
  }

  /** True once the chained hash has been compared with the leader's. */
  get isCompared(): boolean {
    return this.#chain !== null;
  }

  /** Takes note of the leader's lease and folds what is committed. Throws JournalDiverged if the journals differ. */
  async catchUp(lease: Lease): Promise<void> {
    const { chain, epoch, settledSeq } = lease;
    if (chain !== null) await this.#compare(chain, epoch);
    await this.readUntil(await this.#source.lastSeq());
    this.#marks.written(settledSeq);
  }

  /** Folds events up to `seq`. Throws JournalDiverged if this follower has later ones. */
  async readUntil(seq: number): Promise<void> {
    if (seq < this.seq)
      throw new JournalDiverged(`the journal ends at ${seq}, this follower is at ${this.seq}`);
    if (seq > this.seq) await this.#source.readEvents(this.seq, seq, (chunk) => this.#fold(chunk));
  }

  /**
   * Ends following: folds everything up to the journal's head, and checks that the newest events are those of the
   * journal, byte by byte. The writer epoch must have been raised, so that the head stays.
   */
  async finish(): Promise<void> {
    const head = await this.#source.lastSeq();
    await this.readUntil(head);
    if (this.#chain === null) return;
    const { baseSeq, base, hash } = this.#chain.mark();
    const again = new JournalChain(baseSeq, base);
    if (head > baseSeq)
      await this.#source.readEvents(baseSeq, head, (chunk) => addTo(again, chunk));
    if (!isEqual(again.at(head), hash))
      throw new JournalDiverged(`the journal differs after ${baseSeq}`);
  }

  /** The chained hash after the last event; empty without a chain. */
  chainHash(): Uint8Array {
    return this.#chain?.at(this.seq) ?? new Uint8Array();
  }

  /** Rows that the leader may not have written. */
  unwritten(): UnwrittenRows {
    return this.#marks.rows();
  }

  #fold(chunk: EventChunk): void {
    for (let index = 0; index < chunk.count; index++) {
      const start = chunk.offsets[index] ?? 0;
      const length = chunk.lengths[index] ?? 0;
      apply(this.state, decodeEventBytes(chunk.bytes, start, length), this.#marks);
    }
    if (this.#chain !== null) addTo(this.#chain, chunk);
    this.#folded(chunk);
  }

  /** Compares with the leader's value; adopts it as base of an own chain if there is none for this epoch. */
  async #compare({ baseSeq, base, seq, hash }: ChainMark, epoch: string): Promise<void> {
    if (this.#chain === null || this.#epoch !== epoch) {
      await this.#adopt(baseSeq, base);
      this.#epoch = epoch;
    }
    await this.readUntil(Math.max(seq, this.seq));
    const own = this.#chain?.at(seq) ?? null;
    if (own !== null && !isEqual(own, hash))
      throw new JournalDiverged(`the chained hash after ${seq} is not the leader's`);
  }

  async #adopt(baseSeq: number, base: Uint8Array): Promise<void> {
    await this.readUntil(Math.max(baseSeq, this.seq));
    const chain = new JournalChain(baseSeq, base);
    if (this.seq > baseSeq)
      await this.#source.readEvents(baseSeq, this.seq, (chunk) => addTo(chain, chunk));
    // The events were there before: the database has lost them, or another server answers, which lacks them.
    if (chain.seq !== this.seq)
      throw new JournalDiverged(
        `the journal ends at ${chain.seq}, this follower is at ${this.seq}`,
      );
    this.#chain = chain;
  }
}

function addTo(chain: JournalChain, { bytes, offsets, lengths, count }: EventChunk): void {
  for (let index = 0; index < count; index++) {
    const start = offsets[index] ?? 0;
    chain.add(bytes.subarray(start, start + (lengths[index] ?? 0)));
  }
}

function isEqual(a: Uint8Array | null, b: Uint8Array): boolean {
  return a !== null && Buffer.compare(a, b) === 0;
}
