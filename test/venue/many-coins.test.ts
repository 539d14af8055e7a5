// Proves that a wallet with more coins than the ledger lists at once trades like any other and delays no other wallet.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { NativeClient } from "../support/client/native-client.ts";
import { freeOf, LedgerVenue, until, untilEqual } from "../support/venue/ledger-venue.ts";

const coins = 210;

let venue: LedgerVenue;
/** A wallet whose money is all in small coins. */
let wallet: NativeClient;
/** Another wallet, enrolled after the first. */
let other: NativeClient;

before(async () => {
  venue = await LedgerVenue.open({ LEDGER_AUDIT_MS: "500" });
  wallet = await venue.user();
  other = await venue.user();
});
after(() => venue.close());

test("WAL-6 WAL-8 a wallet with more coins than one list holds is enrolled with all of them, and delays no other", async () => {
  const control = await venue.control();
  for (let coin = 0; coin < coins; coin++) await control.tap(wallet.partyId, "USDC", "1");
  for (const user of [wallet, other])
    assert.equal((await user.post("/v1/wallet/enroll")).status, 200);
  const isActive = async (user: NativeClient) =>
    (await user.get("/v1/wallet/enrollment")).json.status === "active";
  await until(async () => isActive(other));
  await until(async () => isActive(wallet));
  await until(async () => (await freeOf(wallet, "spot", "USDC")) === coins);
});

test("SET-18 all coins of a wallet with very many coins are compared with the ledger's list", async () => {
  const { sql } = venue.fixture.venue.database;
  await sql`
    delete from settlement_holdings where contract_id in (
      select contract_id from settlement_holdings where party = ${wallet.partyId} limit 3)`;
  await until(async () => {
    const [row] = await sql`
      select count(*)::integer as kept from settlement_holdings where party = ${wallet.partyId}`;
    return row?.["kept"] === coins;
  });
});

test("SET-19 a wallet with too many coins for one payment first merges coins by paying itself, and then pays its batch", async () => {
  const seller = await venue.user();
  await seller.post("/v1/deposits/seed", { asset: "CC", amount: "10000", wallet: "spot" });
  const terms = { symbol: "CC-USDC", type: "LIMIT", qty: "1000", price: "0.15" };
  for (const [user, side] of [
    [seller, "SELL"],
    [wallet, "BUY"],
  ] as const)
    assert.equal((await user.post("/v1/orders", { ...terms, side })).status, 200);
  await until(async () => (await freeOf(seller, "spot", "USDC")) === 150 - 0.06);
  assert.equal(await venue.held(wallet.partyId, "USDC"), coins - 150);
  await untilEqual(() => freeOf(wallet, "spot", "USDC"), coins - 150);
  assert.equal((await wallet.get("/v1/wallet/enrollment")).json.frozen, false);
});
