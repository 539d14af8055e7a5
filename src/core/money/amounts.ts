// Integers that must not be mixed up: prices in ticks, quantities in lots, amounts in minor units.
//
// Ticks and lots are safe integers, but their product can exceed the safe integers. So values are computed only by the
// functions of this file, which stay exact. Balances are int64: `asAmount` asserts the range because BigInt64Array
// wraps silently.

import { amountAt, assert } from "../assert.ts";

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
 * A safe integer as a bigint, built from its halves. JavaScript's own conversion, `BigInt(value)`, is so slow that it
 * shows in the time of an order.
 */
export function bigintOf(value: number): bigint {
  assert(Number.isSafeInteger(value), "a number must be a safe integer to become a bigint");
  return joined(value);
}

/** `bigintOf` for a value already known to be a safe integer. */
function joined(value: number): bigint {
  halves[0] = value;
  halves[1] = Math.floor(value / 2 ** 32);
  return amountAt(whole, 0);
}

/**
 * Whether an int64 can hold the value. Truncating to 64 bits and comparing costs nothing if the value fits; comparing
 * with constant bounds would convert the constants at each call.
 */
export function fitsInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** `value` as a price; asserts a safe integer ≥ 0. */
export function asPriceTicks(value: number): PriceTicks {
  assert(
    Number.isSafeInteger(value) && value >= 0,
    "a price must be a safe integer of ticks and not negative",
  );
  return value as PriceTicks;
}

/** `value` as a quantity; asserts a safe integer. */
export function asQtyLots(value: number): QtyLots {
  assert(Number.isSafeInteger(value), "a quantity must be a safe integer of lots");
  return value as QtyLots;
}

/** `value` as an amount; asserts that an int64 holds it. */
export function asAmount(value: bigint): Amount {
  assert(fitsInt64(value), "an amount must fit an int64");
  return value as Amount;
}

/** value × numerator ÷ denominator, rounded toward zero: the receiver loses the fraction. */
export function mulDivFloor(value: bigint, numerator: bigint, denominator: bigint): bigint {
  assert(denominator > 0n, "the denominator must be positive");
  return (value * numerator) / denominator;
}

/** Non-negative value ÷ denominator, rounded up: the payer pays the fraction. */
export function divCeil(value: bigint, denominator: bigint): bigint {
  assert(
    value >= 0n && denominator > 0n,
    "the value must not be negative and the denominator must be positive",
  );
  return (value + denominator - 1n) / denominator;
}

// The value of ticks × lots in minor units of a market's quote asset, and the inverse. A tick and a lot are powers of
// ten, so one tick × one lot is worth a power of ten: `units` minor units or, if it is worth less than a minor unit,
// one minor unit ÷ `parts`.
//
// With `parts` of 1 a value is exact. Spot values are always exact, because one side receives as holdings what the
// other pays. Any other value is rounded once, here, to the nearest minor unit and half away from zero, by this one
// function: both sides of a fill get the same figure, a short is worth the same as a long of its size, and neither
// side gains. Rounded values do not add up over lots, so only booked values are summed. See decision 0046.

/**
 * One tick × one lot = `units` ÷ `parts` minor units of the quote; one of the two is 1, both are powers of
 * ten.
 */
export interface TickLot {
  readonly units: number;
  readonly parts: number;
}

/** The steps of a market, which determine the value of its tick and lot. */
interface Steps {
  readonly quote: { readonly decimals: number };
  /** Tick = 10^−tickDecimals of the quote. */
  readonly tickDecimals: number;
  /** Lot = 10^−lotDecimals of the base. */
  readonly lotDecimals: number;
}

/**
 * Ticks × lots of an order reach 10^17 (core/limits.ts): at more than ten minor units per tick × lot the value would
 * not fit an int64; at less than a tenth, one lot at the lowest sensible price would be worth too few minor units.
 */
const most = 10;

/** The value of one tick × one lot; null if it is less than a tenth of a minor unit or more than ten minor units. */
export function tickLotOf({ quote, tickDecimals, lotDecimals }: Steps): TickLot | null {
  const places = quote.decimals - tickDecimals - lotDecimals;
  const [units, parts] = places < 0 ? [1, 10 ** -places] : [10 ** places, 1];
  return units > most || parts > most ? null : { units, parts };
}

