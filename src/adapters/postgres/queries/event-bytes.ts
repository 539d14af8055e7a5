// Numbers as they are in the bodies of events, and the conditions by which indexes over the journal find them. A condition
// must have the words of its index (sql), or PostgreSQL reads the whole journal.

import { EventKind } from "../../../core/generated/events.ts";
import { matchPreventedLayout } from "../../../wire/generated/event-layout.ts";

const { matchPrevented } = EventKind;

/** Returns the eight bytes of an order's id: in hex, lowest byte first. */
export function idBytes(orderId: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(orderId));
  return bytes.toString("hex");
}

/** Returns the four bytes of an account's number: in hex, lowest byte first. */
export function accountBytes(account: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(account);
  return bytes.toString("hex");
}

/** SQL of the incoming order of a match that self-trade prevention stopped: `= ` and the bytes of an id follow it. */
export const preventedTaker = preventedOrder(matchPreventedLayout.takerOrderId);

/** The same: its resting order. */
export const preventedMaker = preventedOrder(matchPreventedLayout.makerOrderId);

function preventedOrder(at: number): string {
  return `kind = ${matchPrevented} and substring(body from ${at + 1} for 8)`;
}
