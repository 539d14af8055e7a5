// Proves how fills of wallet-funded accounts are settled, on a whole venue with a development ledger as a second
// process: what a trader sees, and what the ledger has afterwards.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { BatchState } from "../../src/ports/ledger/batch-states.ts";
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
  RECONCILE_INTERVAL_MS: "50",
  DEV_TOOLS: "1",
};

interface Member extends Trader {
  readonly party: string;
}

let fixture: VenueFixture;
let control: DevnetControl;
let maker: Trader;
let member: Member;

before(async () => {
  fixture = await VenueFixture.open(settings);
  await until(async () => fixture.venue.ledger.settlement !== null);
  control = await controlOf(fixture.dataDir);
  maker = await fixture.trader();
  member = await openMember();
});

after(() => fixture.close());

async function controlOf(dataDir: string): Promise<DevnetControl> {
  const read = async (name: string) =>
    JSON.parse(await readFile(join(dataDir, "ledger", name), "utf8")) as Record<string, string>;
  const [{ adminUrl = "" }, { admin = "" }] = await Promise.all([
    read("place.json"),
    read("secrets.json"),
  ]);
  return new DevnetControl(adminUrl, admin);
}

async function openMember(): Promise<Member> {
  const { operator } = fixture;
  const { account } = await operator.createAccount("wallet");
  const created = await operator.createKey({ account, tier: "house" });
  const { api_key: key, secret } = created as { api_key: string; secret: string };
  return { account, key, secret, party: `m${account}::1220${randomBytes(32).toString("hex")}` };
}

function order(trader: Trader, side: "BUY" | "SELL", quantity: string, more: object = {}) {
  const terms = { symbol: "CC-USDC", side, type: "LIMIT", timeInForce: "GTC", price: "0.15" };
  return fixture.signed(trader, "POST", "/api/v3/order", { ...terms, quantity, ...more });
}

async function free(trader: Trader, asset: string): Promise<number> {
  const { json } = await fixture.signed(trader, "GET", "/api/v3/account");
  const row = json.balances.find((each: { asset: string }) => each.asset === asset);
  return Number(row?.free ?? 0);
}

async function locked(trader: Trader, asset: string): Promise<number> {
  const { json } = await fixture.signed(trader, "GET", "/api/v3/account");
  const row = json.balances.find((each: { asset: string }) => each.asset === asset);
  return Number(row?.locked ?? 0);
}

async function trades(trader: Trader) {
  const { json } = await fixture.signed(trader, "GET", "/api/v3/myTrades", { symbol: "CC-USDC" });
  return json as {
    id: number;
    settlementStatus: string;
    cantonUpdateId: string | null;
    commission: string;
  }[];
}

async function onLedger(party: string, asset: string): Promise<number> {
  return heldNumber((await control.audit()).holdings, party, asset);
}

async function untilSettled(trader: Trader, count: number): Promise<void> {
  await until(async () => {
    const rows = await trades(trader);
    return (
      rows.length >= count &&
      rows.every(({ settlementStatus }) => ["confirmed", "internal"].includes(settlementStatus))
    );
  });
}

test("SET-1 a wallet account trades only once its wallet has accepted MemberAuth", async () => {
  const refused = await order(member, "BUY", "100");
  assert.deepEqual([refused.status, refused.json.code], [422, -2012]);
  await fixture.venue.ledger.settlement("enroll", member.account, member.party);
  await until(async () => (await order(member, "BUY", "100")).json.code !== -2012);
});

test("SET-2 a party's holdings on the ledger are its spot balance, credited once", async () => {
  await control.tap(member.party, "USDC", "1000");
  await until(async () => (await free(member, "USDC")) > 0);
  assert.equal(await free(member, "USDC"), 1000);
  await fixture.crashAndRestart();
  await until(async () => fixture.venue.ledger.settlement !== null);
  control = await controlOf(fixture.dataDir);
  await control.tap(member.party, "CC", "7");
  await until(async () => (await free(member, "CC")) > 0);
  assert.deepEqual([await free(member, "USDC"), await free(member, "CC")], [1000, 7]);
});

