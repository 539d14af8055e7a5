// A front thread's duty cycle toward the journal: committed events are folded and replies handed over
// in the order in which clearing wrote them. The door itself lives on the thread's event loop.

import type { VenueEvent } from "../../core/generated/events.ts";
import { emptyReply, type Reply } from "../../core/generated/messages.ts";
import type { CountersBuffer } from "../../wire/counters-buffer.ts";
import { decodeEvent } from "../../wire/generated/event-codec.ts";
import { decodeReply, replyBytes } from "../../wire/generated/message-codec.ts";
import type { SpscRing } from "../../wire/spsc-ring.ts";
import type { Agent } from "./agent.ts";

/** Records between two looks at the sockets: about a millisecond of folding. */
const recordsPerCycle = 512;

/** A front that cannot catch up within this many looks answers from what it has. */
const catchUpLooksMax = 1_000_000;

/** What the front does with what was committed. */
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
    // The gateway is closed by whoever created it.
  }

  /**
   * Folds everything that was durable when this was called. The journal stores the seq first and
   * shows the events a moment later, so a short look for them may be needed.
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
