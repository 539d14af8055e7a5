// Bytes of the events of funding: premium sampled, funding started, funding paid. One pair of functions
// per kind, writing at the offsets of event-layout.ts. Views are over aligned memory, `offset` is a
// multiple of 8.

import {
  EventKind,
  type FundingPaid,
  type FundingStarted,
  type PremiumSampled,
} from "../../core/events.ts";
import { readEventHeader, writeEventHeader } from "./event-header.ts";
import { fundingPaidLayout, fundingStartedLayout, premiumSampledLayout } from "./event-layout.ts";
import {
  readInt64,
  readUint53,
  writeHalfAndBytes,
  writeInt64,
  writeUint32,
  writeUint53,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

/** Writes `event` at `offset`; returns its bytes. */
function encodePremiumSampled(views: RecordViews, offset: number, event: PremiumSampled): number {
  const at = premiumSampledLayout;
  writeEventHeader(views, offset, event, at.size);
  writeInt64(views.i64, (offset + at.premium) >> 3, event.premium);
  writeHalfAndBytes(views.u32, (offset + at.market) >> 2, event.market, 0, 0);
  views.u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

/** The event at `offset`. */
function decodePremiumSampled(views: RecordViews, offset: number): PremiumSampled {
  const at = premiumSampledLayout;
  return {
    ...readEventHeader(views, offset, EventKind.premiumSampled, at.size),
    market: views.u16[(offset + at.market) >> 1] as number,
    premium: readInt64(views.i64, (offset + at.premium) >> 3),
  };
}

/** Writes `event` at `offset`; returns its bytes. */
function encodeFundingStarted(views: RecordViews, offset: number, event: FundingStarted): number {
  const at = fundingStartedLayout;
  const { u32 } = views;
  writeEventHeader(views, offset, event, at.size);
  writeInt64(views.i64, (offset + at.rate) >> 3, event.rate);
  writeUint53(u32, (offset + at.intervalUs) >> 2, event.intervalUs);
  writeUint32(u32, (offset + at.mark) >> 2, event.mark);
  writeHalfAndBytes(u32, (offset + at.market) >> 2, event.market, 0, 0);
  return at.size;
}

/** The event at `offset`. */
function decodeFundingStarted(views: RecordViews, offset: number): FundingStarted {
  const at = fundingStartedLayout;
  const { u16, u32 } = views;
  return {
    ...readEventHeader(views, offset, EventKind.fundingStarted, at.size),
    market: u16[(offset + at.market) >> 1] as number,
    rate: readInt64(views.i64, (offset + at.rate) >> 3),
    mark: u32[(offset + at.mark) >> 2] as number,
    intervalUs: readUint53(u32, (offset + at.intervalUs) >> 2),
  };
}

/** Writes `event` at `offset`; returns its bytes. */
function encodeFundingPaid(views: RecordViews, offset: number, event: FundingPaid): number {
  const at = fundingPaidLayout;
  const { u32, i64 } = views;
  writeEventHeader(views, offset, event, at.size);
  writeInt64(i64, (offset + at.amount) >> 3, event.amount);
  writeInt64(i64, (offset + at.qty) >> 3, BigInt(event.qty));
  writeInt64(i64, (offset + at.rate) >> 3, event.rate);
  writeUint32(u32, (offset + at.mark) >> 2, event.mark);
  writeHalfAndBytes(u32, (offset + at.market) >> 2, event.market, 0, 0);
  return at.size;
}

/** The event at `offset`. */
function decodeFundingPaid(views: RecordViews, offset: number): FundingPaid {
  const at = fundingPaidLayout;
  const { u16, u32, i64 } = views;
  return {
    ...readEventHeader(views, offset, EventKind.fundingPaid, at.size),
    market: u16[(offset + at.market) >> 1] as number,
    amount: readInt64(i64, (offset + at.amount) >> 3),
    qty: Number(readInt64(i64, (offset + at.qty) >> 3)),
    rate: readInt64(i64, (offset + at.rate) >> 3),
    mark: u32[(offset + at.mark) >> 2] as number,
  };
}

type FundingEvent = PremiumSampled | FundingStarted | FundingPaid;

/** Writes `event` at `offset`; returns its bytes. */
export function encodeFundingEvent(
  views: RecordViews,
  offset: number,
  event: FundingEvent,
): number {
  if (event.kind === EventKind.fundingPaid) return encodeFundingPaid(views, offset, event);
  if (event.kind === EventKind.fundingStarted) return encodeFundingStarted(views, offset, event);
  return encodePremiumSampled(views, offset, event);
}

/** The event of that kind at `offset`. */
export function decodeFundingEvent(
  views: RecordViews,
  offset: number,
  kind: FundingEvent["kind"],
): FundingEvent {
  if (kind === EventKind.fundingPaid) return decodeFundingPaid(views, offset);
  if (kind === EventKind.fundingStarted) return decodeFundingStarted(views, offset);
  return decodePremiumSampled(views, offset);
}
