// Proves that users can enroll their own wallets, on a whole venue with its ledger: from login to a settled trade, and
// what happens if a user removes coins while others trade.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { NativeClient } from "../support/client/native-client.ts";
import { freeOf, LedgerVenue, until } from "../support/venue/ledger-venue.ts";

let venue: LedgerVenue;
let maker: NativeClient;

before(async () => {
  venue = await LedgerVenue.open();
  maker = await custodyUser();
});
after(() => venue.close());

/** Creates a user whose coins lie with custody: USDC and CC in the spot wallet. */
async function custodyUser(): Promise<NativeClient> {
  const user = await venue.user();
  for (const asset of ["USDC", "CC"])
    await user.post("/v1/deposits/seed", { asset, amount: "10000", wallet: "spot" });
  return user;
}

async function enrollment(user: NativeClient) {
  return (await user.get("/v1/wallet/enrollment")).json;
}

function order(user: NativeClient, side: "BUY" | "SELL", qty: string, price = "0.15") {
  return user.post("/v1/orders", { symbol: "CC-USDC", side, type: "LIMIT", qty, price });
}

async function statuses(account: number): Promise<(string | null)[]> {
  const { sql } = venue.fixture.venue.database;
  const rows = await sql<{ state: number | null }[]>`
    select (select state from settlement_batches b join settlement_fills s on s.batch_id = b.batch_id
            where s.trade_id = f.trade_id) as state
    from fills f where ${account} in (taker_account, maker_account) order by trade_id`;
  return rows.map(({ state }) => (state === null ? null : String(state)));
}

async function accountOf(user: NativeClient): Promise<number> {
  const { sql } = venue.fixture.venue.database;
  const fingerprint = user.partyId.split("::1220")[1] ?? "";
  const [row] = await sql<{ account: number }[]>`
    select account from wallet_users where fingerprint = ${fingerprint}`;
  return row?.account ?? 0;
}

test("WAL-3 SET-1 a user enrolls, gets the wallet's holdings as balance, and trades on the ledger", async () => {
  const user = await venue.user();
  const gate = await user.post("/v1/wallet/enroll");
  assert.deepEqual(gate.json, { status: "pending", party_id: user.partyId });
  await until(async () => (await enrollment(user)).status === "active");
  await (await venue.control()).tap(user.partyId, "USDC", "1000");
  await until(async () => (await freeOf(user, "spot", "USDC")) === 1000);
  await order(maker, "SELL", "100");
  const bought = await order(user, "BUY", "100");
  assert.equal(bought.json.status, "FILLED", bought.text);
  await until(async () => (await venue.held(user.partyId, "CC")) === 99.9);
  assert.equal(await venue.held(user.partyId, "USDC"), 985);
});

test("WAL-3 trades from before the enrollment stay with custody", async () => {
  const user = await custodyUser();
  await order(maker, "SELL", "100");
  assert.equal((await order(user, "BUY", "100")).json.status, "FILLED");
  for (const asset of ["USDC", "CC"]) {
    const amount = (await freeOf(user, "spot", asset)).toFixed(6);
    const terms = { from: "spot", to: "funding", asset, amount };
    await user.post("/v1/transfers", { ...terms, idempotency_key: asset });
  }
  assert.equal((await user.post("/v1/wallet/enroll")).status, 200);
  await until(async () => (await enrollment(user)).status === "active");
  assert.deepEqual(await statuses(await accountOf(user)), [null]);
  assert.equal(await venue.held(user.partyId, "CC"), 0);
});

test("ERR-40 WAL-1 WAL-7 an account with money in the spot wallet cannot enroll, and the error says so", async () => {
  const answer = await maker.post("/v1/wallet/enroll");
  const error = "the spot wallet must be empty, without orders and withdrawals";
  assert.deepEqual([answer.status, answer.text], [409, JSON.stringify({ error })]);
  assert.equal(answer.type, "application/json");
});

test("ERR-40 WAL-1 SUB-1 an owner of sub-accounts cannot enroll", async () => {
  const user = await venue.user();
  await user.post("/v1/deposits/seed", { asset: "USDC", amount: "10", wallet: "perp" });
  assert.equal((await user.post("/v1/sub-accounts", { label: "one" })).status, 200);
  const { status, json } = await user.post("/v1/wallet/enroll");
  assert.deepEqual([status, json], [409, { error: "the account has sub-accounts or is one" }]);
});

