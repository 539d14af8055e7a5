// Amounts as the ledger network writes them: decimal strings of at most ten decimals, here integers in units of
// 10^−10. Nothing is rounded: amounts of assets with fewer decimals are widened exactly, and callers refuse an amount
// with more decimals than its asset has.

import { assert } from "../assert.ts";
import { formatScaled } from "./amounts.ts";

/** Decimal places of the network's amounts. */
export const ledgerDecimals = 10;

/** The network's decimals have up to 38 digits, ten of them after the point. */
const wholeDigitsMax = 28;

const form = /^(-?)(\d+)(?:\.(\d+))?$/;

/** `text` in units of 10^−10, or null unless it has at most 28 integer digits and 10 decimals. */
export function parseLedgerAmount(text: string): bigint | null {
  const match = form.exec(text);
  if (match === null) return null;
  const [, sign = "", whole = "", fraction = ""] = match;
  const digits = whole.replace(/^0+(?=\d)/, "");
  const places = fraction.replace(/0+$/, "");
  if (digits.length > wholeDigitsMax || places.length > ledgerDecimals) return null;
  const value = BigInt(digits + places.padEnd(ledgerDecimals, "0"));
  return sign === "" ? value : -value;
}

/** Units of 10^−10 as the network writes them: always ten decimals. */
export function formatLedgerAmount(units: bigint): string {
  return formatScaled(units, ledgerDecimals);
}

/** Minor units of an asset of `decimals` decimals (0 … 10) in units of 10^−10; exact. */
export function toLedgerAmount(minor: bigint, decimals: number): bigint {
  assert(decimals >= 0 && decimals <= ledgerDecimals, "an asset must have 0 to 10 decimals");
  return minor * 10n ** BigInt(ledgerDecimals - decimals);
}
