// The duty cycle in which a front thread reads the journal's output: it folds committed events into the front's state
// and passes on replies, in clearing's order. The HTTP server runs on the thread's event loop. A leader's front passes on
// nothing while its lease has run out: the process may have been paused since the journal wrote it, and another venue
// may have led meanwhile.

import type { VenueEvent } from "../../core/generated/events.ts";
import { emptyReply, type Reply } from "../../core/generated/messages.ts";
import type { CountersBuffer } from "../../wire/counters-buffer.ts";
import { decodeEvent } from "../../wire/generated/event-codec.ts";
import { decodeReply, replyBytes } from "../../wire/generated/message-codec.ts";
import type { SpscRing } from "../../wire/spsc-ring.ts";
import type { Agent } from "./agent.ts";

/** Maximum number of records read before sockets are served again; folding them takes about a millisecond. */
const recordsPerCycle = 512;

/** Number of checks for missing events before the front gives its processor to the thread that brings them. */
const spinsMax = 5_000;
/** Pause in milliseconds between two checks after that, and the number of pauses: one second in all. */
const napMs = 0.5;
const napsMax = 2_000;

/** Receives the committed events, and the replies. */
export interface CommittedReader {
  fold(event: VenueEvent): void;
  reply(reply: Reply): void;
}

export interface FrontAgentParts {
  readonly roleName: string;
  /** The ring from the journal, or from a gateway's pump. */
  readonly ring: SpscRing;
  readonly reader: CommittedReader;
  readonly counters: CountersBuffer;
  /** Seq of the last event in the state with which the front starts. */
  readonly seq: number;
  /** Whether this venue may tell anybody anything: false while its lease has run out, true for a gateway. */
  readonly mayAcknowledge: () => boolean;
}

export class FrontAgent implements Agent {
  readonly #parts: FrontAgentParts;
  readonly #reply = emptyReply();
  readonly #nap = new Int32Array(new SharedArrayBuffer(4));
  #foldedSeq: number;

  constructor(parts: FrontAgentParts) {
    this.#parts = parts;
    this.#foldedSeq = parts.seq;
  }

  get roleName(): string {
    return this.#parts.roleName;
  }

  doWork(): number {
    return this.#drain(recordsPerCycle);
  }

  hasWork(): boolean {
    return !this.#parts.ring.isEmpty() && this.#parts.mayAcknowledge();
  }

  onClose(): void {
    // Nothing to release: the gateway is closed by the code that created it.
  }

  /**
   * Folds all events that are durable at the time of the call. The journal stores the seq slightly before it publishes
   * the events, so a few checks may be needed, and more if its thread has lost its processor in between. After a second the
   * front answers from its current state. While the lease has run out, nothing is folded. Spec RTY-1.
   */
  catchUp(): void {
    const { counters, mayAcknowledge } = this.#parts;
    const committedSeq = counters.committedSeq();
    for (let look = 0; look < spinsMax + napsMax; look++) {
      this.#drain(Number.POSITIVE_INFINITY);
      if (this.#foldedSeq >= committedSeq || !mayAcknowledge()) return;
      // The word is never notified, so this is a pause.
      if (look >= spinsMax) Atomics.wait(this.#nap, 0, 0, napMs);
    }
  }

  #drain(limit: number): number {
    const { ring, reader, mayAcknowledge } = this.#parts;
    if (ring.isEmpty() || !mayAcknowledge()) return 0;
    let records = 0;
    while (records < limit) {
      const offset = ring.next();
      if (offset < 0) break;
      records++;
      if (ring.length === replyBytes) {
        decodeReply(ring, offset, ring.length, this.#reply);
        reader.reply(this.#reply);
      } else {
        const event = decodeEvent(ring, offset, ring.length);
        reader.fold(event);
        this.#foldedSeq = event.seq;
      }
    }
    if (records > 0) ring.release();
    return records;
  }
}
