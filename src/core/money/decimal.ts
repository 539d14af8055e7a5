// Decimal strings to scaled integers and back, without floats. Decimals exist only at the edges;
// nothing here rounds: a value with more places than the scale is a fault, not an approximation.

/** Why a text is not a usable number. Negative, so that it can share the result's type. */
export const DecimalFault = { malformed: -1, tooPrecise: -2, tooLarge: -3 } as const;

const lengthMax = 40;
const zero = 48;
const nine = 57;

/** The digits of `text` from `from` to `to` as a number, or NaN if anything else stands there. */
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
 * only: no sign, exponent, blank or separator. Zeros beyond the scale are fine. Answers a
 * DecimalFault (negative) for anything else; the result is a safe integer.
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

/** As `parseScaled`, for amounts beyond the safe integers; null for anything that is not one. */
export function parseAmount(text: string, decimals: number): bigint | null {
  const match = /^(\d{1,20})(?:\.(\d{0,20}))?$/.exec(text);
  if (match === null) return null;
  const fraction = (match[2] ?? "").replace(/0+$/, "");
  if (fraction.length > decimals) return null;
  const value = BigInt(`${match[1]}${fraction.padEnd(decimals, "0")}`);
  return value < 2n ** 63n ? value : null;
}

/** `value` × 10^−`decimals` as text with exactly `decimals` places: 15000 with 4 is "1.5000". */
export function formatScaled(value: number | bigint, decimals: number): string {
  const isNegative = value < 0;
  const digits = String(isNegative ? -value : value);
  const sign = isNegative ? "-" : "";
  if (decimals === 0) return sign + digits;
  const padded = digits.length > decimals ? digits : digits.padStart(decimals + 1, "0");
  const point = padded.length - decimals;
  return `${sign}${padded.slice(0, point)}.${padded.slice(point)}`;
}
