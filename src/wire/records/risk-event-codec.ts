// Bytes of the events of liquidations: stages, payments of the insurance fund, positions that move, the
// gate of trading. Written at the offsets of event-layout.ts; views are over aligned memory, `offset` is
// a multiple of 8.

import { unreachable } from "../../core/assert.ts";
import {
  EventKind,
  type FundHourSet,
  type InsuranceSettled,
  type LiquidationStaged,
  type PositionMoved,
  type TradingGateSet,
} from "../../core/events.ts";
import {
  InsuranceCause,
  LiquidationStage,
  MoveCause,
  TradingGate,
} from "../../core/liquidation.ts";
import { readEventHeader, writeEventHeader } from "./event-header.ts";
import {
  fundHourSetLayout,
  insuranceSettledLayout,
  liquidationStagedLayout,
  positionMovedLayout,
  tradingGateSetLayout,
} from "./event-layout.ts";
import {
  highestCode,
  readCode,
  readFlag,
  readInt64,
  readUint53,
  writeBytes,
  writeFlag,
  writeHalfAndBytes,
  writeInt64,
  writeUint32,
  writeUint53,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

const highestStage = highestCode(LiquidationStage);
const highestInsuranceCause = highestCode(InsuranceCause);
const highestMoveCause = highestCode(MoveCause);
const highestGate = highestCode(TradingGate);

type RiskEvent =
  | LiquidationStaged
  | InsuranceSettled
  | PositionMoved
  | TradingGateSet
  | FundHourSet;

/** Writes `event` at `offset`; returns its bytes. */
export function encodeRiskEvent(views: RecordViews, offset: number, event: RiskEvent): number {
  switch (event.kind) {
    case EventKind.liquidationStaged:
      return encodeLiquidationStaged(views, offset, event);
    case EventKind.insuranceSettled:
      return encodeInsuranceSettled(views, offset, event);
    case EventKind.positionMoved:
      return encodePositionMoved(views, offset, event);
    case EventKind.tradingGateSet:
      return encodeTradingGateSet(views, offset, event);
    case EventKind.fundHourSet:
      return encodeFundHourSet(views, offset, event);
    default:
      return unreachable(event);
  }
}

/** The event of `kind` at `offset`. */
export function decodeRiskEvent(
  views: RecordViews,
  offset: number,
  kind: RiskEvent["kind"],
): RiskEvent {
  switch (kind) {
    case EventKind.liquidationStaged:
      return decodeLiquidationStaged(views, offset);
    case EventKind.insuranceSettled:
      return decodeInsuranceSettled(views, offset);
    case EventKind.positionMoved:
      return decodePositionMoved(views, offset);
    case EventKind.tradingGateSet:
      return decodeTradingGateSet(views, offset);
    case EventKind.fundHourSet:
      return decodeFundHourSet(views, offset);
    default:
      return unreachable(kind);
  }
}

function encodeLiquidationStaged(
  views: RecordViews,
  offset: number,
  event: LiquidationStaged,
): number {
  const at = liquidationStagedLayout;
  const { u32 } = views;
  writeEventHeader(views, offset, event, at.size);
  writeUint53(u32, (offset + at.nextUs) >> 2, event.nextUs);
  writeBytes(u32, (offset + at.stage) >> 2, event.stage, event.dryTries, 0, 0);
  u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

function decodeLiquidationStaged(views: RecordViews, offset: number): LiquidationStaged {
  const at = liquidationStagedLayout;
  const { u8, u32 } = views;
  return {
    ...readEventHeader(views, offset, EventKind.liquidationStaged, at.size),
    stage: readCode(u8, offset + at.stage, highestStage),
    dryTries: u8[offset + at.dryTries] as number,
    nextUs: readUint53(u32, (offset + at.nextUs) >> 2),
  };
}

function encodeInsuranceSettled(
  views: RecordViews,
  offset: number,
  event: InsuranceSettled,
): number {
  const at = insuranceSettledLayout;
  writeEventHeader(views, offset, event, at.size);
  writeInt64(views.i64, (offset + at.amount) >> 3, event.amount);
  writeHalfAndBytes(views.u32, (offset + at.market) >> 2, event.market, event.cause, 0);
  views.u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

function decodeInsuranceSettled(views: RecordViews, offset: number): InsuranceSettled {
  const at = insuranceSettledLayout;
  return {
    ...readEventHeader(views, offset, EventKind.insuranceSettled, at.size),
    market: views.u16[(offset + at.market) >> 1] as number,
    amount: readInt64(views.i64, (offset + at.amount) >> 3),
    cause: readCode(views.u8, offset + at.cause, highestInsuranceCause),
  };
}

function encodePositionMoved(views: RecordViews, offset: number, event: PositionMoved): number {
  const at = positionMovedLayout;
  const { u32, i64 } = views;
  writeEventHeader(views, offset, event, at.size);
  writeInt64(i64, (offset + at.qty) >> 3, BigInt(event.qty));
  writeInt64(i64, (offset + at.value) >> 3, event.value);
  writeInt64(i64, (offset + at.pnl) >> 3, event.pnl);
  writeInt64(i64, (offset + at.counterpartyPnl) >> 3, event.counterpartyPnl);
  writeUint32(u32, (offset + at.counterparty) >> 2, event.counterparty);
  writeUint32(u32, (offset + at.price) >> 2, event.price);
  writeHalfAndBytes(u32, (offset + at.market) >> 2, event.market, event.cause, 0);
  u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

function decodePositionMoved(views: RecordViews, offset: number): PositionMoved {
  const at = positionMovedLayout;
  const { u8, u16, u32, i64 } = views;
  return {
    ...readEventHeader(views, offset, EventKind.positionMoved, at.size),
    counterparty: u32[(offset + at.counterparty) >> 2] as number,
    market: u16[(offset + at.market) >> 1] as number,
    qty: Number(readInt64(i64, (offset + at.qty) >> 3)),
    value: readInt64(i64, (offset + at.value) >> 3),
    price: u32[(offset + at.price) >> 2] as number,
    pnl: readInt64(i64, (offset + at.pnl) >> 3),
    counterpartyPnl: readInt64(i64, (offset + at.counterpartyPnl) >> 3),
    cause: readCode(u8, offset + at.cause, highestMoveCause),
  };
}

function encodeTradingGateSet(views: RecordViews, offset: number, event: TradingGateSet): number {
  const at = tradingGateSetLayout;
  writeEventHeader(views, offset, event, at.size);
  writeInt64(views.i64, (offset + at.fundEquity) >> 3, event.fundEquity);
  writeBytes(views.u32, (offset + at.gate) >> 2, event.gate, 0, 0, 0);
  views.u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

function decodeTradingGateSet(views: RecordViews, offset: number): TradingGateSet {
  const at = tradingGateSetLayout;
  return {
    ...readEventHeader(views, offset, EventKind.tradingGateSet, at.size),
    gate: readCode(views.u8, offset + at.gate, highestGate),
    fundEquity: readInt64(views.i64, (offset + at.fundEquity) >> 3),
  };
}

function encodeFundHourSet(views: RecordViews, offset: number, event: FundHourSet): number {
  const at = fundHourSetLayout;
  const { u8, u32 } = views;
  writeEventHeader(views, offset, event, at.size);
  writeInt64(views.i64, (offset + at.worth) >> 3, event.worth);
  writeUint53(u32, (offset + at.sinceUs) >> 2, event.sinceUs);
  writeHalfAndBytes(u32, (offset + at.market) >> 2, event.market, 0, 0);
  writeFlag(u8, offset + at.isPaused, event.isPaused);
  u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

function decodeFundHourSet(views: RecordViews, offset: number): FundHourSet {
  const at = fundHourSetLayout;
  return {
    ...readEventHeader(views, offset, EventKind.fundHourSet, at.size),
    market: views.u16[(offset + at.market) >> 1] as number,
    sinceUs: readUint53(views.u32, (offset + at.sinceUs) >> 2),
    worth: readInt64(views.i64, (offset + at.worth) >> 3),
    isPaused: readFlag(views.u8, offset + at.isPaused),
  };
}