/** Whether every price × quantity is a whole number of minor units. */
export function isExact({ parts }: TickLot): boolean {
  return parts === 1;
}

/**
 * price × quantity in minor units of the quote, signed like `qty`, rounded to the nearest and half away from zero.
 * Every value of an order or trade is computed by this function. Asserts that an int64 holds the value.
 */
export function notional(price: PriceTicks, qty: QtyLots, { units, parts }: TickLot): Amount {
  const product = price * qty * units;
  // A product of integers within the safe range is exact.
  if (product > Number.MAX_SAFE_INTEGER || product < -Number.MAX_SAFE_INTEGER) {
    return largeNotional(price, qty, { units, parts });
  }
  if (parts === 1) return bigintOf(product) as Amount;
  const rest = product % parts;
  const whole = (product - rest) / parts;
  return bigintOf(2 * Math.abs(rest) < parts ? whole : whole + Math.sign(rest)) as Amount;
}

function largeNotional(price: PriceTicks, qty: QtyLots, { units, parts }: TickLot): Amount {
  assert(price >= 0, "a price must not be negative");
  const product = BigInt(price) * BigInt(qty) * BigInt(units);
  if (parts === 1) return asAmount(product);
  const by = BigInt(parts);
  const half = product < 0n ? -by / 2n : by / 2n;
  return asAmount((product + half) / by);
}

/**
 * price × quantity in minor units of the quote, signed like `qty` and rounded down (toward −∞), so that what the holder
 * of a position is owed is never more than its exact value. Asserts that an int64 holds the value.
 */
export function notionalFloor(price: number, qty: number, { units, parts }: TickLot): Amount {
  const product = price * qty * units;
  // A product and a quotient of integers within the safe range are exact enough to be rounded down.
  if (Math.abs(product) <= Number.MAX_SAFE_INTEGER)
    return bigintOf(Math.floor(product / parts)) as Amount;
  const exact = BigInt(price) * BigInt(qty) * BigInt(units);
  const by = BigInt(parts);
  const whole = exact / by;
  return asAmount(exact % by < 0n ? whole - 1n : whole);
}

/**
 * Whether the value of price × quantity is below `least` minor units; `least` × `parts` must be a safe integer. The
 * result is exact: a product beyond the safe integers may be rounded, but remains greater than every safe integer.
 */
export function isNotionalBelow(
  price: PriceTicks,
  qty: QtyLots,
  { units, parts }: TickLot,
  least: number,
): boolean {
  // A value that is below `least` by at most half a minor unit rounds up to `least`.
  return price * qty * units < least * parts - Math.floor(parts / 2);
}

/** Lots fully paid by `value` ≥ 0 minor units at a price above 0; rounded down. */
export function lotsWorth(value: bigint, price: number, { units, parts }: TickLot): bigint {
  assert(value >= 0n && price > 0, "the value must not be negative and the price must be positive");
  return (value * BigInt(parts)) / (BigInt(price) * BigInt(units));
}

/** The fewest lots worth at least `value` ≥ 0 minor units at a price above 0. */
export function lotsFor(value: bigint, price: number, { units, parts }: TickLot): bigint {
  assert(value >= 0n && price > 0, "the value must not be negative and the price must be positive");
  // A result that is below `value` by at most half a minor unit rounds up to `value`.
  const least = value * BigInt(parts) - BigInt(Math.floor(parts / 2));
  return least <= 0n ? 0n : divCeil(least, BigInt(price) * BigInt(units));
}

/**
 * The mean price of `lots` that are worth `value` ≥ 0 minor units, in ticks × `scale`. It is rounded down in a market
 * whose values are exact. In other markets it is rounded to the nearest, so that fills at one price have that price as
 * their mean although their value was rounded.
 */
export function meanTicks(value: bigint, lots: number, tickLot: TickLot, scale = 1n): bigint {
  assert(
    value >= 0n && lots > 0,
    "the value of a mean price must not be negative, and its lots must be positive",
  );
  const of = BigInt(lots) * BigInt(tickLot.units);
  const ticks = value * scale * BigInt(tickLot.parts);
  return isExact(tickLot) ? ticks / of : (2n * ticks + of) / (2n * of);
}

/** Minor units of one tick × one lot of a market with exact values; asserts that they are exact. */
export function wholeUnits(tickLot: TickLot): bigint {
  assert(
    isExact(tickLot),
    "the value of one tick times one lot must be a whole number of minor units",
  );
  return BigInt(tickLot.units);
}

