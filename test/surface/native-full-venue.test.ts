// Proves that a venue whose table of sessions, API keys or accounts is full refuses the next one with the message of
// docs/reference/errors.md, and that existing clients continue. The test fills the tables directly, as a snapshot does,
// because a million requests would take minutes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AccountType, KeyType, RateTier } from "../../src/core/accounts.ts";
import { accountsMax } from "../../src/core/limits.ts";
import { NativeClient } from "../support/client/native-client.ts";
import { FrontFixture } from "./front-fixture.ts";

/** Ids of filled rows begin here, far above the ids that logins get. */
const firstId = 1_000_000_000;

let front: FrontFixture;
let user: NativeClient;

before(async () => {
  front = await FrontFixture.open();
  user = new NativeClient(front.base);
  await user.login();
});
after(() => front.close());

async function assertLoginRefused(detail: string): Promise<void> {
  const message = `the login was refused: 503 ${JSON.stringify({ error: detail })}`;
  await assert.rejects(new NativeClient(front.base).login(), { message });
  assert.equal(
    (await user.get("/v1/balances/me")).status,
    200,
    "Existing users must still be served",
  );
}

test("ERR-40 503: the number of the venue's sessions is limited", async () => {
  const { sessions } = front.venue.state;
  const expiresUs = front.nowUs() + 86_400_000_000;
  for (let sessionId = firstId; sessions.hasRoom(); sessionId++) {
    sessions.open({ sessionId, account: sessionId, expiresUs, keyId: 0 });
  }
  await assertLoginRefused("the venue cannot open more sessions");
});

test("ERR-40 503: the number of the venue's API keys is limited", async () => {
  const { keys } = front.venue.state;
  const terms = { keyType: KeyType.hmac, tier: RateTier.standard, permissions: 3 };
  // Keys of sessions, because the table takes them in the shortest time.
  for (let keyId = firstId; keys.hasRoom(); keyId++) {
    keys.register({ keyId, account: keyId, sessionId: keyId, ...terms });
  }
  const { status, text, type } = await user.post("/v1/api-keys");
  assert.deepEqual([status, text], [503, "the venue cannot create more API keys"]);
  assert.equal(type, "text/plain; charset=utf-8");
  assert.deepEqual((await user.get("/v1/api-keys")).json.keys, []);
});

test("ERR-40 503: the number of the venue's accounts is limited", async () => {
  const { accounts } = front.venue.state;
  while (accounts.hasRoom()) accounts.open(accounts.next, AccountType.standard, front.nowUs());
  assert.equal(accounts.next, accountsMax);
  await assertLoginRefused("the venue cannot open more accounts");
});
