// What the native routes that move money take.

import * as z from "zod";
import { rowLimit, wholeNumber } from "./common.ts";

/** A decimal as text, or as a JSON number that is one; its text without an exponent. */
export const decimalField = z.union([
  z.string(),
  // Numbers that JavaScript would write with an exponent, down to the smallest unit of any asset.
  z.number().transform((value) => `${value}`.replace(/^(\d)(?:\.(\d+))?e-(\d+)$/, plainDecimal)),
]);

function plainDecimal(_: string, whole: string, fraction: string | undefined, power: string) {
  return `0.${"0".repeat(Number(power) - 1)}${whole}${fraction ?? ""}`;
}

export const seedBody = z.strictObject({
  asset: z.string(),
  amount: decimalField,
  wallet: z.string().nullish(),
});

export const transferBody = z.strictObject({
  from: z.string(),
  to: z.string(),
  asset: z.string(),
  amount: decimalField,
  idempotency_key: z.string(),
});

export const addressQuery = z.object({ asset: z.string() });

/** Lists of money's movements and of assets: the cursor is the number of the last row, as it was answered. */
export const depositsQuery = z.object({
  limit: rowLimit(100, 1000),
  cursor: wholeNumber.optional(),
});

export const withdrawalBody = z.strictObject({
  asset: z.string(),
  amount: decimalField,
  destination: z.string(),
  idempotency_key: z.string(),
});
