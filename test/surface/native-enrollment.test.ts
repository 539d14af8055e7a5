// Proves how a user enrolls a wallet: the answers before, during and after enrollment, and the refusals.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AccountFlag, AccountType } from "../../src/core/accounts.ts";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import { NativeClient } from "../support/client/native-client.ts";
import { FrontFixture } from "./front-fixture.ts";

let front: FrontFixture;
before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

async function newUser(): Promise<{ user: NativeClient; account: number }> {
  front.advance(60_000);
  const user = new NativeClient(front.base);
  await user.login();
  return { user, account: parsePublicId(PublicIdKind.user, user.userId)?.number ?? 0 };
}

async function shown(user: NativeClient) {
  return (await user.get("/v1/wallet/enrollment")).json;
}

test("WAL-1 WAL-2 an account enrolls once, and sees the state of its enrollment", async () => {
  const { user, account } = await newUser();
  const party = user.partyId;
  assert.deepEqual(await shown(user), { status: "none", party_id: party, frozen: false });
  const enrolled = await user.post("/v1/wallet/enroll");
  assert.deepEqual([enrolled.status, enrolled.json], [200, { status: "pending", party_id: party }]);
  assert.equal(front.state.accounts.typeOf(account), AccountType.wallet);
  const again = await user.post("/v1/wallet/enroll");
  assert.deepEqual([again.status, again.json], [200, enrolled.json]);
  const flags = (bits: number) => front.venue.setFlags(account, bits);
  front.members.set(account, { party, wasActive: true });
  flags(AccountFlag.enrolled);
  assert.deepEqual(await shown(user), { status: "active", party_id: party, frozen: false });
  flags(AccountFlag.enrolled | AccountFlag.frozen);
  assert.deepEqual(await shown(user), { status: "active", party_id: party, frozen: true });
  flags(0);
  assert.deepEqual(await shown(user), { status: "revoked", party_id: party, frozen: false });
});

test("WAL-1 WAL-7 an account may enroll only if its spot wallet is empty", async () => {
  const { user, account } = await newUser();
  await user.post("/v1/deposits/seed", { asset: "USDC", amount: "5", wallet: "spot" });
  const refused = await user.post("/v1/wallet/enroll");
  const message = "the spot wallet must be empty, without orders and withdrawals";
  assert.deepEqual([refused.status, refused.json], [409, { error: message }]);
  assert.equal(front.state.accounts.typeOf(account), AccountType.standard);
  const terms = { from: "spot", to: "funding", asset: "USDC", amount: "5" };
  await user.post("/v1/transfers", { ...terms, idempotency_key: "back" });
  assert.equal((await user.post("/v1/wallet/enroll")).status, 200);
});

test("WAL-1 enrollment needs a session, and a body with fields is refused", async () => {
  const { user } = await newUser();
  const { account } = await newUser();
  const odd = await user.post("/v1/wallet/enroll", { party: "x" });
  assert.deepEqual([odd.status, odd.json], [422, { error: "unknown field: party" }]);
  const nobody = await new NativeClient(front.base).post("/v1/wallet/enroll");
  assert.deepEqual([nobody.status, nobody.json], [401, { error: "missing bearer token" }]);
  assert.equal(front.state.accounts.typeOf(account), AccountType.standard);
});
