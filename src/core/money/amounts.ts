// Integers that must not be mixed up: prices in ticks, quantities in lots, amounts in minor units.
//
// Ticks and lots are safe integers; their product is not, so it exists only as a bigint and only
// in `notional` (tick-lot.ts). Balances are int64: `asAmount` asserts the range because BigInt64Array wraps silently.

import { assert } from "../assert.ts";
import { amountAt } from "../cells.ts";

declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** Price in whole ticks of its market. */
export type PriceTicks = Branded<number, "PriceTicks">;
/** Quantity in whole lots of its market; never negative except where a name says signed. */
export type QtyLots = Branded<number, "QtyLots">;
/** Money in an asset's minor unit, signed. */
export type Amount = Branded<bigint, "Amount">;

const halves = new Int32Array(2);
const whole = new BigInt64Array(halves.buffer);

/**
 * A safe integer as a bigint, put together from its halves. The engine's own conversion is a call into
 * its runtime, dear enough to be seen in the time of an order.
 */
export function bigintOf(value: number): bigint {
  assert(Number.isSafeInteger(value), "what becomes a bigint is a safe integer");
  return joined(value);
}

/** What `bigintOf` does, for what is known to be a safe integer. */
function joined(value: number): bigint {
  halves[0] = value;
  halves[1] = Math.floor(value / 2 ** 32);
  return amountAt(whole, 0);
}

/**
 * Whether an int64 holds the value. Cutting to 64 bits and comparing costs nothing where the value is one,
 * while a constant to compare with is taken apart each time.
 */
export function fitsInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** `value` as a price; asserts a safe integer ≥ 0. */
export function asPriceTicks(value: number): PriceTicks {
  assert(Number.isSafeInteger(value) && value >= 0, "price is a safe integer of ticks");
  return value as PriceTicks;
}

/** `value` as a quantity; asserts a safe integer. */
export function asQtyLots(value: number): QtyLots {
  assert(Number.isSafeInteger(value), "quantity is a safe integer of lots");
  return value as QtyLots;
}

/** `value` as an amount; asserts that an int64 holds it. */
export function asAmount(value: bigint): Amount {
  assert(fitsInt64(value), "amount fits an int64");
  return value as Amount;
}

/** value × numerator ÷ denominator rounded toward zero: whoever is owed the result loses the rest. */
export function mulDivFloor(value: bigint, numerator: bigint, denominator: bigint): bigint {
  assert(denominator > 0n, "denominator is positive");
  return (value * numerator) / denominator;
}

/** Non-negative value ÷ denominator rounded up: whoever must provide the result provides the rest. */
export function divCeil(value: bigint, denominator: bigint): bigint {
  assert(value >= 0n && denominator > 0n, "ceiling of a non-negative quotient");
  return (value + denominator - 1n) / denominator;
}
