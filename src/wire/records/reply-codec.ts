// Replies to bytes and back: from clearing, by way of the journal, to the front that asked.
//
//   0        2        4             8         16
//   ┌────────┬────────┬─────────────┬─────────┬─────────┐
//   │ source │ reason │ correlation │ lastSeq │ subject │   one fixed record of 24 bytes
//   │ u16    │ u16    │ u32         │ f64     │ f64     │
//   └────────┴────────┴─────────────┴─────────┴─────────┘
//
// The highest bit of the reason says that the answer repeats an earlier one.

import { assert } from "../../core/assert.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { Reply } from "../../core/replies.ts";
import { readSafeInteger, writeSafeInteger, writeUint16, writeUint32 } from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

const at = { source: 0, reason: 2, correlation: 4, lastSeq: 8, subject: 16 } as const;

/** Bytes of every reply. */
export const replyBytes = 24;

const repeatedBit = 0x8000;

const reasons: ReadonlySet<number> = new Set(Object.values(RejectReason));

/** A reply to decode into. */
export function emptyReply(): Reply {
  const nothing = { reason: RejectReason.none, lastSeq: 0, subject: 0, isRepeated: false };
  return { source: 0, correlation: 0, ...nothing };
}

/** Writes `reply` into `replyBytes` at byte `offset` (a multiple of 8). */
export function encodeReply(views: RecordViews, offset: number, reply: Reply): void {
  writeUint16(views.u16, (offset + at.source) >> 1, reply.source);
  const reason = reply.isRepeated ? reply.reason | repeatedBit : reply.reason;
  writeUint16(views.u16, (offset + at.reason) >> 1, reason);
  writeUint32(views.u32, (offset + at.correlation) >> 2, reply.correlation);
  writeSafeInteger(views.f64, (offset + at.lastSeq) >> 3, reply.lastSeq);
  writeSafeInteger(views.f64, (offset + at.subject) >> 3, reply.subject);
}

/** Reads the reply of `length` bytes at `offset` into `into`; asserts length and a listed reason. */
export function decodeReply(views: RecordViews, offset: number, length: number, into: Reply): void {
  assert(length === replyBytes, "a reply has its length");
  const word = views.u16[(offset + at.reason) >> 1] as number;
  const reason = (word & ~repeatedBit) as RejectReason;
  assert(reasons.has(reason), "a listed reason");
  into.source = views.u16[(offset + at.source) >> 1] as number;
  into.reason = reason;
  into.isRepeated = (word & repeatedBit) !== 0;
  into.correlation = views.u32[(offset + at.correlation) >> 2] as number;
  into.lastSeq = readSafeInteger(views.f64, (offset + at.lastSeq) >> 3);
  into.subject = readSafeInteger(views.f64, (offset + at.subject) >> 3);
}

/** The source that the reply at `start` of any memory is for: all that forwarding it takes. */
export function replySource(bytes: Uint8Array, start: number): number {
  return (bytes[start + at.source] as number) | ((bytes[start + at.source + 1] as number) << 8);
}

/** Events and replies share rings; the length tells them apart, because every event is longer. */
export function isReplyLength(length: number): boolean {
  return length === replyBytes;
}
