// What the routes for providers of liquidity take, under `/v1/lp`.

import * as z from "zod";
import { rowLimit, wholeNumber } from "./common.ts";

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
