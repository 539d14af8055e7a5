// Runs the contract suite against any provider. PROVIDER_URL is its address, PROVIDER_PAIR a market it quotes, and
// VENUE_KEY_SEED (64 hexadecimal digits) the seed of the key that it accepts as the venue's. Without these settings
// only a check of the settings runs.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { signMessage } from "../../src/services/access/message-signature.ts";
import { signingKeyId, signingKeyOf } from "../../src/services/access/venue-signer.ts";
import { type ProviderSubject, providerContract } from "./provider-contract.ts";

const { PROVIDER_URL: url, PROVIDER_PAIR: pair = "CC-USDC", VENUE_KEY_SEED: seed } = process.env;

test("LPP-5 the settings for testing a provider name both its address and a key that it trusts, or neither", () => {
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
