// The words both Binance-style surfaces use for an order and its fees: side, type, time in force,
// status, rates.

import { formatScaled } from "../../../core/money/decimal.ts";
import {
  OrderStatus,
  OrderType,
  Side,
  StpMode,
  TimeInForce,
  tradedType,
} from "../../../core/orders.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";

export const sideWords: Readonly<Record<Side, string>> = {
  [Side.buy]: "BUY",
  [Side.sell]: "SELL",
};

export const sidesByWord = { BUY: Side.buy, SELL: Side.sell } as const;

export const timesInForceByWord = {
  GTC: TimeInForce.gtc,
  IOC: TimeInForce.ioc,
  FOK: TimeInForce.fok,
  GTX: TimeInForce.gtx,
  GTD: TimeInForce.gtd,
} as const;

const timeInForceWords: Readonly<Record<TimeInForce, string>> = {
  [TimeInForce.gtc]: "GTC",
  [TimeInForce.ioc]: "IOC",
  [TimeInForce.fok]: "FOK",
  [TimeInForce.gtx]: "GTX",
  [TimeInForce.gtd]: "GTD",
};

export const stpModesByWord = {
  NONE: StpMode.skip,
  EXPIRE_TAKER: StpMode.expireTaker,
  EXPIRE_MAKER: StpMode.expireMaker,
  EXPIRE_BOTH: StpMode.expireBoth,
  DECREMENT: StpMode.decrement,
} as const;

export const stpWords: Readonly<Record<StpMode, string>> = {
  [StpMode.skip]: "NONE",
  [StpMode.expireTaker]: "EXPIRE_TAKER",
  [StpMode.expireMaker]: "EXPIRE_MAKER",
  [StpMode.expireBoth]: "EXPIRE_BOTH",
  [StpMode.decrement]: "DECREMENT",
};

/** Binance shows GTC for types that have no time in force of their own. */
export function timeInForceWord({ type, timeInForce }: OrderRecord): string {
  return tradedType(type) === OrderType.limit ? timeInForceWords[timeInForce] : "GTC";
}

/** NEW and PARTIALLY_FILLED are one state inside: open. */
export function statusWord({ status, filledQty }: OrderRecord): string {
  switch (status) {
    case OrderStatus.open:
      return filledQty > 0 ? "PARTIALLY_FILLED" : "NEW";
    case OrderStatus.filled:
      return "FILLED";
    case OrderStatus.cancelled:
      return "CANCELED";
    case OrderStatus.expired:
      return "EXPIRED";
    case OrderStatus.expiredInMatch:
      return "EXPIRED_IN_MATCH";
  }
}

/** Milliseconds of microseconds. */
export function msOf(us: number): number {
  return Math.floor(us / 1000);
}

/** Basis points as a rate with eight decimals. */
export function rateText(bps: number): string {
  return formatScaled(bps * 10_000, 8);
}
