// The session layer of one FIX connection: sequence numbers, heartbeats, test requests, resends, rejects, logout. It
// knows neither sockets nor orders. Spec FIX-5 to FIX-11.
//
//   connected ──Logon──▶ logging on ──accepted──▶ on ──Logout──▶ logging out ──▶ over
//       └──────────────────┴── refused, late, faulty stream, silent client ──▶ over

import type { FieldFault } from "./field-set.ts";
import type { SharedText } from "./field-writer.ts";
import { type FixMessage, field, maybe, readNumber, rejectFields } from "./fix-codec.ts";
import { fixErrors } from "./fix-error-codes.ts";
import { MsgType, RejectCode, Tag } from "./fix-fields.ts";
import { logonMsMax, resendMsMax, resentAtOnce } from "./fix-limits.ts";
import { FixOutbox, type FixWire, type NumberRange, type SentReport } from "./fix-outbox.ts";
import { WaitingMessages } from "./waiting-messages.ts";

/** The longest time in ms that one look adds to a silence, so that a pause of this front is not the client's. */
const countedMsMax = 1_000;

/** The CompID of the venue's side, as clients of Binance spot address it. */
export const venueCompId = "SPOT";

const compIdForm = /^[a-zA-Z0-9-_]{1,8}$/;

/** What a session does with the messages that are not its own. */
export interface FixApplication {
  /** A Logon with a valid header. `accept` or `logout` of the session follows, now or later. */
  logon(message: FixMessage): void;
  /** The next message in sequence that is not the session's own. */
  take(message: FixMessage): void;
  /** The client logs out: `finishLogout` of the session follows. */
  logout(message: FixMessage): void;
  /** Counts one more resend of the account; false if it has had too many. */
  mayResend(): boolean;
  /**
   * The reports with numbers from `from` to `last`, ascending, read from the journal; or why there are none to be had. Once
   * the session is over nobody wants them.
   */
  readReports(range: NumberRange): Promise<readonly SentReport[] | string>;
  /** The session is over: it sends nothing any more. */
  ended(): void;
}

/** How a session continues numbers. */
export interface Continuation {
  /** The number of the answer to the Logon. */
  readonly first: number;
  /** The number that the client expects; null if it did not say so. */
  readonly expected: number | null;
  /** Seq of the newest event that was folded. */
  headSeq(): number;
}

type Phase = "connected" | "loggingOn" | "on" | "loggingOut" | "over";

export class FixSession {
  readonly #wire: FixWire;
  readonly #application: FixApplication;
  readonly #outbox: FixOutbox;
  #phase: Phase = "connected";
  #clientCompId = "";
  /** The number expected of the client's next message. */
  #nextIn = 1;
  /** Messages that wait for the answer to the Logon. */
  readonly #held = new WaitingMessages();
  #heartBtMs = 0;
  /** Silence of each side so far, in ms, counted by looks. */
  #heardMsAgo = 0;
  #sentMsAgo = 0;
  #lookedMs: number | null = null;
  /** Time in ms that the current resend from the journal has taken. */
  #resendingMs = 0;
  /** The answer to the client's Logout, while it waits for a resend. */
  #farewell: string | null = null;
  /** The open TestRequest's id, which any message of the client answers; empty if none is open. */
  #testReqId = "";

  constructor(wire: FixWire, application: FixApplication, clock: { nowUs(): number }) {
    this.#wire = wire;
    this.#application = application;
    this.#outbox = new FixOutbox(wire, clock, () => this.#ends);
  }

  get clientCompId(): string {
    return this.#clientCompId;
  }

  /** Number of the next message to the client, if its numbers follow from the journal; else null. */
  get continuedNext(): number | null {
    return this.#outbox.isContinued ? this.#outbox.next : null;
  }

  get isOver(): boolean {
    return this.#phase === "over";
  }

  get isOn(): boolean {
    return this.#phase === "on";
  }

  /** Whether reports are sent: from the Logon to the answer to the client's Logout, which is about what came before it. */
  get isReported(): boolean {
    return this.#phase === "on" || this.#phase === "loggingOut";
  }

