// Keeps the state of a venue that follows: folds the committed events and compares the journal's chained hash with the
// leader's. It decides nothing. Events come from a source: the database, or a bus that is faster.
//
// A database may show events that its standby does not have yet, and lose them when that is promoted. So events count as
// proven only once the leader's chained hash covers them. Before the follower goes on with another leader or another
// session, and before it leads, it compares what it has folded since then with the journal: the journal may have grown
// past the loss.

import { present } from "../../../core/assert.ts";
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
  /** Over the bytes that were folded here. Its base is the leader's once that is adopted. */
  #chain: JournalChain;
  #isAdopted = false;
  #epoch = "";
  /** Events up to this one can not be lost. */
  #provenSeq: number;
  #proven: ChainMark | null = null;
  /** A read has failed since the newest events were compared: the next one may reach another server. */
  #isDoubtful = false;

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
    this.#chain = new JournalChain(state.seq, new Uint8Array());
    this.#provenSeq = state.seq;
  }

  get seq(): number {
    return this.state.seq;
  }

  /** The newest value of the leader's chained hash that equals the one here; null before that. */
  get proven(): ChainMark | null {
    return this.#proven;
  }

  /** True once the chained hash has been compared with the leader's. */
  get isCompared(): boolean {
    return this.#isAdopted;
  }

  /** Takes note of the leader's lease and folds what is committed. Throws JournalDiverged if the journals differ. */
  async catchUp(lease: Lease): Promise<void> {
    const { chain, epoch, settledSeq } = lease;
    try {
      if (epoch !== this.#epoch || this.#isDoubtful) await this.#prove();
      if (epoch !== this.#epoch) this.#isAdopted = false;
      this.#epoch = epoch;
      if (chain !== null) await this.#compare(chain);
      await this.readUntil(await this.#source.lastSeq());
    } catch (error) {
      this.#isDoubtful = true;
      throw error;
    }
    this.#marks.written(settledSeq);
  }

  /** Folds events up to `seq`. Throws JournalDiverged if this follower has later ones. */
  async readUntil(seq: number): Promise<void> {
    this.#mustReach(seq);
    if (seq > this.seq) await this.#source.readEvents(this.seq, seq, (chunk) => this.#fold(chunk));
  }

  /**
   * Ends following: checks that the newest events are those of the journal, byte by byte, and folds everything up to the
   * journal's head. The writer epoch must have been raised, so that the head stays.
   */
  async finish(): Promise<void> {
    const head = await this.#source.lastSeq();
    this.#mustReach(head);
    await this.#prove();
    await this.readUntil(head);
  }

  #mustReach(seq: number): void {
    if (seq < this.seq)
      throw new JournalDiverged(`the journal ends at ${seq}, this follower is at ${this.seq}`);
  }

  /** Compares the events that are not proven with the journal. Throws JournalDiverged if they are not there. */
  async #prove(): Promise<void> {
    if (this.seq > this.#provenSeq) {
      const start = this.#chain.blockOf(this.#provenSeq);
      if (start === null)
        throw new JournalDiverged(`nothing after ${this.#provenSeq} is proven to be the leader's`);
      const again = await this.#chainFrom(start.baseSeq, start.base);
      if (!isEqual(again.at(this.seq), this.#ownHash()))
        throw new JournalDiverged(`the journal differs after ${start.baseSeq}`);
    }
    this.#isDoubtful = false;
  }

  /** The chained hash after the last event; empty without a chain. */
  chainHash(): Uint8Array {
    return this.#isAdopted ? this.#ownHash() : new Uint8Array();
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
    this.#chain.addChunk(chunk);
    this.#folded(chunk);
  }

  #ownHash(): Uint8Array {
    return present(this.#chain.at(this.seq), "the hash after a follower's last event");
  }

  /** Compares with the leader's value; adopts it as base of the own chain if there is none for this epoch. */
  async #compare(mark: ChainMark): Promise<void> {
    const { baseSeq, base, seq, hash } = mark;
    if (!this.#isAdopted) await this.#adopt(baseSeq, base);
    await this.readUntil(Math.max(seq, this.seq));
    const own = this.#chain.at(seq);
    if (own === null) return;
    if (!isEqual(own, hash))
      throw new JournalDiverged(`the chained hash after ${seq} is not the leader's`);
    this.#provenSeq = Math.max(this.#provenSeq, seq);
    this.#proven = mark;
  }

  async #adopt(baseSeq: number, base: Uint8Array): Promise<void> {
    await this.#prove();
    await this.readUntil(Math.max(baseSeq, this.seq));
    const chain = await this.#chainFrom(baseSeq, base);
    // The events were there before: the database has lost them, or another server answers, which lacks them.
    if (chain.seq !== this.seq)
      throw new JournalDiverged(
        `the journal ends at ${chain.seq}, this follower is at ${this.seq}`,
      );
    this.#chain = chain;
    this.#isAdopted = true;
  }

  /** The chained hash of the journal from `base` up to this follower's last event, or up to the journal's end. */
  async #chainFrom(baseSeq: number, base: Uint8Array): Promise<JournalChain> {
    const chain = new JournalChain(baseSeq, base);
    if (this.seq > baseSeq)
      await this.#source.readEvents(baseSeq, this.seq, (chunk) => chain.addChunk(chunk));
    return chain;
  }
}

function isEqual(a: Uint8Array | null, b: Uint8Array): boolean {
  return a !== null && Buffer.compare(a, b) === 0;
}
