// Proves for traders that a delisted spot market cancels and refunds their orders, settles their trades at once, and
// keeps its history available.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { MarketStatus } from "../../src/core/markets.ts";
import { DevnetControl } from "../support/ledger/devnet.ts";
import { until, untilEqual } from "../support/venue/ledger-venue.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

const settings = {
  LEDGER_PROFILE: "devnet",
  LEDGER_COMMIT_FROM_MS: "0",
  LEDGER_COMMIT_TO_MS: "0",
  LEDGER_ACCEPT_DELAY_MS: "0",
  SETTLEMENT_POLL_MS: "100",
  RECONCILE_INTERVAL_MS: "50",
  DEV_TOOLS: "1",
};

interface Shown {
  readonly members: readonly { readonly status: string }[];
}

let fixture: VenueFixture;
let maker: Trader;
let member: Trader;

before(async () => {
  fixture = await VenueFixture.open(settings);
  const { operator } = fixture;
  await until(async () => fixture.venue.ledger.settlement !== null);
  maker = await fixture.trader();
  const { account } = await operator.createAccount("wallet");
  const created = await operator.createKey({ account, tier: "house" });
  const { api_key: key, secret } = created as { api_key: string; secret: string };
  member = { account, key, secret };
  const party = `m${account}::1220${randomBytes(32).toString("hex")}`;
  await fixture.venue.ledger.settlement("enroll", account, party);
  const read = async (name: string) =>
    JSON.parse(await readFile(join(fixture.dataDir, "ledger", name), "utf8"));
  const [{ adminUrl }, { admin }] = [await read("place.json"), await read("secrets.json")];
  await new DevnetControl(adminUrl, admin).tap(party, "USDC", "1000");
  await until(async () => (await balance("USDC")).free === "1000.000000");
  await until(async () => {
    const { members } = (await fixture.venue.ledger.settlement("status")) as Shown;
    return members[0]?.status === "active";
  });
});

after(() => fixture.close());

async function balance(asset: string): Promise<{ free: string; locked: string }> {
  const { json } = await fixture.signed(member, "GET", "/api/v3/account");
  return json.balances.find((each: { asset: string }) => each.asset === asset);
}

function order(trader: Trader, side: "BUY" | "SELL", price: string) {
  const terms = { symbol: "CC-USDC", side, type: "LIMIT", timeInForce: "GTC", quantity: "100" };
  return fixture.signed(trader, "POST", "/api/v3/order", { ...terms, price });
}

/** Returns the value of a metric that has a single line. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${fixture.address}/metrics`)).text();
  const line = text
    .split("\n")
    .find((each) => each.startsWith(`${name} `) || each.startsWith(`${name}{`));
  return Number(line?.split(" ").at(-1));
}

async function trades() {
  const { json } = await fixture.signed(member, "GET", "/api/v3/myTrades", { symbol: "CC-USDC" });
  return json as { settlementStatus: string; cantonUpdateId: string | null }[];
}

test("SET-14 /metrics shows pending settlement", async () => {
  await order(maker, "SELL", "0.15");
  assert.equal((await order(member, "BUY", "0.15")).json.status, "FILLED");
  await until(async () => (await metric('rialto_settlement_batches{state="open"}')) === 1);
  await untilEqual(() => metric("rialto_settlement_pending_fills"), 1);
  await until(async () => (await metric("rialto_settlement_lag_seconds")) > 0);
  assert.equal((await trades())[0]?.settlementStatus, "pending");
});

test("SET-13 SPT-3 delisting cancels and refunds open orders, settles trades at once, and keeps its history", async () => {
  assert.equal((await order(member, "BUY", "0.10")).status, 200);
  const held = await balance("USDC");
  assert.equal(held.locked, "10.000000");
  const { clearing, table } = fixture.venue;
  const market = table.markets.find(({ symbol }) => symbol === "CC-USDC")?.id ?? -1;
  const status = MarketStatus.delisted;
  await clearing.send({ kind: CommandKind.setMarketStatus, account: 0, market, status });
  await until(async () => (await balance("USDC")).locked === "0.000000");
  await untilEqual(async () => (await balance("USDC")).free, "985.000000");
  const open = await fixture.signed(member, "GET", "/api/v3/openOrders", { symbol: "CC-USDC" });
  assert.deepEqual(open.json, []);
  // Without the delisting, a batch would wait for minutes.
  await until(async () => (await trades())[0]?.settlementStatus === "confirmed");
  assert.match((await trades())[0]?.cantonUpdateId ?? "", /^1220/);
  await until(async () => (await metric("rialto_settlement_pending_fills")) === 0);
  const history = await fixture.signed(member, "GET", "/api/v3/allOrders", { symbol: "CC-USDC" });
  const states = history.json.map((each: { status: string }) => each.status);
  assert.deepEqual(states, ["FILLED", "CANCELED"]);
  assert.equal((await fixture.get("/api/v3/trades?symbol=CC-USDC")).json.length, 1);
  const { symbols } = (await fixture.get("/api/v3/exchangeInfo?symbol=CC-USDC")).json;
  assert.equal(symbols[0].status, "BREAK");
  assert.equal((await order(member, "BUY", "0.10")).status, 422);
});
