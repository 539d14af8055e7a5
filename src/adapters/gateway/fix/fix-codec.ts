// FIX messages from and to bytes: `tag=value` fields, each ended by SOH, between a header with the length and a trailer
// with the checksum. A stream whose framing is broken cannot be read any further; a fault within a message is reported
// with the message, which still has its sequence number. Spec FIX-3, FIX-4.

import { type FieldFault, FieldSet } from "./field-set.ts";
import { FieldWriter, type SharedText } from "./field-writer.ts";
import { fixErrors } from "./fix-error-codes.ts";
import { MsgType, RejectCode, Tag } from "./fix-fields.ts";
import { type EntryShape, groupsOf } from "./fix-groups.ts";
import { bodyBytesMax } from "./fix-limits.ts";

/** Most fields of a message. */
const fieldsMax = 128;

const soh = "\x01";
const sohByte = 1;
const zeroByte = 48;
const head = Buffer.from(`8=FIX.4.4${soh}9=`, "latin1");
const trailerHead = Buffer.from("10=", "latin1");
/** Digits of BodyLength; clients pad it with zeros. */
const lengthDigitsMax = 9;
/** Shortest body: `35=0` and SOH. */
const bodyBytesMin = 5;
/** Bytes of the trailer: `10=`, three digits, SOH. */
const trailerBytes = 7;
const printable = /^[ -~]+$/;
const tagDigitsMax = 6;

/** A group whose entries are being read. */
interface OpenGroup {
  readonly countTag: number;
  readonly shape: EntryShape;
  readonly entries: FieldSet[];
  readonly count: number;
}

const countForm = /^\d{1,3}$/;

export class FixMessage extends FieldSet {
  /** Length of the body. */
  characters = 0;
  /** The first fault of its fields; null if there is none. */
  fault: FieldFault | null = null;
  #count = 0;
  /** The groups that its type has. */
  #shapes: ReturnType<typeof groupsOf>;
  /** The groups around the next field, the innermost last. */
  readonly #open: OpenGroup[] = [];

  /** Reads the body of a message, from MsgType up to the checksum. */
  static read(body: string): FixMessage {
    const message = new FixMessage();
    message.characters = body.length;
    let from = 0;
    while (from < body.length) from = message.#take(body, from);
    while (message.#open.length > 0) message.#closeGroup();
    if (!body.startsWith("35=")) {
      const text = "MsgType (35) must be the third field of the message.";
      const { code } = fixErrors.outOfOrder;
      message.#blame({ reason: RejectCode.outOfOrder, tag: Tag.msgType, text, code });
    }
    return message;
  }

  get type(): string {
    return this.get(Tag.msgType) ?? "";
  }

  /** MsgSeqNum; 0 if it is missing or not a number. */
  get seq(): number {
    return readNumber(this.get(Tag.msgSeqNum)) ?? 0;
  }

  /** Takes the field at `from`; returns where the next one begins. */
  #take(body: string, from: number): number {
    let end = body.indexOf(soh, from);
    if (end < 0) end = body.length;
    let tag = 0;
    let equals = from;
    for (; equals < end && equals <= from + tagDigitsMax; equals++) {
      const digit = body.charCodeAt(equals) - zeroByte;
      if (digit < 0 || digit > 9 || (tag === 0 && equals > from)) break;
      tag = 10 * tag + digit;
    }
    if (tag > 0 && body[equals] === "=" && equals <= from + tagDigitsMax)
      this.#add(tag, body.slice(equals + 1, end));
    else {
      const text = "A field must be a tag number, '=' and a value.";
      const { code } = fixErrors.invalidTag;
      this.#blame({ reason: RejectCode.invalidTag, tag: 0, text, code });
    }
    return end + 1;
  }

