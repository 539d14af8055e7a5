// What a provider of liquidity answers, as schemas. Unknown fields are left out, so that a provider may say
// more.

import * as z from "zod";

const party = z.string().regex(/^[^\s:]{1,120}::1220[0-9a-f]{64}$/);
const contractId = z.string().regex(/^[\x21-\x7e]{1,256}$/);
const decimal = z.string().regex(/^\d{1,20}(\.\d{1,10})?$/);
const pair = z.string().regex(/^[A-Z0-9]{1,10}-[A-Z0-9]{1,10}$/);
const milliseconds = z.number().int().min(0).max(9_000_000_000_000);
const words = z.string().max(200);

/** `GET /health`. */
export const healthAnswer = z.object({
  status: z.enum(["ok", "degraded", "paused"]),
  pairs: z.array(pair).max(64),
  /** Of the quote asset. */
  max_notional: decimal,
});

/** The 200 of `POST /rfq/quotes`. */
export const quoteAnswer = z.object({
  quote_id: z.string().regex(/^[\x21-\x7e]{1,64}$/),
  price: decimal,
  qty: decimal,
  valid_until_ms: milliseconds,
  provider_party: party,
});

/** The 200 of `POST /rfq/trades/{swapId}/accept-and-allocate`. */
export const acceptAnswer = z.object({
  allocation_cid: contractId,
  trade_cid: contractId,
  update_id: z.string().regex(/^[\x21-\x7e]{1,256}$/),
});

/** An answer of 409 or 422 to it. */
export const refusalAnswer = z.object({ reason: words });
