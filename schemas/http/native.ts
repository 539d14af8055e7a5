// Input of native routes: JSON bodies, whose fields are checked here for presence and type (422), and queries, which
// are texts. The route checks the values (400). Unknown fields of bodies are refused; null counts as absent if a field
// is optional.

import * as z from "zod";
import { rowLimit, symbolText, truth, unixMs, wholeNumber } from "./common.ts";
import { leverageDescription } from "./parameter-descriptions.ts";

export const emptyBody = z.strictObject({});

export const challengeBody = z.strictObject({
  public_key: z.string(),
  party_hint: z.string().nullish(),
});

export const verifyBody = z.strictObject({
  public_key: z.string(),
  nonce: z.string(),
  signature: z.string(),
  referral_code: z.string().nullish(),
});

export const sessionKeyBody = z.strictObject({ public_key: z.string() });

export const createKeyBody = z.strictObject({
  label: z.string().nullish(),
  key_type: z.string().nullish(),
  public_key: z.string().nullish(),
});

/**
 * All restrictions of a key. If `allowed_addresses` is empty, every address may use the key. If `expires_at` is null, the
 * key never expires; if it is absent, the key's expiry stays as it is.
 */
const restrictions = {
  permissions: z.array(z.string()),
  allowed_addresses: z.array(z.string()),
  expires_at: z.string().nullable().optional(),
};

export const restrictionsBody = z.strictObject(restrictions);

export const changeRestrictionsBody = z.strictObject({
  ...restrictions,
  nonce: z.string().nullish(),
  signature: z.string().nullish(),
});

export const listKeysQuery = z.object({
  include_revoked: truth.default(false),
});

/** A decimal sent as text or as a JSON number; parsed to text without an exponent. */
export const decimalField = z.union([
  z.string(),
  // JavaScript formats small numbers with an exponent (`1e-7`). They are rewritten as plain decimals, down to the
  // smallest unit of any asset.
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

export const subAccountBody = z.strictObject({ label: z.string() });

/** `from` and `to` are wallets: of the account that sends, and of the one that receives. */
export const subAccountTransferBody = z.strictObject({
  from_account: z.string(),
  to_account: z.string(),
  from: z.string(),
  to: z.string(),
  asset: z.string(),
  amount: decimalField,
  idempotency_key: z.string(),
});

export const addressQuery = z.object({ asset: z.string() });

/**
 * Lists of deposits, withdrawals, transfers and assets: the cursor is the number of the last row of the previous
 * page.
 */
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

/** A number in digits that a double holds exactly. */
const number = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})$/)
  .transform(Number);

export const epochsQuery = z.object({
  limit: rowLimit(100, 1000),
  cursor: number.optional(),
});

export const ownLiabilitiesQuery = z.object({
  epoch: number.optional(),
  account_id: z.string().optional(),
});

export const headQuery = z.object({ epoch: number.optional() });

export const proofQuery = z.object({
  seq: number.optional(),
  ref_id: z
    .string()
    .regex(/^[ot]-[1-9]\d{0,14}$/)
    .optional(),
});

/** The candle lengths offered. */
export const candlePeriods = [
  "1m",
  "3m",
  "5m",
  "15m",
  "30m",
  "1h",
  "2h",
  "4h",
  "6h",
  "12h",
  "1d",
  "3d",
  "1w",
] as const;

const period = z.enum(candlePeriods).optional();

export const candlesQuery = z.object({
  period,
  interval: period,
  limit: rowLimit(500, 2000),
});

export const orderbookQuery = z.object({ depth: rowLimit(100, 1000) });

export const recentTradesQuery = z.object({ limit: rowLimit(100, 1000) });

export const registerBody = z.strictObject({
  name: z.string(),
  url: z.string(),
  party_id: z.string(),
  public_key: z.string(),
  pairs: z.array(z.string()),
});

/** `proof`: base64 of the new key's signature over the text of `newKeyText`. */
export const addKeyBody = z.strictObject({ public_key: z.string(), proof: z.string() });

export const providerSwapsQuery = z.object({
  limit: rowLimit(100, 1000),
  cursor: wholeNumber.optional(),
});

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

/** The cursor is the number of the last row of the previous page. */
export const swapsQuery = z.object({ limit: rowLimit(100, 1000), cursor: wholeNumber.optional() });

export const placeOrderBody = z.strictObject({
  symbol: z.string(),
  side: z.string(),
  type: z.string().nullish(),
  qty: decimalField,
  price: decimalField.nullish(),
  leverage: z.number().nullish().describe(leverageDescription),
  time_in_force: z.string().nullish(),
  reduce_only: z.boolean().nullish(),
  post_only: z.boolean().nullish(),
  take_profit: decimalField.nullish(),
  stop_loss: decimalField.nullish(),
  idempotency_key: z.string().nullish(),
});
export type PlaceOrderBody = z.output<typeof placeOrderBody>;

/** The number of the last row that the client has received. */
const cursor = wholeNumber.optional();

const page = { limit: rowLimit(100, 1000), cursor };

/** Times of the rows of a list; the end includes its whole millisecond. */
const range = { start_ms: unixMs.optional(), end_ms: unixMs.optional() };

/** The route checks that the market exists. */
export const cancelAllQuery = z.object({ symbol: z.string().optional() });

export const ordersQuery = z.object({
  status: z.enum(["open", "closed", "all"]).default("all"),
  symbol: symbolText.optional(),
  ...range,
  ...page,
});

export const rowsQuery = z.object({ symbol: symbolText.optional(), ...range, ...page });

/** The cursor is the number of rows of the previous pages. */
export const incomeQuery = z.object({ ...range, ...page });

export const transfersQuery = z.object({ ...range, ...page });