test("SET-2 the operator cannot credit a balance that mirrors a party", async () => {
  const request = { account: member.account, wallet: "spot", asset: "USDC", amount: "1" };
  await assert.rejects(fixture.operator.fund(request), /mirrors its party/);
});

test("SET-3 a fill with custody is settled on the ledger, and custody sends the amount less the fee", async () => {
  await order(maker, "SELL", "100");
  const taken = await order(member, "BUY", "100");
  assert.equal(taken.json.status, "FILLED");
  await untilSettled(member, 1);
  const [own] = await trades(member);
  const [other] = await trades(maker);
  assert.equal(own?.settlementStatus, "confirmed");
  assert.match(own.cantonUpdateId ?? "", /^1220[0-9a-f]{64}$/);
  assert.equal(other?.cantonUpdateId, own.cantonUpdateId);
  assert.equal(Number(own.commission), 0.1);
  assert.equal(await onLedger(member.party, "CC"), 106.9);
  assert.equal(await onLedger(member.party, "USDC"), 985);
  await until(async () => (await free(member, "CC")) === 106.9);
});

test("HST-5 SET-3 fills of custody's accounts never reach the ledger", async () => {
  const taker = await fixture.trader();
  await order(maker, "SELL", "100");
  await order(taker, "BUY", "100");
  const [own] = await trades(taker);
  assert.deepEqual([own?.settlementStatus, own?.cantonUpdateId], ["internal", null]);
});

test("SET-4 the fills of one batch share one update, which pays their net", async () => {
  for (let count = 0; count < 3; count++) await order(maker, "SELL", "100");
  const usdc = await onLedger(member.party, "USDC");
  const taken = await order(member, "BUY", "300");
  assert.equal(taken.json.fills.length, 3);
  await untilSettled(member, 4);
  const ids = new Set((await trades(member)).slice(1).map(({ cantonUpdateId }) => cantonUpdateId));
  assert.equal(ids.size, 1);
  assert.ok(!ids.has(null));
  assert.equal(await onLedger(member.party, "USDC"), usdc - 45);
});

test("SET-5 fills between two wallets have no fee and are settled between their parties", async () => {
  const other = await openMember();
  await fixture.venue.ledger.settlement("enroll", other.account, other.party);
  await control.tap(other.party, "CC", "500");
  await until(async () => (await free(other, "CC")) === 500);
  await until(async () => (await order(other, "SELL", "200", { price: "0.14" })).status === 200);
  const taken = await order(member, "BUY", "200", { price: "0.14" });
  assert.equal(taken.json.status, "FILLED");
  await untilSettled(other, 1);
  const [own] = await trades(other);
  assert.equal(Number(own?.commission), 0);
  assert.equal(await onLedger(other.party, "CC"), 300);
  assert.equal(await onLedger(other.party, "USDC"), 28);
});

test("SET-9 without a preapproval a batch is locked first and then paid, by one update", async () => {
  await control.preapproval(member.party, "DELETE");
  const before = await onLedger(member.party, "CC");
  await order(maker, "SELL", "100");
  await order(member, "BUY", "100");
  const count = (await trades(member)).length;
  await untilSettled(member, count);
  assert.equal(await onLedger(member.party, "CC"), Number((before + 99.9).toFixed(10)));
  const { sql } = fixture.venue.database;
  const rows = await sql<{ command_id: string; update_id: string }[]>`
    select command_id, update_id from devnet_ledger.update_log
    where command_id like 'stl:%' order by "offset" desc limit 2`;
  assert.deepEqual(
    rows.map(({ command_id: id }) => id.split(":")[3]),
    ["exec", "alloc"],
  );
  assert.equal((await trades(member)).at(-1)?.cantonUpdateId, rows[0]?.update_id);
});