  #add(tag: number, value: string): void {
    if (!printable.test(value)) {
      const text = `Tag ${tag} has no value or one that is not printable ASCII.`;
      const { code } = fixErrors.incorrectValue;
      this.#blame({ reason: RejectCode.incorrectFormat, tag, text, code });
    } else if (this.#count >= fieldsMax) {
      const { code } = fixErrors.tooManyFields;
      const text = `More than ${fieldsMax} fields.`;
      this.#blame({ reason: RejectCode.other, tag: 0, text, code });
    } else {
      this.#count++;
      this.#place(tag, value);
    }
  }

  /** Puts a field where it belongs: into the message, or into an entry of the group that is being read. */
  #place(tag: number, value: string): void {
    while (this.#open.length > 0 && this.#open.at(-1)?.shape.members.has(tag) === false)
      this.#closeGroup(` before tag ${tag}`);
    const group = this.#open.at(-1);
    if (group !== undefined && tag === group.shape.first) group.entries.push(new FieldSet());
    const set: FieldSet | undefined = group === undefined ? this : group.entries.at(-1);
    if (set === undefined) {
      const text = `Tag ${tag} is before the first field of its group, ${group?.shape.first}.`;
      const { code } = fixErrors.groupOutOfOrder;
      this.#blame({ reason: RejectCode.groupOutOfOrder, tag, text, code });
    } else if (set.get(tag) !== undefined) {
      const text = `Tag ${tag} appears more than once.`;
      const { code } = fixErrors.repeatedTag;
      this.#blame({ reason: RejectCode.repeated, tag, text, code });
    } else {
      set.keep(tag, value);
      if (tag === Tag.msgType) this.#shapes ??= groupsOf(value);
      const shapes = group === undefined ? this.#shapes : group.shape.groups;
      const shape = shapes?.get(tag);
      if (shape !== undefined) this.#openGroup(set, shape, { tag, value });
    }
  }

  #openGroup(
    set: FieldSet,
    shape: EntryShape,
    { tag, value }: { readonly tag: number; readonly value: string },
  ): void {
    if (!countForm.test(value)) {
      const text = `Tag ${tag} must be a number of entries.`;
      const { code } = fixErrors.incorrectValue;
      this.#blame({ reason: RejectCode.incorrectFormat, tag, text, code });
    }
    const entries = set.begin(tag);
    this.#open.push({ countTag: tag, shape, entries, count: Number(value) });
  }

  /** `where` says which field has ended the group: it may be one that does not belong in the message. */
  #closeGroup(where = ""): void {
    const group = this.#open.pop();
    if (group === undefined || group.entries.length === group.count) return;
    const { countTag: tag, entries } = group;
    const text = `Tag ${tag} does not say how many entries follow${where}: ${entries.length}.`;
    const { code } = fixErrors.groupCount;
    this.#blame({ reason: RejectCode.groupCount, tag, text, code });
  }

  #blame(fault: FieldFault): void {
    this.fault ??= fault;
  }
}

const noBytes = Buffer.alloc(0);

/** Cuts a stream of bytes into messages. It holds at most one message that has not arrived completely. */
export class FixDecoder {
  #rest: Buffer = noBytes;

  /**
   * Takes the next bytes and passes each complete message to `each`, as long as `goesOn`. Returns why the stream cannot
   * be read any further, or null.
   */
  take(bytes: Buffer, each: (message: FixMessage) => void, goesOn: () => boolean): string | null {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let at = 0;
    while (at < all.length && goesOn()) {
      const frame = frameAt(all, at);
      if (typeof frame === "string") return frame;
      if (frame === null) break;
      each(FixMessage.read(all.toString("latin1", frame.from, frame.to)));
      at = frame.to + trailerBytes;
    }
    // Copied, so that a few bytes do not keep a whole chunk in memory.
    this.#rest = at === all.length ? noBytes : Buffer.from(all.subarray(at));
    return null;
  }
}

/** Where the body of a message is. */
interface Frame {
  readonly from: number;
  readonly to: number;
}

/** The body of the message at `at`; null if it has not arrived completely, or why it is not a message. */
function frameAt(bytes: Buffer, at: number): Frame | string | null {
  const seen = Math.min(head.length, bytes.length - at);
  for (let index = 0; index < seen; index++)
    if (bytes[at + index] !== head[index])
      return "A message must begin with BeginString (8) FIX.4.4 and BodyLength (9).";
  let length = 0;
  let end = at + head.length;
  for (; end < bytes.length && bytes[end] !== sohByte; end++) {
    const digit = digitAt(bytes, end);
    if (digit < 0 || end - at - head.length >= lengthDigitsMax) return wrongLength;
    length = 10 * length + digit;
  }
  if (end >= bytes.length) return null;
  if (length < bodyBytesMin || length > bodyBytesMax) return wrongLength;
  const from = end + 1;
  const to = from + length;
  return bytes.length < to + trailerBytes ? null : checked(bytes, at, { from, to });
}

const wrongLength = `BodyLength (9) must be a number from ${bodyBytesMin} to ${bodyBytesMax}.`;

