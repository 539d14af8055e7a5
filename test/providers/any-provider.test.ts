// The contract suite against a provider of somebody else's: PROVIDER_URL says where it is, PROVIDER_PAIR a
// market it quotes, and VENUE_KEY_SEED (64 hexadecimal digits) the key that it takes for the venue's.
// Without them there is nobody to ask, and only the settings are looked at.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { signMessage } from "../../src/services/access/message-signature.ts";
import { signingKeyId, signingKeyOf } from "../../src/services/access/venue-signer.ts";
import { type ProviderSubject, providerContract } from "./provider-contract.ts";

const { PROVIDER_URL: url, PROVIDER_PAIR: pair = "CC-USDC", VENUE_KEY_SEED: seed } = process.env;

test("LPP-5 a provider is named with the key that it trusts, or not at all", () => {
  assert.equal(url === undefined, seed === undefined);
});

if (url !== undefined && seed !== undefined) {
  const { key, publicKey } = signingKeyOf(Buffer.from(seed, "hex"));
  const keyId = signingKeyId(publicKey);
  const subject: ProviderSubject = {
    ...{ url, pair },
    sign: (parts, idempotencyKey) =>
      signMessage(parts, { keyId, key, idempotencyKey, nonce: randomBytes(16), nowMs: Date.now() }),
  };
  providerContract(`the provider at ${url}`, () => subject);
}
