// Passes the committed events that a leader sends to the front, in the order of their seq and without a gap. Missing
// events are read from the journal, never guessed. Nothing past the seq that the leader announced as durable is passed:
// the database may show events that are not yet acknowledged by its standby, and those may be lost with their server.
//
//   message ──in order──▶ front
//        └──after a gap──▶ held ◀── journal read up to it ──▶ front

import { assert } from "../../core/assert.ts";
import { gapEventsMax, groupsHeldBytesMax } from "../../core/bus-limits.ts";
import type { EventStore } from "../../ports/journal/event-store.ts";
import { BusMessageReader } from "../../wire/bus-message.ts";

/** Pause in ms before the journal is asked again, if it has no more events or cannot be read. */
const againMs = 50;

export interface GroupFollowerParts {
  /** Seq of the last event that the front has. */
  readonly seq: number;
  readonly journal: Pick<EventStore, "lastSeq" | "readEvents">;
  /** Passes an event to the front. */
  readonly pass: (bytes: Uint8Array, start: number, length: number) => void;
  /** Called after events were passed. */
  readonly passed: () => void;
  readonly pause: (ms: number) => Promise<void>;
  /** Called when a gap is found, and with the error of each failed read. */
  readonly onGap: (gap: { readonly from: number; readonly until: number }) => void;
  readonly onFault: (fault: unknown) => void;
}

export class GroupFollower {
  readonly #parts: GroupFollowerParts;
  readonly #held: Uint8Array[] = [];
  #heldBytes = 0;
  #seq: number;
  #durableSeq = 0;
  #isFilling = false;
  #isClosed = false;

  constructor(parts: GroupFollowerParts) {
    this.#parts = parts;
    this.#seq = parts.seq;
  }

  /** Seq of the last event passed. */
  get seq(): number {
    return this.#seq;
  }

  /** The last seq that the leader announced as durable. */
  get durableSeq(): number {
    return this.#durableSeq;
  }

  /** True if every event that the leader announced has been passed. */
  get isLevel(): boolean {
    return !this.#isFilling && this.#seq >= this.#durableSeq;
  }

  /** Number of gaps filled or being filled. */
  gaps = 0;

  /** Takes a message of the groups, opened by `reader`. The message is kept if an earlier one is missing. */
  take(reader: BusMessageReader, message: Uint8Array): void {
    const { firstSeq, durableSeq } = reader.header;
    this.#durableSeq = Math.max(this.#durableSeq, durableSeq);
    if (this.#isFilling || firstSeq > this.#seq + 1) this.#hold(message);
    else this.#pass(reader);
    this.#parts.passed();
    if (this.#seq < this.#durableSeq && !this.#isFilling) void this.#fill();
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Messages that do not fit are dropped: their events are then read from the journal. */
  #hold(message: Uint8Array): void {
    if (this.#heldBytes + message.length > groupsHeldBytesMax) return;
    this.#held.push(message);
    this.#heldBytes += message.length;
  }

  #pass(reader: BusMessageReader): void {
    const { firstSeq, count } = reader.header;
    for (let index = 0; index < count; index++) {
      const at = reader.next();
      const seq = firstSeq + index;
      if (seq <= this.#seq) continue;
      assert(seq === this.#seq + 1, "the events of a message must follow each other");
      this.#parts.pass(reader.views.u8, at, reader.length);
      this.#seq = seq;
    }
  }

  /** Reads what is missing, then passes the held messages; repeats if one of them is missing too. */
  async #fill(): Promise<void> {
    this.#isFilling = true;
    this.gaps++;
    this.#parts.onGap({ from: this.#seq + 1, until: this.#durableSeq });
    while (!this.#isClosed) {
      this.#passHeld();
      if (this.#seq >= this.#durableSeq) break;
      if (!(await this.#read())) await this.#parts.pause(againMs);
    }
    this.#isFilling = false;
  }

  /** Reads a part of the missing events. Returns false if the journal had none or could not be read. */
  async #read(): Promise<boolean> {
    const { journal, pass, passed, onFault } = this.#parts;
    const before = this.#seq;
    try {
      // A standby may be behind what the leader announced.
      const lastSeq = await journal.lastSeq();
      const until = Math.min(this.#durableSeq, lastSeq, this.#seq + gapEventsMax);
      if (this.#isClosed || until <= this.#seq) return false;
      await journal.readEvents(this.#seq, until, ({ firstSeq, count, bytes, offsets, lengths }) => {
        assert(firstSeq === this.#seq + 1, "the events of the journal must follow each other");
        for (let index = 0; index < count; index++)
          pass(bytes, offsets[index] ?? 0, lengths[index] ?? 0);
        this.#seq += count;
        passed();
      });
    } catch (fault) {
      onFault(fault);
    }
    return this.#seq > before;
  }

  #passHeld(): void {
    const reader = new BusMessageReader();
    while (this.#held.length > 0) {
      const message = this.#held[0] as Uint8Array;
      assert(reader.open(message) === null, "a held message must have been readable before");
      if (reader.header.firstSeq > this.#seq + 1) break;
      this.#pass(reader);
      this.#held.shift();
      this.#heldBytes -= message.length;
    }
    this.#parts.passed();
  }
}