  /** Handles the next message of the client. */
  take(message: FixMessage): void {
    if (this.isOver) return;
    this.#heardMsAgo = 0;
    this.#testReqId = "";
    if (this.#phase === "connected") this.#takeFirst(message);
    else if (this.#phase === "loggingOn") this.#hold(message);
    else if (this.#isAddressed(message) && this.#isInSequence(message)) this.#takeNext(message);
  }

  /**
   * Answers the Logon. `heartBtSeconds` is the interval that the client chose; `fields` follow it. Without a continuation
   * numbers begin at 1.
   */
  accept(heartBtSeconds: number, fields: string, continuation: Continuation | null = null): void {
    if (this.#phase !== "loggingOn") return;
    this.#phase = "on";
    const expected = continuation?.expected ?? null;
    if (continuation !== null)
      this.#outbox.continueAt(continuation.first, () => continuation.headSeq());
    this.#heartBtMs = 1000 * heartBtSeconds;
    this.#heardMsAgo = 0;
    this.send(
      MsgType.logon,
      field(Tag.encryptMethod, 0) +
        field(Tag.heartBtInt, heartBtSeconds) +
        maybe(Tag.nextExpectedMsgSeqNum, expected === null ? undefined : this.#nextIn) +
        fields,
    );
    // A client that says what it expects gets it without asking.
    if (continuation !== null && expected !== null && expected < continuation.first)
      void this.#sendAgain({ from: expected, last: continuation.first - 1 });
    for (const message of this.#held.takeAll()) this.take(message);
  }

  /** Sends a message with the next number. `shared` comes after `fields`. */
  send(type: string, fields: string, shared?: SharedText): void {
    if (this.#maySend(type)) this.#outbox.send(type, fields, shared);
  }

  /** Sends the report of the event with that seq in the journal. */
  report(eventSeq: number, fields: string, shared?: SharedText): void {
    if (this.#maySend(MsgType.executionReport)) this.#outbox.report(eventSeq, fields, shared);
  }

  /** Ends the session if it has no number or no room left for a message. */
  #maySend(type: string): boolean {
    if (this.isOver) return false;
    this.#sentMsAgo = 0;
    if (type === MsgType.logout || this.#outbox.hasRoom) return true;
    this.logout(
      this.#outbox.isHeld
        ? "Too many messages wait for a resend."
        : "The numbers until the venue's next event are used up.",
    );
    return false;
  }

  /** Rejects a message of the client. */
  reject(message: FixMessage, fault: FieldFault): void {
    this.send(MsgType.reject, rejectFields(message, fault));
  }

  /** Ends the session from the venue's side: sends a Logout with the reason, and closes. */
  logout(text: string): void {
    if (this.isOver) return;
    this.#outbox.release();
    this.send(MsgType.logout, field(Tag.text, text));
    this.close();
  }

  /** Answers the client's Logout, after a resend that it has asked for before, and closes. */
  finishLogout(text: string): void {
    if (this.#phase !== "loggingOut") return;
    if (this.#outbox.isHeld) this.#farewell = text;
    else this.logout(text);
  }

  /** Closes without a word; also called when the connection is gone. */
  close(): void {
    if (this.isOver) return;
    this.#phase = "over";
    this.#application.ended();
    this.#wire.end();
  }

  /** Sends the heartbeats and test requests that are due, and ends the session of a silent client. */
  look(nowMs: number): void {
    if (this.isOver) return;
    const passedMs = Math.min(Math.max(nowMs - (this.#lookedMs ?? nowMs), 0), countedMsMax);
    this.#lookedMs = nowMs;
    this.#heardMsAgo += passedMs;
    this.#sentMsAgo += passedMs;
    if (this.#phase === "connected" && this.#heardMsAgo >= logonMsMax) {
      // Nothing is said to somebody who has said nothing.
      this.close();
    }
    if (this.#outbox.isHeld) {
      // A Heartbeat or TestRequest would only wait behind the resend, which has a deadline of its own.
      this.#resendingMs += passedMs;
      this.#heardMsAgo = 0;
      if (this.#resendingMs >= resendMsMax) this.logout("A resend took too long.");
      return;
    }
    if (this.#phase !== "on") return;
    if (this.#heardMsAgo >= this.#heartBtMs) this.#test(nowMs);
    else if (this.#sentMsAgo >= this.#heartBtMs) this.send(MsgType.heartbeat, "");
  }

  #test(nowMs: number): void {
    if (this.#testReqId !== "") {
      this.logout("No Heartbeat came in time.");
      return;
    }
    this.#testReqId = String(nowMs);
    this.#heardMsAgo = 0;
    this.send(MsgType.testRequest, field(Tag.testReqId, this.#testReqId));
  }

  get #ends() {
    return { sender: venueCompId, target: this.#clientCompId || "UNKNOWN" };
  }

  #hold(message: FixMessage): void {
    if (!this.#held.add(message)) this.logout("Too many messages before the answer to the Logon.");
  }

  #takeFirst(message: FixMessage): void {
    const sender = message.get(Tag.senderCompId) ?? "";
    if (compIdForm.test(sender)) this.#clientCompId = sender;
    const text = faultOfFirst(message, sender);
    if (text === null) {
      this.#phase = "loggingOn";
      this.#nextIn = message.seq + 1;
      this.#application.logon(message);
    } else this.logout(text);
  }

  /** Whether the message names both ends as the Logon did; otherwise the session ends. */
  #isAddressed(message: FixMessage): boolean {
    const isAddressed =
      message.get(Tag.senderCompId) === this.#clientCompId &&
      message.get(Tag.targetCompId) === venueCompId;
    if (!isAddressed)
      this.logout("SenderCompID (49) and TargetCompID (56) must stay those of the Logon.");
    return isAddressed;
  }

  /**
   * Whether the message has the next number. A higher one is rejected and leaves the expected number as it is; a lower
   * one ends the session, unless it is marked as possibly sent before.
   */
  #isInSequence(message: FixMessage): boolean {
    const { seq } = message;
    if (seq === this.#nextIn) {
      this.#nextIn++;
      return true;
    }
    const isReset = message.type === MsgType.sequenceReset && message.get(Tag.gapFillFlag) !== "Y";
    if (isReset && seq > 0) return true;
    if (seq === 0) this.logout("MsgSeqNum (34) is missing or not a number.");
    else if (seq > this.#nextIn) {
      const text = `MsgSeqNum (34) must be ${this.#nextIn}.`;
      const { code } = fixErrors.number;
      this.reject(message, { reason: RejectCode.incorrectValue, tag: Tag.msgSeqNum, text, code });
    } else if (message.get(Tag.possDupFlag) !== "Y")
      this.logout(`MsgSeqNum (34) is too low: expected ${this.#nextIn}.`);
    return false;
  }

  #takeNext(message: FixMessage): void {
    const { fault } = message;
    if (fault !== null) {
      this.reject(message, fault);
      return;
    }
    switch (message.type) {
      case MsgType.heartbeat:
      case MsgType.reject:
        break;
      case MsgType.testRequest:
        this.#answerTest(message);
        break;
      case MsgType.resendRequest:
        this.#resend(message);
        break;
      case MsgType.sequenceReset:
        this.#skipTo(message);
        break;
      case MsgType.logout:
        if (this.#phase !== "on") return;
        this.#phase = "loggingOut";
        this.#application.logout(message);
        break;
      case MsgType.logon: {
        const text = "A session has one Logon.";
        const { code } = fixErrors.loggedOn;
        this.reject(message, { reason: RejectCode.other, tag: Tag.msgType, text, code });
        break;
      }
      default:
        if (this.#phase === "on") this.#application.take(message);
    }
  }

  #answerTest(message: FixMessage): void {
    const id = message.get(Tag.testReqId);
    if (id === undefined) this.#missing(message, Tag.testReqId);
    else this.send(MsgType.heartbeat, field(Tag.testReqId, id));
  }

  #missing(message: FixMessage, tag: number): void {
    const text = `Tag ${tag} is required and must be a whole number in range.`;
    const { code } = fixErrors.missingTag;
    this.reject(message, { reason: RejectCode.required, tag, text, code });
  }

  #skipTo(message: FixMessage): void {
    const next = readNumber(message.get(Tag.newSeqNo));
    if (next === null || next < this.#nextIn) this.#missing(message, Tag.newSeqNo);
    else this.#nextIn = next;
  }

  /** Answers a ResendRequest. */
  #resend(message: FixMessage): void {
    const from = readNumber(message.get(beginSeqNo));
    const end = readNumber(message.get(endSeqNo));
    const newest = this.#outbox.next - 1;
    if (from === null || from < 1 || from > newest) {
      this.#missing(message, beginSeqNo);
      return;
    }
    if (end === null || (end !== 0 && end < from)) {
      this.#missing(message, endSeqNo);
      return;
    }
    const { isContinued, isHeld, forgotten } = this.#outbox;
    const { code } = fixErrors.incorrectValue;
    const last = end === 0 ? newest : Math.min(end, newest);
    if (isHeld) {
      const text = "A resend is under way.";
      this.reject(message, { reason: RejectCode.other, tag: beginSeqNo, text, code });
    } else if (isContinued || from > forgotten) void this.#sendAgain({ from, last });
    else {
      const text = `Messages up to ${forgotten} are not kept; query your orders instead.`;
      this.reject(message, { reason: RejectCode.incorrectValue, tag: beginSeqNo, text, code });
    }
  }

  /**
   * Sends a range again, those that are not kept from the journal. It is sent in parts, so that a client that asks for much
   * does not keep others waiting. What is sent meanwhile follows it.
   */
  async #sendAgain({ from, last }: NumberRange): Promise<void> {
    if (!this.#application.mayResend()) {
      this.logout("Too many resends of this account. Log on again later.");
      return;
    }
    const outbox = this.#outbox;
    const keptFrom = outbox.forgotten + 1;
    const reports = outbox.kept({ from, last });
    this.#resendingMs = 0;
    outbox.hold();
    if (from < keptFrom) {
      const olderLast = Math.min(last, keptFrom - 1);
      const older = await this.#application.readReports({ from, last: olderLast });
      if (typeof older === "string") {
        this.logout(older);
        return;
      }
      reports.unshift(...older);
    }
    let next = from;
    for (let at = 0; at < reports.length; at += resentAtOnce) {
      if (at > 0) await this.#wire.drained();
      if (this.isOver) return;
      const part = reports.slice(at, at + resentAtOnce);
      const end = part.at(-1)?.seq ?? next;
      outbox.resend(part, { from: next, last: end });
      next = end + 1;
    }
    if (this.isOver) return;
    outbox.resend([], { from: next, last });
    outbox.release();
    if (this.#farewell !== null) this.logout(this.#farewell);
  }
}

/** BeginSeqNo and EndSeqNo of a ResendRequest; an end of 0 means all. */
const beginSeqNo = 7;
const endSeqNo = 16;

/** Why a message cannot begin a session; null if it can. */
function faultOfFirst(message: FixMessage, sender: string): string | null {
  if (message.type !== MsgType.logon) return "The first message must be a Logon.";
  if (message.fault !== null) return message.fault.text;
  if (!compIdForm.test(sender)) return "SenderCompID (49) must be 1 to 8 letters, digits, - or _.";
  if (message.get(Tag.targetCompId) !== venueCompId)
    return `TargetCompID (56) must be ${venueCompId}.`;
  const isContinued = message.get(Tag.resetSeqNumFlag) === "N";
  const isNumbered = isContinued ? message.seq > 0 : message.seq === 1;
  return isNumbered
    ? null
    : "MsgSeqNum (34) of a Logon must be 1, or with ResetSeqNumFlag (141) N a number.";
}
