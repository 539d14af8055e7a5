// Proves that custody never pays out what it did not receive. A custody account sells to a wallet-funded account, whose
// coins leave its wallet before settlement. The seller cannot withdraw the proceeds before the settlement batch is on
// the ledger.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { NativeClient } from "../support/client/native-client.ts";
import { LedgerVenue, until, untilEqual } from "../support/venue/ledger-venue.ts";

let venue: LedgerVenue;
let custody: string;
/** A wallet-funded user who pays with coins and removes them before settlement. */
let wallet: NativeClient;
/** A custody user who sells to the wallet and tries to withdraw the proceeds at once. */
let seller: NativeClient;

const price = "0.15";

before(async () => {
  venue = await LedgerVenue.open({ LEDGER_STALE_MS: "10000" });
  ({ custody } = await venue.place());
  wallet = await venue.member();
  seller = await venue.user();
  await seller.post("/v1/deposits/seed", { asset: "CC", amount: "10000", wallet: "spot" });
});
after(() => venue.close());

async function trade(qty: string): Promise<void> {
  const terms = { symbol: "CC-USDC", type: "LIMIT", qty, price };
  for (const [user, side] of [
    [seller, "SELL"],
    [wallet, "BUY"],
  ] as const) {
    const { status, text } = await user.post("/v1/orders", { ...terms, side });
    assert.equal(status, 200, text);
  }
}

async function money(user: NativeClient, asset: string): Promise<[free: number, locked: number]> {
  const { json } = await user.get("/v1/balances/me");
  const row = json.balances.find(
    (each: { wallet: string; asset: string }) => each.wallet === "spot" && each.asset === asset,
  );
  return [Number(row?.free ?? 0), Number(row?.locked ?? 0)];
}

let requested = 0;

/** Returns the statuses of a withdrawal and of a transfer to another wallet. */
async function takingOut(amount: string): Promise<number[]> {
  requested++;
  const key = { idempotency_key: `out-${requested}` };
  const destination = wallet.partyId;
  const out = await seller.post("/v1/withdrawals", { asset: "USDC", amount, destination, ...key });
  const wallets = { from: "spot", to: "funding" };
  const moved = await seller.post("/v1/transfers", { ...wallets, asset: "USDC", amount, ...key });
  return [out.status, moved.status];
}

/** Returns a row of the solvency report, as numbers. */
async function owed(
  asset: string,
): Promise<Record<"held" | "claims" | "flying" | "surplus", number>> {
  const { json } = await wallet.get("/v1/solvency");
  const row = json.items.find((each: { asset: string }) => each.asset === asset);
  const { held, claims, in_flight: flying, surplus } = row;
  return {
    ...{ held: Number(held), claims: Number(claims) },
    ...{ flying: Number(flying), surplus: Number(surplus) },
  };
}

interface ShownBatch {
  readonly batch_id: string;
  readonly status: string;
}

interface ShownPayments {
  readonly pays: readonly Readonly<Record<string, string>>[];
  readonly brings: readonly Readonly<Record<string, string>>[];
}

async function batches(): Promise<ShownBatch[]> {
  const shown = await venue.fixture.venue.ledger.settlement("status");
  return (shown as { batches: ShownBatch[] }).batches;
}

async function states(): Promise<string[]> {
  return (await batches()).map(({ status }) => status);
}

/** Returns the id of a batch in this state; empty if there is none. */
async function batchIn(state: string): Promise<string> {
  return (await batches()).find(({ status }) => status === state)?.batch_id ?? "";
}

/** The solvency report while nothing is in flight. */
let quiet: Awaited<ReturnType<typeof owed>>;

test("SET-12 coins that a wallet removes before its batch settles cannot be withdrawn", async () => {
  const control = await venue.control();
  await until(async () => {
    quiet = await owed("USDC");
    return quiet.surplus !== 0 && quiet.flying === 0;
  });
  await control.fault({ id: "stuck", effect: "backpressure", match: { commandIdPrefix: "stl:" } });
  const before = await venue.held(custody, "USDC");
  await trade("6000");
  await until(async () => (await states()).includes("retry"));
  const proceeds = 900 - 0.36;
  assert.deepEqual(await money(seller, "USDC"), [0, proceeds]);
  await control.spend(wallet.partyId, elsewhere(), "USDC", "990");
  await control.call("DELETE", "/devnet/v1/faults/stuck");
  assert.deepEqual(await takingOut("899"), [409, 400]);
  await until(async () => (await wallet.get("/v1/wallet/enrollment")).json.frozen);
  await venue.crashAndRestart();
  [wallet, seller] = [venue.relogin(wallet), venue.relogin(seller)];
  assert.deepEqual(await takingOut("899"), [409, 400]);
  assert.deepEqual(await money(seller, "USDC"), [0, proceeds]);
  assert.equal(await venue.held(custody, "USDC"), before);
});

