// What the routes of swaps take.

import * as z from "zod";
import { rowLimit, wholeNumber } from "./common.ts";
import { decimalField } from "./native-money.ts";

export const swapRequestBody = z.strictObject({
  pair: z.string(),
  side: z.string(),
  qty: decimalField.nullish(),
  quote_qty: decimalField.nullish(),
});

export const swapAcceptBody = z.strictObject({
  quote_id: z.string().regex(/^\d{1,15}$/),
  submission: z.enum(["prepared", "wallet"]).nullish(),
});

export const swapExecuteBody = z.strictObject({
  prepared_transaction_hash: z.string().max(200),
  signature: z.string().max(200),
});

/** The cursor is the number of the last row, as it was answered. */
export const swapsQuery = z.object({ limit: rowLimit(100, 1000), cursor: wholeNumber.optional() });
