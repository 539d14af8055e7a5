// What the native trading routes take. Whether words, figures and symbols mean something is the route's
// business (400); missing fields, unknown ones and wrong types are not read at all (422).

import * as z from "zod";
import { rowLimit, symbolText, wholeNumber } from "./common.ts";
import { decimalField } from "./native.ts";

export const placeOrderBody = z.strictObject({
  symbol: z.string(),
  side: z.string(),
  type: z.string().nullish(),
  qty: decimalField,
  price: decimalField.nullish(),
  leverage: z.number().nullish(),
  time_in_force: z.string().nullish(),
  reduce_only: z.boolean().nullish(),
  post_only: z.boolean().nullish(),
  take_profit: decimalField.nullish(),
  stop_loss: decimalField.nullish(),
  idempotency_key: z.string().nullish(),
});
export type PlaceOrderBody = z.output<typeof placeOrderBody>;

/** The number of the last row a client has, as the answer gave it. */
const cursor = wholeNumber.optional();

const page = { limit: rowLimit(100, 1000), cursor };

/** Whether there is such a market is asked later. */
export const cancelAllQuery = z.object({ symbol: z.string().optional() });

export const ordersQuery = z.object({
  status: z.enum(["open", "closed", "all"]).default("all"),
  symbol: symbolText.optional(),
  ...page,
});

export const rowsQuery = z.object({ symbol: symbolText.optional(), ...page });
