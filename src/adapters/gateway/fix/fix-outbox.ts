// What a FIX session sends: its numbers, what it keeps to send again, and gap fills. The numbers of a connection count from
// 1, or continue: then they follow from the journal (fix-numbers.ts). While older reports are read from the journal,
// messages are held, so that a client gets everything in the order of its numbers. Spec FIX-8, FIX-25, FIX-29.

import type { SharedText } from "./field-writer.ts";
import { encodeFix, type FixHead, field, isSessionMessage } from "./fix-codec.ts";
import { MsgType, Tag } from "./fix-fields.ts";
import { heldCharactersMax, resentMessagesMax } from "./fix-limits.ts";
import { reportNumber } from "./fix-numbers.ts";

/** The way to the client. */
export interface FixWire {
  /** Sends a text, at the latest at the end of this turn of the event loop. */
  send(text: string): void;
  /** Sends at once what waits for the end of the turn. */
  flush(): void;
  /** Resolves when the client has taken what was sent, or is gone. */
  drained(): Promise<void>;
  /** Closes the connection after everything that was sent. */
  end(): void;
}

/** Numbers of messages, both inclusive. */
export interface NumberRange {
  readonly from: number;
  readonly last: number;
}

/** A message that may be sent again. */
export interface SentReport {
  readonly seq: number;
  readonly type: string;
  readonly fields: string;
  /** When it was sent first, in Unix microseconds. */
  readonly sentUs: number;
}

export class FixOutbox {
  readonly #wire: FixWire;
  readonly #clock: { nowUs(): number };
  readonly #ends: () => Pick<FixHead, "sender" | "target">;
  #next = 1;
  /** Seq of the newest folded event; null if numbers count from 1. */
  #headSeq: (() => number) | null = null;
  readonly #sent: SentReport[] = [];
  /** Number of the newest message that is not kept any more; 0 if all are. */
  #forgotten = 0;
  /** Messages that wait for older ones; null if none need to. */
  #held: string[] | null = null;
  #heldCharacters = 0;

  constructor(
    wire: FixWire,
    clock: { nowUs(): number },
    ends: () => Pick<FixHead, "sender" | "target">,
  ) {
    this.#wire = wire;
    this.#clock = clock;
    this.#ends = ends;
  }

  /** Number of the next message. */
  get next(): number {
    return this.#next;
  }

  /** Messages up to this number are not kept. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Whether the numbers follow from the journal. */
  get isContinued(): boolean {
    return this.#headSeq !== null;
  }

  get isHeld(): boolean {
    return this.#held !== null;
  }

  /** Whether messages can be sent: there is a number after the next one for a Logout, and held ones are not too many. */
  get hasRoom(): boolean {
    if (this.#heldCharacters >= heldCharactersMax) return false;
    return this.#headSeq === null || this.#next + 1 < reportNumber(this.#headSeq() + 1);
  }

  /** Continues numbers that follow from the journal; `first` is the next one. */
  continueAt(first: number, headSeq: () => number): void {
    this.#next = first;
    this.#forgotten = first - 1;
    this.#headSeq = headSeq;
  }

  /** Sends a message with the next number. `shared` comes after `fields`. */
  send(type: string, fields: string, shared?: SharedText): void {
    const seq = this.#next++;
    const sentUs = this.#clock.nowUs();
    if (!isSessionMessage(type)) {
      this.#sent.push({ seq, type, fields: fields + (shared?.text ?? ""), sentUs });
      if (this.#sent.length > 2 * resentMessagesMax)
        this.#forgotten = this.#sent.splice(0, resentMessagesMax).at(-1)?.seq ?? 0;
    }
    const { sender, target } = this.#ends();
    this.#put(encodeFix(type, fields, { sender, target, seq, sentUs }, shared));
  }

  /** Sends the report of the event with that seq in the journal. */
  report(eventSeq: number, fields: string, shared?: SharedText): void {
    if (this.#headSeq !== null) {
      const seq = reportNumber(eventSeq);
      if (this.#next < seq) this.#put(this.#gapFill(this.#next, seq, {}));
      this.#next = seq;
    }
    this.send(MsgType.executionReport, fields, shared);
  }

  /** Holds messages from now on. */
  hold(): void {
    this.#held = [];
  }

  /** Sends what was held. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    this.#heldCharacters = 0;
    for (const text of held) this.#wire.send(text);
  }

  /** The kept messages from `from` to `last`. */
  kept({ from, last }: NumberRange): SentReport[] {
    return this.#sent.filter(({ seq }) => seq >= from && seq <= last);
  }

  /** Sends these messages of a range again; gap fills replace the others. */
  resend(reports: readonly SentReport[], { from, last }: NumberRange): void {
    let next = from;
    for (const { seq, type, fields, sentUs: firstSentUs } of reports) {
      this.#fillGap(next, seq);
      const sentUs = this.#clock.nowUs();
      this.#wire.send(encodeFix(type, fields, { ...this.#ends(), seq, sentUs, firstSentUs }));
      next = seq + 1;
    }
    this.#fillGap(next, last + 1);
  }

  #put(text: string): void {
    if (this.#held === null) {
      this.#wire.send(text);
      return;
    }
    this.#held.push(text);
    this.#heldCharacters += text.length;
  }

  #fillGap(from: number, to: number): void {
    if (from < to) this.#wire.send(this.#gapFill(from, to, { firstSentUs: this.#clock.nowUs() }));
  }

  /** `firstSentUs` marks a gap fill that replaces messages sent before. */
  #gapFill(from: number, to: number, again: Pick<FixHead, "firstSentUs">): string {
    const fields = field(Tag.gapFillFlag, "Y") + field(Tag.newSeqNo, to);
    const head = { ...this.#ends(), seq: from, sentUs: this.#clock.nowUs(), ...again };
    return encodeFix(MsgType.sequenceReset, fields, head);
  }
}