test("SET-9 SET-23 locked coins that cannot be paid are released, and the batch is settled later", async () => {
  const choice = "MemberAuth_ExecuteAllocations";
  const fault = { id: "no-exec", effect: "inactive", match: { choice }, count: 1 };
  await control.fault(fault);
  await order(maker, "SELL", "100");
  await order(member, "BUY", "100");
  await untilSettled(member, (await trades(member)).length);
  const { sql } = fixture.venue.database;
  const rows = await sql<{ command_id: string }[]>`
    select command_id from devnet_ledger.update_log
    where command_id like 'stl:%' order by "offset" desc limit 4`;
  assert.deepEqual(
    rows.map(({ command_id: id }) => id.split(":")[3]),
    ["exec", "alloc", "cancel", "alloc"],
  );
  const settled = await onLedger(member.party, "CC");
  await until(async () => (await free(member, "CC")) === settled);
  await control.preapproval(member.party, "POST");
});

async function openOrders(trader: Trader): Promise<number> {
  const params = { symbol: "CC-USDC" };
  return (await fixture.signed(trader, "GET", "/api/v3/openOrders", params)).json.length;
}

async function isFrozen(trader: Trader): Promise<boolean> {
  const { status, json } = await order(trader, "BUY", "100", { price: "0.1" });
  return status === 422 && json.code === -2010 && /^Account is frozen/.test(json.msg);
}

test("SET-6 free coins that a party removes leave its balance, and nothing else changes", async () => {
  const had = await free(member, "USDC");
  await order(member, "SELL", "100", { price: "0.5", newClientOrderId: "resting" });
  await control.spend(member.party, elsewhere(), "USDC", "500");
  await until(async () => (await free(member, "USDC")) === had - 500);
  assert.deepEqual([await openOrders(member), await isFrozen(member)], [1, false]);
  await fixture.crashAndRestart();
  await until(async () => fixture.venue.ledger.settlement !== null);
  control = await controlOf(fixture.dataDir);
  await fixture.signed(member, "DELETE", "/api/v3/openOrders", { symbol: "CC-USDC" });
  await control.tap(member.party, "USDC", "500");
  await until(async () => (await free(member, "USDC")) === had);
});

test("SET-6 open orders that hold removed coins are cancelled", async () => {
  const had = await free(member, "USDC");
  await order(member, "BUY", "3000", { price: "0.1" });
  assert.equal(await locked(member, "USDC"), 300);
  await control.spend(member.party, elsewhere(), "USDC", String(Math.floor(had - 100)));
  await until(async () => (await openOrders(member)) === 0);
  await until(async () => (await free(member, "USDC")) < 101);
  assert.equal(await isFrozen(member), false);
  await fixture.signed(member, "DELETE", "/api/v3/openOrders", { symbol: "CC-USDC" });
  await control.tap(member.party, "USDC", String(Math.floor(had - 100)));
  await until(async () => (await free(member, "USDC")) === had);
});

test("SET-6 SET-21 if a party removes coins that its fills have spent, only its account is frozen, until the coins are back", async () => {
  await stuckBatch();
  await order(member, "SELL", "100", { price: "0.5" });
  // The batch must still pay 15 USDC from the wallet. Remove all free coins and 10 of these 15.
  const gone = ((await free(member, "USDC")) + 10).toFixed(6);
  await control.spend(member.party, elsewhere(), "USDC", gone);
  await until(() => isFrozen(member));
  await until(async () => (await openOrders(member)) === 0);
  assert.equal((await order(maker, "SELL", "100", { price: "0.5" })).status, 200);
  await control.call("DELETE", "/devnet/v1/faults/stuck");
  await control.tap(member.party, "USDC", gone);
  await until(async () => !(await isFrozen(member)));
  await fixture.signed(member, "DELETE", "/api/v3/openOrders", { symbol: "CC-USDC" });
  await untilSettled(member, (await trades(member)).length);
});

