// Proves that one network can open only a limited number of accounts, so that nobody can use up the venue's account
// numbers.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { NativeClient, newWallet, signText, type Wallet } from "../support/client/native-client.ts";
import { FrontFixture } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open({ trustedProxies: ["127.0.0.1"], accountsPerNetwork: 3 });
});
after(() => front.close());

/** Logs in from an address; returns the status and the error of the last step. */
async function login(address: string, wallet: Wallet = newWallet()): Promise<[number, string]> {
  const api = new NativeClient(front.base);
  api.address = address;
  const request = { public_key: wallet.publicKey };
  const { nonce, message } = (await api.post("/v1/wallet/challenge", request)).json;
  const signature = signText(wallet, message);
  const verified = await api.post("/v1/wallet/verify", { ...request, nonce, signature });
  return [verified.status, verified.json.error ?? "in"];
}

const refused = [429, "too many new accounts from this network; try again in an hour"];

test("SES-15 SES-18 a network opens a limited number of accounts an hour; existing accounts log in", async () => {
  const known = newWallet();
  const before = front.venue.state.accounts.next;
  assert.deepEqual(await login("203.0.113.1", known), [200, "in"]);
  assert.deepEqual(await login("203.0.113.2"), [200, "in"]);
  assert.deepEqual(await login("203.0.113.254"), [200, "in"]);
  assert.deepEqual(await login("203.0.113.77"), refused);
  assert.equal(front.venue.state.accounts.next, before + 3, "A refused login must open no account");
  assert.deepEqual(await login("203.0.113.77", known), [200, "in"]);
  assert.deepEqual(
    await login("203.0.112.77"),
    [200, "in"],
    "A neighbouring network must not be limited",
  );
  front.advance(3_600_000);
  assert.deepEqual(await login("203.0.113.77"), [200, "in"]);
});

test("SES-15 an IPv6 /48 counts as one network", async () => {
  for (const subnet of [1, 2, 3]) {
    assert.deepEqual(await login(`2001:db8:7:${subnet}::1`), [200, "in"]);
  }
  assert.deepEqual(await login("2001:db8:7:ffff::1"), refused);
  assert.deepEqual(await login("2001:db8:8::1"), [200, "in"]);
});
