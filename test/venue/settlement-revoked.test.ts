// Proves what happens when a member revokes its MemberAuth while a batch has its coins locked: the batch ends, the
// other side gets its coins back, and nothing is paid twice when the authority returns. It runs on a whole venue with a
// development ledger and intervals of seconds.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { heldNumber } from "../support/ledger/custody-surplus.ts";
import { DevnetControl } from "../support/ledger/devnet.ts";
import { until, untilEqual } from "../support/venue/ledger-venue.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

const settings = {
  LEDGER_PROFILE: "devnet",
  LEDGER_COMMIT_FROM_MS: "0",
  LEDGER_COMMIT_TO_MS: "0",
  LEDGER_ACCEPT_DELAY_MS: "0",
  SETTLEMENT_POLL_MS: "100",
  SETTLEMENT_WINDOW_MS: "0",
  SETTLEMENT_LONG_WINDOW_MS: "0",
  SETTLEMENT_ROUND_MS: "10000",
  SETTLEMENT_LAPSE_MS: "1000",
  RECONCILE_INTERVAL_MS: "50",
  DEV_TOOLS: "1",
};

interface Member extends Trader {
  readonly party: string;
}

interface Shown {
  readonly members: readonly { account: number; status: string }[];
  readonly batches: readonly { batch_id: string; status: string; reason: string }[];
}

let fixture: VenueFixture;
let control: DevnetControl;
let maker: Trader;

before(async () => {
  fixture = await VenueFixture.open(settings);
  await ready();
  maker = await fixture.trader();
});

after(() => fixture.close());

async function ready(): Promise<void> {
  await until(async () => fixture.venue.ledger.settlement !== null);
  const read = async (name: string) =>
    JSON.parse(await readFile(join(fixture.dataDir, "ledger", name), "utf8")) as Record<
      string,
      string
    >;
  const [{ adminUrl = "" }, { admin = "" }] = [
    await read("place.json"),
    await read("secrets.json"),
  ];
  control = new DevnetControl(adminUrl, admin);
}

/** Opens a member that has `amount` of `asset` and no preapproval. */
async function openMember(asset: string, amount: string): Promise<Member> {
  const { operator } = fixture;
  const { account } = await operator.createAccount("wallet");
  const created = await operator.createKey({ account, tier: "house" });
  const { api_key: key, secret } = created as { api_key: string; secret: string };
  const party = `m${account}::1220${randomBytes(32).toString("hex")}`;
  const member = { account, key, secret, party };
  await fixture.venue.ledger.settlement("enroll", account, party);
  await control.tap(party, asset, amount);
  await until(async () => (await isActive(member)) && (await free(member, asset)) > 0);
  await control.preapproval(party, "DELETE");
  return member;
}

async function shown(): Promise<Shown> {
  return (await fixture.venue.ledger.settlement("status")) as Shown;
}

async function isActive({ account }: Member): Promise<boolean> {
  const { members } = await shown();
  return members.some((each) => each.account === account && each.status === "active");
}

function order(trader: Trader, side: "BUY" | "SELL", quantity: string) {
  const terms = { symbol: "CC-USDC", side, type: "LIMIT", timeInForce: "GTC", price: "0.15" };
  return fixture.signed(trader, "POST", "/api/v3/order", { ...terms, quantity });
}

async function free(trader: Trader, asset: string): Promise<number> {
  const { json } = await fixture.signed(trader, "GET", "/api/v3/account");
  const row = json.balances.find((each: { asset: string }) => each.asset === asset);
  return Number(row?.free ?? 0);
}

async function onLedger(party: string, asset: string): Promise<number> {
  const { holdings, isSound } = await control.audit();
  assert.ok(isSound);
  return heldNumber(holdings, party, asset);
}

/** Trades `quantity`, and revokes the authority of `revoker` once everything is locked; returns the batch id. */
async function revokedBatch(seller: Trader, buyer: Trader, revoker: Member): Promise<string> {
  const { sql } = fixture.venue.database;
  const match = { choice: "MemberAuth_ExecuteAllocations" };
  await control.fault({ id: "no-exec", effect: "backpressure", match });
  await order(seller, "SELL", "100");
  assert.equal((await order(buyer, "BUY", "100")).json.status, "FILLED");
  let batchId = "";
  await until(async () => {
    const [row] = await sql<{ batch_id: string }[]>`
      select b.batch_id from settlement_batches b
      where b.phase = 3 and b.state in (3, 4) and (
        select count(*) from settlement_allocations a where a.batch_id = b.batch_id) = 2`;
    batchId = row?.batch_id ?? "";
    return batchId !== "";
  });
  await control.authority(revoker.party, "DELETE");
  await control.call("DELETE", "/devnet/v1/faults/no-exec");
  return batchId;
}

