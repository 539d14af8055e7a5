// What native routes take: JSON bodies, whose fields are checked for being there and for their type
// (422), and queries, which are texts. What a value means is checked by the route (400). Fields that
// a route does not know are refused; null counts as absent where a field may be.

import * as z from "zod";
import { truth } from "./common.ts";

export const emptyBody = z.strictObject({});

export const noQuery = z.object({});

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

/** What a key may do, the whole of it: `allowed_addresses` empty for anywhere. */
const restrictions = {
  permissions: z.array(z.string()),
  allowed_addresses: z.array(z.string()),
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
