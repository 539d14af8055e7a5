// Proves the development routes, which are the faucet and immediate funding, and that a venue without development tools
// has neither.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { EventKind } from "../../src/core/generated/events.ts";
import { assertConserved } from "../model/conservation.ts";
import { NativeClient } from "../support/client/native-client.ts";
import { FrontFixture } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

async function newUser(at = front): Promise<NativeClient> {
  at.advance(60_000);
  const user = new NativeClient(at.base);
  await user.login();
  return user;
}

test("NAT-13 the faucet credits the requested wallet, and the venue's totals still balance", async () => {
  const user = await newUser();
  const seed = async (body: object) => (await user.post("/v1/deposits/seed", body)).json;
  const row = (wallet: string, asset: string, total: string) => {
    const none = total.replaceAll(/\d/g, "0").replace(/^0+/, "0");
    return { wallet, asset, free: total, locked: none, total };
  };
  const usdc = { asset: "USDC", amount: "1000.5" };
  assert.deepEqual(await seed(usdc), row("funding", "USDC", "1000.500000"));
  assert.deepEqual(await seed(usdc), row("funding", "USDC", "2001.000000"));
  assert.deepEqual(await seed({ ...usdc, wallet: "perp" }), row("perp", "USDC", "1000.500000"));
  assert.deepEqual(await seed({ ...usdc, wallet: "spot" }), row("spot", "USDC", "1000.500000"));
  const coins = { asset: "CBTC", amount: 0.00000001, wallet: "spot" };
  assert.deepEqual(await seed(coins), row("spot", "CBTC", "0.00000001"));
  assert.deepEqual(
    await seed({ ...coins, amount: 1.25e-7 }).then(({ error }) => error),
    "amount must be a positive decimal with at most 8 decimals",
  );
  assert.deepEqual(await seed({ ...coins, amount: 12.5 }), row("spot", "CBTC", "12.50000001"));
  assertConserved(front.state);
});

test("NAT-16 invalid amounts are refused as JSON and change nothing", async () => {
  const user = await newUser();
  const { seq } = front.state;
  const refused = async (body: object, status: number, error: string) => {
    front.advance(60_000);
    const answer = await user.post("/v1/deposits/seed", body);
    assert.deepEqual([answer.status, answer.json], [status, { error }], JSON.stringify(body));
  };
  const good = { asset: "USDC", amount: "1" };
  const sixDecimals = "amount must be a positive decimal with at most 6 decimals";
  for (const amount of [
    "0",
    "-1",
    "0.0000001",
    "1e3",
    "",
    " 1",
    "+1",
    "x",
    "9".repeat(21),
    0,
    -1,
  ]) {
    await refused({ ...good, amount }, 400, sixDecimals);
  }
  for (const amount of [1e300, 1e-300, "Infinity", "NaN", "１"]) {
    await refused({ ...good, amount }, 400, sixDecimals);
  }
  for (const asset of ["usdc", "", "XRP", "__proto__", "' or 1=1--"]) {
    await refused({ ...good, asset }, 400, "unknown asset");
  }
  for (const wallet of ["", "Spot", "margin", "constructor"]) {
    await refused({ ...good, wallet }, 400, "wallet must be funding, spot, perp or ledger");
  }
  await refused({ ...good, asset: "CC", wallet: "perp" }, 400, "the perp wallet holds USDC only");
  await refused(
    { ...good, amount: "9000000000000" },
    400,
    "amount exceeds what the faucet has left",
  );
  await refused({ asset: "USDC" }, 422, "missing field: amount");
  await refused({ ...good, amount: true }, 422, "wrong type of field: amount");
  await refused({ ...good, amount: null }, 422, "wrong type of field: amount");
  await refused({ ...good, to: 5 }, 422, "unknown field: to");
  assert.equal(front.state.seq, seq);
});

test("NAT-14 funding is settled at once for all markets", async () => {
  const user = await newUser();
  const { status, json } = await user.post("/v1/funding/tick");
  assert.deepEqual([status, json], [200, { markets: 3 }]);
  const kinds = front.venue.events.slice(-3).map(({ kind }) => kind);
  assert(kinds.includes(EventKind.fundingStarted));
  const wrong = await user.post("/v1/funding/tick", { now: true });
  assert.deepEqual([wrong.status, wrong.text], [422, "unknown field: now"]);
});

test("NAT-13 NAT-14 the development routes need a session", async () => {
  const nobody = new NativeClient(front.base);
  const seed = await nobody.post("/v1/deposits/seed", { asset: "USDC", amount: "1" });
  assert.deepEqual([seed.status, seed.json], [401, { error: "missing bearer token" }]);
  const tick = await nobody.post("/v1/funding/tick");
  assert.deepEqual([tick.status, tick.text], [401, "missing bearer token"]);
});

test("NAT-15 without development tools the development routes do not exist", async () => {
  const plain = await FrontFixture.open({ devTools: false });
  try {
    const user = await newUser(plain);
    for (const client of [user, new NativeClient(plain.base)]) {
      const seed = await client.post("/v1/deposits/seed", { asset: "USDC", amount: "1" });
      assert.deepEqual([seed.status, seed.json], [404, { error: "not found" }]);
      const tick = await client.post("/v1/funding/tick");
      assert.deepEqual([tick.status, tick.text], [404, "not found"]);
    }
  } finally {
    plain.close();
  }
});