async function untilFailed(batchId: string): Promise<void> {
  await until(async () => {
    const { batches } = await shown();
    return batches.some((each) => each.batch_id === batchId && each.status === "failed");
  });
  const { sql } = fixture.venue.database;
  const audits = await sql`select status, reason from settlement_audit where batch_id = ${batchId}`;
  assert.equal(audits.length, 1);
  assert.equal(audits[0]?.["status"], "failed");
  assert.match(String(audits[0]?.["reason"]), /revoked its authority/);
}

/** Returns the unlocked coins of a party, as the venue has read the ledger. */
async function unlocked(party: string, asset: string): Promise<number> {
  const { sql } = fixture.venue.database;
  const [row] = await sql`
    select (coalesce(sum(h.amount), 0) / power(10::numeric, 10))::text as coins
    from settlement_holdings h
    join assets a on a.asset = h.asset
    where h.party = ${party} and a.code = ${asset} and not h.is_locked and h.batch_id is null`;
  return Number(row?.["coins"]);
}

test("SET-16 SET-26 if a member revokes its authority, its batch fails when the locks expire, and custody gets its coins back", async () => {
  const member = await openMember("USDC", "1000");
  const { sql } = fixture.venue.database;
  const batchId = await revokedBatch(maker, member, member);
  const [leg] = await sql`
    select sender from settlement_legs where batch_id = ${batchId} and sender <> ${member.party}`;
  const custody = String(leg?.["sender"]);
  const whole = await onLedger(custody, "CC");
  await untilFailed(batchId);
  await untilEqual(() => unlocked(custody, "CC"), whole);
  // The lock has expired, so the member still owns the locked coins and can spend them.
  assert.equal(await onLedger(member.party, "USDC"), 1000);
  const elsewhere = member.party.replace(/^m\d+/, "elsewhere");
  await control.host(elsewhere);
  await control.spend(member.party, elsewhere, "USDC", "1000");
  assert.equal(await onLedger(member.party, "USDC"), 0);
  await control.tap(member.party, "USDC", "1000");
  const refused = await order(member, "BUY", "100");
  assert.equal(refused.status, 422);

  // Once the authority is back, the operator requeues the fills of the failed batch, and they are paid once.
  await control.authority(member.party, "POST");
  await until(() => isActive(member));
  await fixture.venue.ledger.settlement("requeue", batchId);
  await until(async () => (await onLedger(member.party, "CC")) === 99.9);
  await until(async () => (await free(member, "CC")) === 99.9);
  assert.equal(await onLedger(member.party, "USDC"), 985);
  assert.equal(await onLedger(custody, "CC"), Number((whole - 99.9).toFixed(10)));
  await untilEqual(() => free(member, "USDC"), 985);
});

test("SET-16 if one of two wallets revokes its authority, the other gets its coins back", async () => {
  const buyer = await openMember("USDC", "1000");
  const seller = await openMember("CC", "500");
  const batchId = await revokedBatch(seller, buyer, buyer);
  await untilFailed(batchId);
  await untilEqual(() => unlocked(seller.party, "CC"), 500);
  assert.equal(await onLedger(seller.party, "CC"), 500);
  assert.equal(await onLedger(buyer.party, "USDC"), 1000);
});

test("SET-16 SET-27 if a member renews its authority before the locks expire, its batch is settled once", async () => {
  const member = await openMember("USDC", "1000");
  const batchId = await revokedBatch(maker, member, member);
  await control.authority(member.party, "POST");
  await until(async () => {
    const { batches } = await shown();
    return batches.some((each) => each.batch_id === batchId && each.status === "confirmed");
  });
  assert.equal(await onLedger(member.party, "CC"), 99.9);
  assert.equal(await onLedger(member.party, "USDC"), 985);
});