test("NAT-13 NAT-62 test funds for a member's spot wallet are paid to its party on the ledger", async () => {
  const user = await venue.member();
  const terms = { asset: "CC", amount: "12.5", wallet: "spot" };
  const seeded = await user.post("/v1/deposits/seed", terms);
  assert.equal(seeded.status, 200, seeded.text);
  const { wallet, asset, free, total } = seeded.json;
  assert.deepEqual([wallet, asset, Number(free), Number(total)], ["spot", "CC", 12.5, 12.5]);
  assert.equal(await venue.held(user.partyId, "CC"), 12.5);
  const others = await user.post("/v1/deposits/seed", { ...terms, wallet: "funding" });
  assert.equal(others.status, 200, others.text);
  assert.equal(
    await venue.held(user.partyId, "CC"),
    12.5,
    "The user's other wallets must stay with custody",
  );
});

test("NAT-13 NAT-63 test funds on the ledger are also paid to a party that never enrolled", async () => {
  const user = await venue.user();
  const terms = { asset: "USDC", amount: "12.5", wallet: "ledger" };
  const seeded = await user.post("/v1/deposits/seed", terms);
  assert.deepEqual([seeded.status, seeded.json], [200, { ...terms, party_id: user.partyId }]);
  assert.equal(await venue.held(user.partyId, "USDC"), 12.5);
  const { json } = await user.get("/v1/wallet/enrollment");
  assert.equal(json.status, "none");
  assert.equal(await freeOf(user, "spot", "USDC"), 0, "The venue must owe nothing for these coins");
});

test("AUT-23 a venue with a ledger rotates the master key in the settlement thread too", async () => {
  const { masterKeys, keys } = venue.fixture.venue;
  const { version } = keys.box;
  await masterKeys.begin(null);
  const { left } = (await masterKeys.step()) as { left: number };
  assert.equal(left, 0);
  await masterKeys.finish();
  assert.equal(keys.box.version, version + 1);
  assert.equal((await order(maker, "BUY", "200", "0.10")).status, 200);
});

test("WAL-1 transfers do not touch the spot wallet of a member", async () => {
  const user = await venue.member();
  const terms = { from: "spot", to: "funding", asset: "USDC", amount: "1" };
  const moved = await user.post("/v1/transfers", { ...terms, idempotency_key: "out" });
  assert.equal(moved.status, 403);
});

test("SET-6 SET-21 an owner who removes spent coins is the only one frozen, within a cycle, until the coins are back", async () => {
  const owner = await venue.member();
  const other = await venue.member();
  const elsewhere = owner.partyId.replace(/^[^:]+/, "elsewhere");
  assert.equal((await order(owner, "BUY", "1000", "0.10")).json.status, "NEW");
  assert.equal((await order(other, "BUY", "1000", "0.09")).json.status, "NEW");
  // The user's purchases are not settled yet when his coins leave.
  const control = await venue.control();
  await control.fault({ id: "stuck", effect: "backpressure", match: { commandIdPrefix: "stl:" } });
  await order(maker, "SELL", "200", "0.14");
  assert.equal((await order(owner, "BUY", "200", "0.14")).json.status, "FILLED");
  // The maker keeps trading with both users meanwhile.
  let isTrading = true;
  let trades = 0;
  const flow = (async () => {
    while (isTrading) {
      await order(maker, "SELL", "100", "0.15");
      const taken = await order(other, "BUY", "100", "0.15");
      if (taken.json?.status === "FILLED") trades++;
      await order(owner, "BUY", "100", "0.10");
      // Pause, because an account may place only fifty orders in ten seconds.
      await sleep(250);
    }
  })();
  await control.spend(owner.partyId, elsewhere, "USDC", "990");
  const seen = trades;
  await until(async () => (await enrollment(owner)).frozen === true);
  await until(async () => {
    const open = await owner.get("/v1/orders/me?status=open&symbol=CC-USDC");
    return open.json.items.length === 0;
  });
  const refused = await order(owner, "BUY", "100", "0.10");
  assert.deepEqual([refused.status, refused.text.startsWith("Account is frozen")], [403, true]);
  assert.equal((await enrollment(other)).frozen, false);
  await until(async () => trades > seen + 1);
  const resting = await other.get("/v1/orders/me?status=open&symbol=CC-USDC");
  assert.ok(resting.json.items.some(({ price }: { price: string }) => Number(price) === 0.09));
  await control.call("DELETE", "/devnet/v1/faults/stuck");
  await control.tap(owner.partyId, "USDC", "990");
  await until(async () => (await enrollment(owner)).frozen === false);
  assert.equal((await order(owner, "BUY", "100", "0.10")).status, 200);
  isTrading = false;
  await flow;
});
