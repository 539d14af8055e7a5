// Messages between the venue and a liquidity provider, as schemas: answers that the venue reads, and bodies
// that a provider reads. Unknown fields are ignored on both sides, so that either side can add fields later.

import * as z from "zod";

const party = z.string().regex(/^[^\s:]{1,120}::1220[0-9a-f]{64}$/);
const contractId = z.string().regex(/^[\x21-\x7e]{1,256}$/);
const decimal = z.string().regex(/^\d{1,20}(\.\d{1,10})?$/);
const pair = z.string().regex(/^[A-Z0-9]{1,10}-[A-Z0-9]{1,10}$/);
const milliseconds = z.number().int().min(0).max(9_000_000_000_000);
const text = z.string().max(200);

/** The provider's answer to `GET /health`. */
export const healthAnswer = z.object({
  status: z.enum(["ok", "degraded", "paused"]),
  pairs: z.array(pair).max(64),
  /** The largest value of a swap that the provider quotes, in the quote asset. */
  max_notional: decimal,
});

/** The body of `POST /rfq/quotes`. */
export const quoteBody = z.object({
  rfq_id: z.uuid(),
  pair,
  side: z.enum(["BUY", "SELL"]),
  qty: decimal.optional(),
  quote_qty: decimal.optional(),
  trader_tag: z.string().min(1).max(64),
  respond_by_ms: milliseconds,
});

export const quoteAnswer = z.object({
  quote_id: z.string().regex(/^[\x21-\x7e]{1,64}$/),
  price: decimal,
  qty: decimal,
  valid_until_ms: milliseconds,
  provider_party: party,
});

const leg = z.object({
  leg_id: z.enum(["base", "quote"]),
  sender: party,
  receiver: party,
  instrument_id: z.object({ admin: party, id: z.string().min(1).max(64) }),
  amount: decimal,
});

const disclosedContract = z.object({
  template_id: z.string().max(256),
  contract_id: contractId,
  created_event_blob: z.string().max(100_000),
  synchronizer_id: z.string().max(256),
});

/** The body of `POST /rfq/trades/{swapId}/accept-and-allocate`. */
export const acceptBody = z.object({
  quote_id: z.string().min(1).max(64),
  legs: z.array(leg).length(2),
  settlement: z.object({
    executor: party,
    settlement_ref: z.uuid(),
    allocate_before: z.iso.datetime(),
    settle_before: z.iso.datetime(),
  }),
  proposal_cid: contractId,
  disclosed_contracts: z.array(disclosedContract).max(16),
});

export const acceptAnswer = z.object({
  allocation_cid: contractId,
  trade_cid: contractId,
  update_id: z.string().regex(/^[\x21-\x7e]{1,256}$/),
});

/** The provider's 409 or 422 answer to accept-and-allocate. */
export const refusalAnswer = z.object({ reason: text });

/** The body of `POST /rfq/trades/{swapId}/result`. */
export const resultBody = z.object({
  status: z.enum(["settled", "not_selected", "released", "expired", "cancelled"]),
  update_id: z.string().max(256).optional(),
  reason: text.optional(),
});

/** The body of `POST /rfq/trades/{swapId}/cancel`. */
export const cancelBody = z.object({ reason: text });
