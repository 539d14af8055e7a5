// The duty cycle in which a front thread reads the journal's output: it folds committed events into the front's state
// and passes on replies, in clearing's order. The HTTP server runs on the thread's event loop.

import type { VenueEvent } from "../../core/generated/events.ts";
import { emptyReply, type Reply } from "../../core/generated/messages.ts";
import type { CountersBuffer } from "../../wire/counters-buffer.ts";
import { decodeEvent } from "../../wire/generated/event-codec.ts";
import { decodeReply, replyBytes } from "../../wire/generated/message-codec.ts";
import type { SpscRing } from "../../wire/spsc-ring.ts";
import type { Agent } from "./agent.ts";

/** Maximum number of records read before sockets are served again; folding them takes about a millisecond. */
const recordsPerCycle = 512;

/** Maximum number of checks for missing events; after that, the front answers from its current state. */
const catchUpLooksMax = 1_000_000;

/** Receives the committed events, and the replies. */
export interface CommittedReader {
  fold(event: VenueEvent): void;
  reply(reply: Reply): void;
}

export class FrontAgent implements Agent {
  readonly roleName: string;
  readonly #ring: SpscRing;
  readonly #reader: CommittedReader;
  readonly #counters: CountersBuffer;
  readonly #reply = emptyReply();
  #foldedSeq: number;

  constructor(
    roleName: string,
    ring: SpscRing,
    reader: CommittedReader,
    counters: CountersBuffer,
    foldedSeq: number,
  ) {
    this.roleName = roleName;
    this.#ring = ring;
    this.#reader = reader;
    this.#counters = counters;
    this.#foldedSeq = foldedSeq;
  }

  doWork(): number {
    return this.#drain(recordsPerCycle);
  }

  hasWork(): boolean {
    return !this.#ring.isEmpty();
  }

  onClose(): void {
    // Nothing to release: the gateway is closed by the code that created it.
  }

  /**
   * Folds all events that are durable at the time of the call. The journal stores the seq slightly before it publishes
   * the events, so a few checks may be needed.
   */
  catchUp(): void {
    const committedSeq = this.#counters.committedSeq();
    for (let look = 0; look < catchUpLooksMax; look++) {
      this.#drain(Number.POSITIVE_INFINITY);
      if (this.#foldedSeq >= committedSeq) return;
    }
  }

  #drain(limit: number): number {
    const ring = this.#ring;
    let records = 0;
    while (records < limit) {
      const offset = ring.next();
      if (offset < 0) break;
      records++;
      if (ring.length === replyBytes) {
        decodeReply(ring, offset, ring.length, this.#reply);
        this.#reader.reply(this.#reply);
      } else {
        const event = decodeEvent(ring, offset, ring.length);
        this.#reader.fold(event);
        this.#foldedSeq = event.seq;
      }
    }
    if (records > 0) ring.release();
    return records;
  }
}
