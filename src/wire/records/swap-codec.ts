// Bytes of the command and the event about a step of a swap, at the offsets of the two layouts.

import { CommandKind, type RecordSwapMove } from "../../core/commands.ts";
import { Side } from "../../core/orders.ts";
import { SwapReason, SwapState } from "../../core/swaps.ts";
import { readCommandHeader, writeCommandHeader } from "./command-header.ts";
import { recordSwapMoveLayout } from "./command-layout.ts";
import {
  highestCode,
  readCode,
  readInt64,
  readSafeInteger,
  writeInt64,
  writeSafeInteger,
  writeUint8,
  writeUint16,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

const highestSide = highestCode(Side);
const highestState = highestCode(SwapState);
const highestReason = highestCode(SwapReason);

/** Writes `command` at `offset`; returns its bytes. */
export function encodeRecordSwapMove(
  views: RecordViews,
  offset: number,
  command: RecordSwapMove,
): number {
  const { u8, u16, i64, f64 } = views;
  const at = recordSwapMoveLayout;
  writeCommandHeader(views, offset, command, 0);
  writeSafeInteger(f64, (offset + at.moveNo) >> 3, command.moveNo);
  writeSafeInteger(f64, (offset + at.swapNo) >> 3, command.swapNo);
  writeSafeInteger(f64, (offset + at.price) >> 3, command.price);
  writeSafeInteger(f64, (offset + at.lots) >> 3, command.lots);
  writeInt64(i64, (offset + at.digestHigh) >> 3, command.digestHigh);
  writeInt64(i64, (offset + at.digestLow) >> 3, command.digestLow);
  writeUint16(u16, (offset + at.market) >> 1, command.market);
  writeUint8(u8, offset + at.side, command.side);
  writeUint8(u8, offset + at.from, command.from);
  writeUint8(u8, offset + at.to, command.to);
  writeUint8(u8, offset + at.reason, command.reason);
  return at.size;
}

/** The command at `offset`. */
export function decodeRecordSwapMove(views: RecordViews, offset: number): RecordSwapMove {
  const { u8, u16, i64, f64 } = views;
  const at = recordSwapMoveLayout;
  return {
    ...readCommandHeader(views, offset, CommandKind.recordSwapMove),
    moveNo: readSafeInteger(f64, (offset + at.moveNo) >> 3),
    swapNo: readSafeInteger(f64, (offset + at.swapNo) >> 3),
    price: readSafeInteger(f64, (offset + at.price) >> 3),
    lots: readSafeInteger(f64, (offset + at.lots) >> 3),
    digestHigh: readInt64(i64, (offset + at.digestHigh) >> 3),
    digestLow: readInt64(i64, (offset + at.digestLow) >> 3),
    market: u16[(offset + at.market) >> 1] as number,
    side: readCode(u8, offset + at.side, highestSide),
    from: readCode(u8, offset + at.from, highestState),
    to: readCode(u8, offset + at.to, highestState),
    reason: readCode(u8, offset + at.reason, highestReason),
  };
}
