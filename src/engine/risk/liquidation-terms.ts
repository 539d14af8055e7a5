// Computes the terms of a liquidation: a position's value at the bankruptcy price, the lots to close, and the worst
// acceptable price.

import { assert } from "../../core/assert.ts";
import {
  clearanceFeeBps,
  liquidationBandBps,
  qtyLotsMax,
  safeMaintenancePercent,
} from "../../core/limits.ts";
import { divCeil, meanTicks, type TickLot } from "../../core/money/amounts.ts";
import type { MarginPosition, MarginStatus } from "./margin-status.ts";

const bps = 10_000n;

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/**
 * The signed value at which the position must change hands so that the account ends with exactly zero cash: each
 * position takes a share of the account's equity (its debt if negative) in proportion to its value, and the last
 * position also takes the rounding remainder. 0 if the value would have the other sign. Spec RSK-6.
 */
export function bankruptcyValue(status: MarginStatus, position: MarginPosition): bigint {
  const total = status.positions.reduce((sum, { value }) => sum + magnitude(value), 0n);
  const isOnly = status.positions.length === 1;
  const weight = magnitude(position.value);
  const share = isOnly || total === 0n ? status.equity : (status.equity * weight) / total;
  const value = position.value - share;
  return value > 0n === position.qty > 0 ? value : 0n;
}

/** The part of `value` that belongs to `lots` of a position of `qty` lots, rounded toward zero. */
export function shareOf(value: bigint, lots: number, qty: number): bigint {
  const whole = Math.abs(qty);
  assert(
    lots >= 0 && lots <= whole,
    "the lots of a share must be between 0 and the whole quantity",
  );
  return lots === whole ? value : (value * BigInt(lots)) / BigInt(whole);
}

/** The price in ticks at which `lots` have this value, rounded like a mean price. */
export function priceOf(value: bigint, lots: number, tickLot: TickLot): number {
  assert(lots > 0, "the quantity of a mean price must be positive");
  return Number(meanTicks(magnitude(value), lots, tickLot));
}

/**
 * Lots to close at the mark so that afterwards, with fees paid, the account's equity is 125 % of its maintenance; the
 * whole position if no part of it is enough. At least 1. Spec RSK-4.
 */
export function lotsToClose(status: MarginStatus, position: MarginPosition): number {
  const size = Math.abs(position.qty);
  assert(size > 0, "a position to close must be open");
  const safe = (status.maintenance * safeMaintenancePercent) / 100n;
  const own = (position.maintenance * safeMaintenancePercent) / 100n;
  const fees = BigInt(position.market.takerFeeBps + clearanceFeeBps);
  // Closing the whole position frees `own` and costs the fees; closing a part of it has the same part of this effect.
  const freed = own - (magnitude(position.value) * fees) / bps;
  const missing = safe - status.equity;
  const lots = freed > 0n && missing > 0n ? divCeil(missing * BigInt(size), freed) : BigInt(size);
  return Math.min(Number(lots > BigInt(size) ? BigInt(size) : lots), qtyLotsMax);
}

/**
 * The worst price in ticks of a liquidation order: within the band around the mark, and such that closing the whole
 * position at this price would leave no debt after the trade's fee. 0 if no price qualifies. Asserts a mark. Spec
 * RSK-5.
 */
export function liquidationOrderPrice(status: MarginStatus, position: MarginPosition): number {
  const { qty, mark, market } = position;
  assert(mark > 0, "a position to close must have a mark");
  assert(qty !== 0, "a position to close must be open");
  const { units, parts } = market.tickLot;
  const lots = BigInt(Math.abs(qty)) * BigInt(units);
  const fee = BigInt(market.takerFeeBps);
  const bankrupt = magnitude(bankruptcyValue(status, position)) * bps * BigInt(parts);
  if (qty > 0) {
    const bound = Number(divCeil(bankrupt, lots * (bps - fee)));
    const band = Math.ceil((mark * (10_000 - liquidationBandBps)) / 10_000);
    const price = Math.max(bound, band, 1);
    return price <= market.priceTicksMax ? price : 0;
  }
  const bound = bankrupt / (lots * (bps + fee));
  const band = Math.floor((mark * (10_000 + liquidationBandBps)) / 10_000);
  const cap = Math.min(Math.max(band, mark), market.priceTicksMax);
  return bound < BigInt(cap) ? Number(bound) : cap;
}

/**
 * The worst price in ticks, within `bandBps` of `around`, at which the insurance fund closes a position that it took
 * over.
 */
export function fundPrice(
  { qty, market }: MarginPosition,
  around: number,
  bandBps: number,
): number {
  assert(
    around > 0 && qty !== 0,
    "an order of the fund must have a positive reference price and a quantity",
  );
  if (qty > 0) return Math.max(Math.ceil((around * (10_000 - bandBps)) / 10_000), 1);
  const band = Math.floor((around * (10_000 + bandBps)) / 10_000);
  return Math.min(Math.max(band, around), market.priceTicksMax);
}
