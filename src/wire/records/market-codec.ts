// Bytes of the commands and events about markets: that one is added, and whether it trades. At the offsets
// of the two layouts.

import { type AddMarket, CommandKind, type SetMarketStatus } from "../../core/commands.ts";
import { MarketStatus } from "../../core/markets.ts";
import { readCommandHeader, writeCommandHeader } from "./command-header.ts";
import { addMarketLayout, setMarketStatusLayout } from "./command-layout.ts";
import {
  highestCode,
  readCode,
  readInt64,
  writeInt64,
  writeUint8,
  writeUint16,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

const highestStatus = highestCode(MarketStatus);

/** Writes `command` at `offset`; returns its bytes. */
export function encodeAddMarket(views: RecordViews, offset: number, command: AddMarket): number {
  const at = addMarketLayout;
  writeCommandHeader(views, offset, command, 0);
  writeInt64(views.i64, (offset + at.termsHigh) >> 3, command.termsHigh);
  writeInt64(views.i64, (offset + at.termsLow) >> 3, command.termsLow);
  writeUint16(views.u16, (offset + at.market) >> 1, command.market);
  writeUint8(views.u8, offset + at.status, command.status);
  return at.size;
}

/** The command at `offset`. */
export function decodeAddMarket(views: RecordViews, offset: number): AddMarket {
  const at = addMarketLayout;
  return {
    ...readCommandHeader(views, offset, CommandKind.addMarket),
    market: views.u16[(offset + at.market) >> 1] as number,
    status: readCode<MarketStatus>(views.u8, offset + at.status, highestStatus),
    termsHigh: readInt64(views.i64, (offset + at.termsHigh) >> 3),
    termsLow: readInt64(views.i64, (offset + at.termsLow) >> 3),
  };
}

/** Writes `command` at `offset`; returns its bytes. */
export function encodeSetMarketStatus(
  views: RecordViews,
  offset: number,
  command: SetMarketStatus,
): number {
  const at = setMarketStatusLayout;
  writeCommandHeader(views, offset, command, 0);
  writeUint16(views.u16, (offset + at.market) >> 1, command.market);
  writeUint8(views.u8, offset + at.status, command.status);
  return at.size;
}

/** The command at `offset`. */
export function decodeSetMarketStatus(views: RecordViews, offset: number): SetMarketStatus {
  const at = setMarketStatusLayout;
  return {
    ...readCommandHeader(views, offset, CommandKind.setMarketStatus),
    market: views.u16[(offset + at.market) >> 1] as number,
    status: readCode<MarketStatus>(views.u8, offset + at.status, highestStatus),
  };
}