interface Shown {
  readonly batches: readonly { batch_id: string; status: string }[];
}

/** Makes a batch of one fill that the ledger keeps refusing; returns its id once its state is `retry`. */
async function stuckBatch(): Promise<string> {
  const { settlement } = fixture.venue.ledger;
  await control.fault({ id: "stuck", effect: "backpressure", match: { commandIdPrefix: "stl:" } });
  await order(maker, "SELL", "100");
  await order(member, "BUY", "100");
  let found = "";
  await until(async () => {
    const { batches } = (await settlement("status")) as Shown;
    found = batches.find(({ status }) => status === "retry")?.batch_id ?? "";
    return found !== "";
  });
  return found;
}

test("SET-12 the proceeds of a wallet's fill cannot be sold before they are on the ledger", async () => {
  const [bought, held] = [99.9, await onLedger(member.party, "CC")];
  await untilEqual(() => free(member, "CC"), held);
  await stuckBatch();
  assert.deepEqual([await free(member, "CC"), await locked(member, "CC")], [held, bought]);
  const all = { price: "0.5", newClientOrderId: "all-of-it" };
  const refused = await order(member, "SELL", String(Math.floor(held) + 50), all);
  assert.deepEqual([refused.status, refused.json.code], [422, -2010]);
  await fixture.crashAndRestart();
  await until(async () => fixture.venue.ledger.settlement !== null);
  control = await controlOf(fixture.dataDir);
  assert.deepEqual([await free(member, "CC"), await locked(member, "CC")], [held, bought]);
  await control.call("DELETE", "/devnet/v1/faults/stuck");
  await until(async () => (await locked(member, "CC")) === 0);
  await untilEqual(() => free(member, "CC"), await onLedger(member.party, "CC"));
});

test("SET-10 SET-8 a failed batch freezes its member until the fills are queued as a new batch and settle", async () => {
  const { settlement } = fixture.venue.ledger;
  const batchId = await stuckBatch();
  await assert.rejects(settlement("requeue", batchId), /has neither failed nor been skipped/);
  await assert.rejects(settlement("requeue", "b-none"), /^Error: no batch b-none$/);
  const { sql } = fixture.venue.database;
  // Set the failed state directly, because twelve refusals would take minutes.
  await until(async () => {
    // Only between two tries, when it holds no coins.
    const failed = await sql`
      update settlement_batches set state = ${BatchState.failed}
      where batch_id = ${batchId} and state = ${BatchState.retry} returning batch_id`;
    return failed.length === 1;
  });
  await until(
    async () => (await order(member, "BUY", "100", { price: "0.1" })).json.code === -2010,
  );
  assert.equal((await order(maker, "BUY", "100", { price: "0.1" })).status, 200);
  await settlement("requeue", batchId);
  await control.call("DELETE", "/devnet/v1/faults/stuck");
  await untilSettled(member, 8);
  await until(async () => (await order(member, "BUY", "100", { price: "0.1" })).status === 200);
  const [audit] = await sql`select status from settlement_audit where batch_id = ${batchId}`;
  assert.equal(audit?.["status"], "requeued");
});

test("SET-8 the operator can skip a batch that no attempt can settle, permanently", async () => {
  const { settlement } = fixture.venue.ledger;
  const batchId = await stuckBatch();
  await assert.rejects(settlement("skip", "b-none"), /^Error: no batch b-none$/);
  await settlement("skip", batchId);
  await control.call("DELETE", "/devnet/v1/faults/stuck");
  await assert.rejects(settlement("skip", batchId), /is open or ended/);
  const rows = await trades(member);
  assert.equal(rows.at(-1)?.settlementStatus, "skipped");
  const { sql } = fixture.venue.database;
  const [audit] = await sql`select status from settlement_audit where batch_id = ${batchId}`;
  assert.equal(audit?.["status"], "skipped");
});

function elsewhere(): string {
  return member.party.replace(/^m\d+/, "elsewhere");
}