// Fees in basis points of what an account receives (spot) or of the traded value (perpetuals).

const bpsPerWhole = 10_000n;

/** `bps` of a non-negative `amount`, rounded down: the customer keeps the fraction. */
export function feeOf(amount: bigint, bps: number): Amount {
  assert(amount >= 0n, "the amount from which a fee is taken must not be negative");
  if (bps === 0) return asAmount(0n);
  return asAmount(mulDivFloor(amount, bigintOf(bps), bpsPerWhole));
}

// Decimal strings to scaled integers and back, without floats. Decimals exist only at the edges. Nothing is
// rounded: a value with more decimals than the scale is a fault.

/** Why a text is not a usable number. The codes are negative, so that one number can be a parsed value or a code. */
export const DecimalFault = { malformed: -1, tooPrecise: -2, tooLarge: -3 } as const;

const lengthMax = 40;
const zero = 48;
const nine = 57;

/** The digits of `text` from `from` to `to` as a number; NaN if there is any other character. */
function digitsOf(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code < zero || code > nine) return Number.NaN;
    value = value * 10 + (code - zero);
  }
  return value;
}

const powersOfTen: readonly number[] = Array.from({ length: 23 }, (_, power) => 10 ** power);

/**
 * `text` as an integer of 10^−`decimals` (0 … 8): "1.50" with 4 decimals is 15000. Plain decimals
 * only: no sign, exponent, blank or separator. Zeros beyond the scale are fine. Returns a DecimalFault (negative) for
 * any other text. The result is a safe integer.
 */
export function parseScaled(text: string, decimals: number): number {
  const length = text.length;
  const dot = text.indexOf(".");
  const wholeEnd = dot < 0 ? length : dot;
  const fractionFrom = dot < 0 ? length : dot + 1;
  const places = length - fractionFrom;
  if (length > lengthMax || wholeEnd + places === 0) return DecimalFault.malformed;
  const keptEnd = fractionFrom + Math.min(places, decimals);
  const whole = digitsOf(text, 0, wholeEnd);
  const fraction = digitsOf(text, fractionFrom, keptEnd);
  const beyond = digitsOf(text, keptEnd, length);
  if (Number.isNaN(whole + fraction + beyond)) return DecimalFault.malformed;
  if (beyond !== 0) return DecimalFault.tooPrecise;
  const value =
    whole * (powersOfTen[decimals] ?? Number.NaN) +
    fraction * (powersOfTen[decimals - (keptEnd - fractionFrom)] ?? Number.NaN);
  return value <= Number.MAX_SAFE_INTEGER ? value : DecimalFault.tooLarge;
}

/** Like `parseScaled`, but for amounts up to the largest int64; null for a text that is not such an amount. */
export function parseAmount(text: string, decimals: number): bigint | null {
  const match = /^(\d{1,20})(?:\.(\d{0,20}))?$/.exec(text);
  if (match === null) return null;
  const fraction = (match[2] ?? "").replace(/0+$/, "");
  if (fraction.length > decimals) return null;
  const value = BigInt(`${match[1]}${fraction.padEnd(decimals, "0")}`);
  return value < 2n ** 63n ? value : null;
}

/** The text before the digits of a value below one, by the number of zeros between the point and the digits. */
const zerosBefore: readonly string[] = powersOfTen.map((_, zeros) => `0.${"0".repeat(zeros)}`);

/** The text of zero, by the number of decimals. Orders have many fields that are zero. */
const zeros: readonly string[] = zerosBefore.map((text, decimals) => (decimals === 0 ? "0" : text));

/** `value` × 10^−`decimals` as text with exactly `decimals` decimals: 15000 with 4 is "1.5000". */
export function formatScaled(value: number | bigint, decimals: number): string {
  if (value === 0 || value === 0n) return zeros[decimals] ?? `0.${"0".repeat(decimals)}`;
  const isNegative = value < 0;
  const digits = String(isNegative ? -value : value);
  const sign = isNegative ? "-" : "";
  if (decimals === 0) return sign + digits;
  const point = digits.length - decimals;
  if (point <= 0) return sign + (zerosBefore[-point] ?? `0.${"0".repeat(-point)}`) + digits;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