/** The digit at `at`; -1 if there is none. */
function digitAt(bytes: Buffer, at: number): number {
  const digit = (bytes[at] ?? 0) - zeroByte;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

/** The body of the message at `at`, if the trailer is behind it and has the right checksum. */
function checked(bytes: Buffer, at: number, frame: Frame): Frame | string {
  const { to } = frame;
  let isTrailer = bytes[to - 1] === sohByte && bytes[to + trailerBytes - 1] === sohByte;
  for (let index = 0; index < trailerHead.length; index++)
    isTrailer &&= bytes[to + index] === trailerHead[index];
  let said = 0;
  for (let index = to + trailerHead.length; index < to + trailerBytes - 1; index++) {
    const digit = digitAt(bytes, index);
    isTrailer &&= digit >= 0;
    said = 10 * said + digit;
  }
  if (!isTrailer) return "BodyLength (9) is wrong: the trailer is not where it says.";
  let sum = 0;
  for (let index = at; index < to; index++) sum += bytes[index] ?? 0;
  return said === sum % 256 ? frame : "CheckSum (10) is wrong.";
}

/** One field. Characters that FIX does not allow become question marks. */
export function field(tag: number, value: string | number): string {
  const isPrintable = typeof value === "number" || printable.test(value);
  return plain(tag, isPrintable ? value : value.replace(/[^ -~]/g, "?"));
}

/** One field whose value the venue has made: figures, codes, times, symbols. It is not looked at. */
export function plain(tag: number, value: string | number): string {
  return `${tag}=${value}${soh}`;
}

/** One field, or none if the value is undefined. */
export function maybe(tag: number, value: string | number | undefined): string {
  return value === undefined ? "" : field(tag, value);
}

/** The fields of a Reject of a message. */
export function rejectFields(
  { seq, type }: FixMessage,
  { reason, tag, text, code }: FieldFault,
): string {
  return (
    maybe(Tag.refSeqNum, seq || undefined) +
    maybe(Tag.refTagId, tag || undefined) +
    maybe(Tag.refMsgType, type || undefined) +
    field(Tag.sessionRejectReason, reason) +
    field(Tag.errorCode, code) +
    field(Tag.text, text)
  );
}

export interface FixHead {
  readonly sender: string;
  readonly target: string;
  readonly seq: number;
  readonly sentUs: number;
  /** When the message was sent first, in Unix microseconds; only if it is sent again. */
  readonly firstSentUs?: number;
}

/** The fields of a text that many sessions send. */
export function sharedText(text: string): SharedText {
  return { text, sum: sumOf(text) };
}

const noText: SharedText = { text: "", sum: 0 };

/** The sum of a text's bytes. They are read from a buffer, because each character of a text of many pieces costs more. */
function sumOf(text: string): number {
  const isShort = text.length <= scratch.length;
  const bytes = isShort ? scratch : Buffer.from(text, "latin1");
  if (isShort) scratch.write(text, "latin1");
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum += bytes[index] ?? 0;
  return sum;
}

const scratch = Buffer.allocUnsafeSlow(bodyBytesMax);

const headWriter = new FieldWriter();

/** A complete message. `fields` is a text of fields; `shared` comes after it. */
export function encodeFix(
  type: string,
  fields: string,
  { sender, target, seq, sentUs, firstSentUs }: FixHead,
  shared: SharedText = noText,
): string {
  headWriter.begin();
  headWriter.text(Tag.msgType, type);
  headWriter.whole(Tag.msgSeqNum, seq);
  headWriter.text(Tag.senderCompId, sender);
  headWriter.time(Tag.sendingTime, sentUs);
  headWriter.text(Tag.targetCompId, target);
  if (firstSentUs !== undefined) {
    headWriter.text(Tag.possDupFlag, "Y");
    headWriter.time(Tag.origSendingTime, firstSentUs);
  }
  const own = headWriter.take();
  const length = own.text.length + fields.length + shared.text.length;
  const begin = `8=FIX.4.4${soh}9=${length}${soh}`;
  const sum = sumOf(begin) + own.sum + sumOf(fields) + shared.sum;
  const checkSum = String(sum % 256).padStart(3, "0");
  return `${begin}${own.text}${fields}${shared.text}10=${checkSum}${soh}`;
}

/** A number of a message as a client sends it; null if it is not one. */
export function readNumber(text: string | undefined): number | null {
  const number = text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : null;
}

const timeForm =
  /^(\d{4})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])-((?:[01]\d|2[0-3])(?::[0-5]\d){2})(?:\.(\d{3})(\d{3})?)?$/;

/** Whether a text has the form of a UTCTIMESTAMP. */
export function isUtcTime(text: string): boolean {
  return timeForm.test(text);
}

/** A UTCTIMESTAMP in Unix microseconds; null if it is not one. */
export function readUtcTime(text: string): number | null {
  const parts = timeForm.exec(text);
  if (parts === null) return null;
  const [, year, month, day, time, ms = "000", us = "000"] = parts;
  const unixMs = Date.parse(`${year}-${month}-${day}T${time}.${ms}Z`);
  return Number.isNaN(unixMs) ? null : unixMs * 1000 + Number(us);
}

/** Whether a message belongs to the session itself; such messages are not sent again, and neither is market data. */
export function isSessionMessage(type: string): boolean {
  return sessionTypes.has(type);
}

const sessionTypes: ReadonlySet<string> = new Set([
  MsgType.instrumentList,
  MsgType.marketDataSnapshot,
  MsgType.marketDataRefresh,
  MsgType.marketDataReject,
  MsgType.heartbeat,
  MsgType.testRequest,
  MsgType.resendRequest,
  MsgType.reject,
  MsgType.sequenceReset,
  MsgType.logout,
  MsgType.logon,
]);
