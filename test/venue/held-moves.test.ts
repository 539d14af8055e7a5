// Proves that money cannot leave early while a settlement batch is pending. If an owner transfers or withdraws coins
// that the batch will bring or take, the request is refused or moves only what the owner has now. All balances are
// right once the batch has settled.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { NativeClient } from "../support/client/native-client.ts";
import { freeOf, LedgerVenue, until, untilEqual } from "../support/venue/ledger-venue.ts";

let venue: LedgerVenue;
/** A member who buys from the seller with coins in its own wallet. */
let wallet: NativeClient;
/** Another member, to whom the first one passes coins on. */
let friend: NativeClient;
/** A user whose coins lie with custody. */
let seller: NativeClient;
/** Custody's surplus before trading starts. */
let begun: string;

before(async () => {
  venue = await LedgerVenue.open();
  [wallet, friend, seller] = [
    await venue.member("1000"),
    await venue.member("10"),
    await venue.user(),
  ];
  await seller.post("/v1/deposits/seed", { asset: "CC", amount: "10000", wallet: "spot" });
  await until(async () => {
    begun = await surplus();
    return begun !== "";
  });
});
after(() => venue.close());

async function stuck(isStuck: boolean): Promise<void> {
  const control = await venue.control();
  const match = { commandIdPrefix: "stl:" };
  if (isStuck) await control.fault({ id: "stuck", effect: "backpressure", match });
  else await control.call("DELETE", "/devnet/v1/faults/stuck");
}

async function order(user: NativeClient, side: "BUY" | "SELL", qty: string, price = "0.15") {
  const answer = await user.post("/v1/orders", {
    symbol: "CC-USDC",
    type: "LIMIT",
    side,
    qty,
    price,
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

async function lockedOf(user: NativeClient, asset: string): Promise<number> {
  const { json } = await user.get("/v1/balances/me");
  const row = json.balances.find(
    (each: { wallet: string; asset: string }) => each.wallet === "spot" && each.asset === asset,
  );
  return Number(row?.locked ?? 0);
}

let requested = 0;

async function moved(user: NativeClient, to: string, amount: string): Promise<number> {
  requested++;
  const terms = { from: "spot", to, asset: "USDC", amount, idempotency_key: `move-${requested}` };
  return (await user.post("/v1/transfers", terms)).status;
}

async function surplus(): Promise<string> {
  const { json } = await wallet.get("/v1/solvency");
  return json.items.find((each: { asset: string }) => each.asset === "USDC").surplus;
}

test("SET-12 a cancel returns the amount that the order held, but no proceeds of its fills", async () => {
  await stuck(true);
  const resting = await order(seller, "SELL", "3000");
  await order(wallet, "BUY", "1000");
  const proceeds = 150 - 0.06;
  assert.deepEqual(
    [await lockedOf(seller, "CC"), await lockedOf(seller, "USDC")],
    [2000, proceeds],
  );
  assert.equal((await seller.delete(`/v1/orders/${resting.order_id}`)).status, 200);
  assert.deepEqual([await lockedOf(seller, "CC"), await lockedOf(seller, "USDC")], [0, proceeds]);
  assert.deepEqual(
    [await freeOf(seller, "spot", "CC"), await freeOf(seller, "spot", "USDC")],
    [9000, 0],
  );
  for (const to of ["funding", "perp"]) assert.equal(await moved(seller, to, "1"), 400, to);
  const bid = { symbol: "CC-USDC", type: "LIMIT", side: "BUY", qty: "100", price: "0.1" };
  assert.notEqual((await seller.post("/v1/orders", bid)).status, 200);
  // A member's spot wallet is its ledger party, so transfers out of it are refused.
  for (const to of ["funding", "perp"]) assert.notEqual(await moved(wallet, to, "1"), 200, to);
});

test("SET-6 SET-21 coins that a member owes and passes on belong to the receiver, and freeze only the sender", async () => {
  const control = await venue.control();
  await control.spend(wallet.partyId, friend.partyId, "USDC", "900");
  await until(async () => (await freeOf(friend, "spot", "USDC")) === 910);
  const isFrozen = async (user: NativeClient) =>
    (await user.get("/v1/wallet/enrollment")).json.frozen;
  await until(async () => isFrozen(wallet));
  assert.equal(await isFrozen(friend), false);
  assert.equal(await lockedOf(seller, "USDC"), 150 - 0.06);
  await control.spend(friend.partyId, wallet.partyId, "USDC", "900");
  await until(async () => !(await isFrozen(wallet)));
  await untilEqual(() => freeOf(wallet, "spot", "USDC"), 850);
  await until(async () => (await freeOf(friend, "spot", "USDC")) === 10);
});

test("SET-13 if a market is delisted while its batch is stuck and the venue dies, both sides still get their proceeds", async () => {
  const { operator } = venue.fixture;
  const resting = await order(wallet, "BUY", "1000", "0.1");
  assert.equal(resting.status, "NEW");
  await operator.access.delist("CC-USDC");
  await until(async () => (await lockedOf(wallet, "USDC")) === 0);
  await venue.crashAndRestart();
  [wallet, friend, seller] = [wallet, friend, seller].map((user) => venue.relogin(user)) as [
    NativeClient,
    NativeClient,
    NativeClient,
  ];
  assert.equal(await lockedOf(seller, "USDC"), 150 - 0.06);
  // Request the withdrawal again and again: it is paid out once, and only after the batch has settled.
  const out = { asset: "USDC", amount: "149.94", destination: wallet.partyId };
  const answers: number[] = [];
  let asked = 0;
  const isTaken = async () => {
    asked += 1;
    const request = { ...out, idempotency_key: `out-${asked}` };
    const { status } = await seller.post("/v1/withdrawals", request);
    // The batch may be tried again so late that the requests meet their limit.
    if (status !== 429) answers.push(status);
    return status === 200;
  };
  await isTaken();
  await stuck(false);
  await until(isTaken);
  assert.deepEqual([...new Set(answers)].sort(), [200, 409]);
  assert.deepEqual([await freeOf(seller, "spot", "USDC"), await lockedOf(seller, "USDC")], [0, 0]);
  await until(async () => (await freeOf(wallet, "spot", "USDC")) > 850);
  const held = await venue.held(wallet.partyId, "USDC");
  await until(async () => (await freeOf(wallet, "spot", "USDC")) === held);
  await untilEqual(() => freeOf(wallet, "spot", "CC"), await venue.held(wallet.partyId, "CC"));
});

test("SLV-3 after all these moves, custody's surplus is unchanged", async () => {
  const shown = async () => {
    const { json } = await wallet.get("/v1/solvency");
    const row = json.items.find((each: { asset: string }) => each.asset === "USDC");
    return [Number(row.in_flight), Number(row.claims), Number(row.held), row.surplus];
  };
  await untilEqual(shown, [0, 0, 0, begun]);
});
