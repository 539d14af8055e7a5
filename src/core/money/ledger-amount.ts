// Amounts as the ledger network writes them: decimal strings of at most ten places, here integers of
// 10^−10. Nothing rounds: an amount of an asset with fewer places is widened exactly, and one that does
// not fit an asset's places is refused by the caller who meets it.

import { assert } from "../assert.ts";
import { formatScaled } from "./amounts.ts";

/** Decimal places of the network's amounts. */
export const ledgerDecimals = 10;

/** Digits the network's decimals can have in all: 38, ten of them behind the point. */
const wholeDigitsMax = 28;

const form = /^(-?)(\d+)(?:\.(\d+))?$/;

/** `text` in units of 10^−10, or null if it is no decimal of at most 28 and 10 places. */
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

/** Units of 10^−10 as the network writes them: always ten places, as its own answers have. */
export function formatLedgerAmount(units: bigint): string {
  return formatScaled(units, ledgerDecimals);
}

/** An amount in the minor unit of an asset of `decimals` places (0 … 10) in units of 10^−10; exact. */
export function toLedgerAmount(minor: bigint, decimals: number): bigint {
  assert(decimals >= 0 && decimals <= ledgerDecimals, "an asset has at most ten places");
  return minor * 10n ** BigInt(ledgerDecimals - decimals);
}