test("SLV-5 SLV-6 the debt of a frozen wallet is a claim and not a surplus, and the report shows the amount that it blocks", async () => {
  const { surplus } = quiet;
  assert.deepEqual(quiet, { held: 0, claims: 0, flying: 0, surplus });
  const short = { held: 900, claims: 900, flying: 0, surplus: surplus - 900 };
  // Until the venue's two readings of the ledger agree, it shows the previous report.
  await untilEqual(() => owed("USDC"), short);
  const { held, claims, flying } = await owed("CC");
  assert.deepEqual([held, claims, flying], [6, 0, -5994]);
});

test("SET-12 both sides' proceeds are free once the wallet has paid after all", async () => {
  const control = await venue.control();
  await control.tap(wallet.partyId, "USDC", "990");
  await untilEqual(() => money(seller, "USDC"), [900 - 0.36, 0]);
  await untilEqual(() => owed("USDC"), quiet);
  await untilEqual(() => money(wallet, "CC"), [await venue.held(wallet.partyId, "CC"), 0]);
  await until(async () => !(await wallet.get("/v1/wallet/enrollment")).json.frozen);
  assert.deepEqual(await takingOut("100"), [200, 200]);
  await until(
    async () => (await seller.get("/v1/withdrawals")).json.items[0].status === "completed",
  );
});

test("SET-8 SET-12 SET-25 SLV-5 proceeds of a skipped batch stay locked on both sides and count as a claim", async () => {
  const control = await venue.control();
  await control.fault({ id: "stuck", effect: "backpressure", match: { commandIdPrefix: "stl:" } });
  const [free] = await money(seller, "USDC");
  const { surplus } = quiet;
  await trade("100");
  await until(async () => (await states()).includes("retry"));
  const { settlement } = venue.fixture.venue.ledger;
  const batchId = await batchIn("retry");
  const shown = (await settlement("batch", batchId)) as ShownPayments;
  const [leg] = shown.pays.filter(({ asset }) => asset === "USDC");
  assert.deepEqual(
    [leg?.["amount"], leg?.["sender"], leg?.["receiver"]],
    ["15.000000", wallet.partyId, custody],
  );
  assert.deepEqual(
    shown.brings.map(({ asset, amount }) => [asset, amount]),
    [
      ["USDC", "0.006000"],
      ["CC", "0.10000000"],
      ["CC", "99.90000000"],
      ["USDC", "14.994000"],
    ],
  );
  await settlement("skip", batchId);
  await control.call("DELETE", "/devnet/v1/faults/stuck");
  // The seller is owed 14.994 USDC that custody does not have. So the missing 15 USDC count as a claim and reduce the
  // surplus. Until the venue's two readings of the ledger agree, it shows the previous report.
  const short = { held: 15, claims: 15, flying: 0, surplus: surplus - 15 };
  await untilEqual(() => owed("USDC"), short);
  // A later batch settles and frees only its own proceeds.
  await trade("200");
  const freed = Number((free + 30 - 0.012).toFixed(6));
  await untilEqual(() => money(seller, "USDC"), [freed, 15 - 0.006]);
  await untilEqual(async () => (await money(wallet, "CC"))[1], 99.9);
  await settlement("requeue", batchId);
  await untilEqual(async () => (await money(seller, "USDC"))[1], 0);
  await untilEqual(async () => (await money(wallet, "CC"))[1], 0);
  await untilEqual(() => owed("USDC"), { held: 0, claims: 0, flying: 0, surplus });
  await assert.rejects(settlement("requeue", batchId), /was requeued/);
});

test("a start while the ledger's stream stalls credits custody nothing twice", async () => {
  const before = await venue.held(custody, "CBTC");
  const stall = { id: "stall", effect: "stream_stall", match: {}, count: 60 };
  await (await venue.control()).fault(stall);
  await venue.crashAndRestart();
  assert.ok(before > 0);
  assert.equal(await venue.held(custody, "CBTC"), before);
});

test("SET-17 SET-28 while the venue cannot follow the ledger, a wallet cannot place orders, and its open orders and other accounts continue", async () => {
  const control = await venue.control();
  [wallet, seller] = [venue.relogin(wallet), venue.relogin(seller)];
  const terms = { symbol: "CC-USDC", type: "LIMIT", qty: "100", price: "0.11" };
  // An account may place only fifty orders in ten seconds.
  const send = async (user: NativeClient) => {
    await sleep(250);
    return user.post("/v1/orders", { ...terms, side: "BUY" });
  };
  const resting = await send(wallet);
  assert.equal(resting.status, 200, resting.text);
  await control.fault({ id: "mute", effect: "stream_stall", match: {} });
  // Until the stall is noticed the wallet's orders are accepted.
  const refusal = /^The ledger network is not readable now\./;
  await until(async () => {
    const { status, text } = await send(wallet);
    return status === 503 && refusal.test(text);
  });
  assert.equal((await send(seller)).status, 200);
  assert.equal((await wallet.delete(`/v1/orders/${resting.json.order_id}`)).status, 200);
  assert.equal((await wallet.get("/v1/wallet/enrollment")).json.frozen, false);
  await control.call("DELETE", "/devnet/v1/faults/mute");
  await until(async () => (await send(wallet)).status === 200);
});

function elsewhere(): string {
  return wallet.partyId.replace(/^[^:]+/, "elsewhere");
}
