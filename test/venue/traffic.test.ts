// Proves that a whole venue counts its ledger traffic as its development ledger records it, and that the operator's own
// traders see the traffic figures.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { NativeClient } from "../support/client/native-client.ts";
import { untilRoomIn } from "../support/clock/clock-windows.ts";
import { LedgerVenue, until } from "../support/venue/ledger-venue.ts";
import type { Trader } from "../support/venue/venue-fixture.ts";

let venue: LedgerVenue;
let house: Trader;

before(async () => {
  // Start with enough of the day left, because the fleet's budget is for one day.
  await untilRoomIn(86_400_000, 300_000);
  venue = await LedgerVenue.open({ RECONCILE_INTERVAL_MS: "1000", HOUSE_FILLS_PER_DAY: "5" });
  house = await fleetMember("mm-coins");
});
after(() => venue.close());

/** Creates a house account with money and a key with this label. */
async function fleetMember(label: string): Promise<Trader> {
  const { operator } = venue.fixture;
  const { account } = await operator.createAccount("house");
  for (const asset of ["USDC", "CC"])
    await operator.fund({ account, wallet: "spot", asset, amount: "100000" });
  const created = await operator.createKey({ account, tier: "house", label });
  const { api_key: key, secret } = created as { api_key: string; secret: string };
  return { account, key, secret };
}

async function get(path: string) {
  const { status, json, text } = await new NativeClient(venue.fixture.address).get(path);
  assert.equal(status, 200, text);
  return json;
}

/** Returns the costs of the venue's submissions in the ledger's own log, by the prefix of their ids. */
async function logged(): Promise<Map<string, { bytes: number; tx: number }>> {
  const { sql } = venue.fixture.venue.database;
  const rows = await sql<{ word: string; bytes: string; tx: string }[]>`
    select split_part(command_id, ':', 1) as word, sum(traffic_cost)::text as bytes,
           count(*)::text as tx
    from devnet_ledger.completion where user_id = 'venue' group by 1`;
  return new Map(
    rows.map(({ word, bytes, tx }) => [word, { bytes: Number(bytes), tx: Number(tx) }]),
  );
}

const args: Readonly<Record<string, readonly string[]>> = {
  settlement: ["stl"],
  epoch: ["epc"],
  enrollment: ["enr"],
  maintenance: ["mnt", "wdr"],
};

/** Resolves when every fill with a member is on the ledger. */
async function untilSettled(): Promise<void> {
  const { sql } = venue.fixture.venue.database;
  await until(async () => {
    const [row] = await sql<{ fills: string; open: string }[]>`
      select (select count(*) from fills)::text as fills,
             ((select count(*) from fills) - (
               select count(*) from settlement_fills s join settlement_batches b
                 on b.batch_id = s.batch_id where b.state = 5))::text as open`;
    return Number(row?.fills) > 0 && row?.open === "0";
  });
}

async function untilCounted(): Promise<void> {
  await until(async () => {
    const costs = await logged();
    const { lanes } = await get("/v1/traffic");
    return Object.entries(args).every(([name, own]) => {
      const lane = lanes.find((each: { lane: string }) => each.lane === name);
      const sum = (field: "bytes" | "tx") =>
        own.reduce((total, word) => total + (costs.get(word)?.[field] ?? 0), 0);
      return lane.used_bytes === sum("bytes") && lane.tx === sum("tx");
    });
  });
}

async function trade(user: NativeClient): Promise<void> {
  const terms = { symbol: "CC-USDC", type: "LIMIT", price: "0.15" };
  await venue.fixture.signed(house, "POST", "/api/v3/order", {
    ...{ ...terms, side: "SELL", quantity: "100", timeInForce: "GTC" },
  });
  const { json, text } = await user.post("/v1/orders", { ...terms, side: "BUY", qty: "100" });
  assert.equal(json?.status, "FILLED", text);
}

test("TRF-1 TRF-2 TRF-9 every submission is charged to its lane once, even if it failed, was lost or preceded a crash", async () => {
  const user = await venue.member();
  const control = await venue.control();
  const match = { commandIdPrefix: "stl:" };
  for (const effect of ["locked", "drop_after_commit"]) {
    await control.fault({ id: effect, effect, match, count: 1 });
    await trade(user);
    await untilSettled();
  }
  await untilCounted();
  const traffic = await get("/v1/traffic");
  assert.equal(traffic.window_s, 1200);
  assert.equal(traffic.base.burst_bytes, 400_000);
  assert.equal(traffic.base.source, "measured");
  assert.deepEqual(traffic.extra, { purchased: 0, consumed: 0 });
  assert.ok(traffic.base.remaining_bytes > 0 && traffic.base.remaining_bytes <= 400_000);
  const names = traffic.lanes.map(({ lane }: { lane: string }) => lane);
  assert.deepEqual(names, ["settlement", "epoch", "rfq", "enrollment", "maintenance", "reserve"]);
  const [settlement] = traffic.lanes;
  assert.ok(settlement.tx >= 2 && settlement.last_cost > 2_000);
  assert.equal(settlement.budget_bytes, 200_000);
  const used = traffic.lanes.reduce(
    (sum: number, lane: { used_bytes: number }) => sum + lane.used_bytes,
    0,
  );
  assert.equal(traffic.base.used_bytes, used);
  await trade(user);
  await untilSettled();
  await venue.crashAndRestart();
  await untilCounted();
});

test("TRF-4 the traffic report lists the fleet's house accounts with their remaining budget of the day", async () => {
  const user = await venue.member();
  await fleetMember("taker-coins");
  await venue.fixture.operator.createAccount("house");
  await trade(user);
  await untilSettled();
  const order = { symbol: "CBTC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  await venue.fixture.signed(house, "POST", "/api/v3/order", {
    ...{ ...order, price: "20000", quantity: "0.001" },
  });
  let shown = await get("/v1/traffic/mm");
  await until(async () => {
    shown = await get("/v1/traffic/mm");
    // Orders are counted at once, fills every ten seconds.
    return shown.fleet[0]?.open_orders === 1 && shown.fleet.length === 2;
  });
  const [maker, taker] = shown.fleet;
  assert.deepEqual(maker, {
    name: "mm-coins",
    account: house.account,
    symbols: ["CBTC-USDC"],
    open_orders: 1,
    fills_24h: 4,
    budget_left: 1,
  });
  assert.deepEqual([taker.name, taker.symbols, taker.fills_24h], ["taker-coins", [], 0]);
});

test("TRF-3 OPS-137 the traffic report requests a halt of the fleet while the venue does not read the ledger", async () => {
  const { pid } = await venue.place();
  process.kill(pid, "SIGSTOP");
  try {
    await until(async () => (await get("/v1/traffic/mm")).state === "halted");
    // OPS-137: the operator is told, with the reason.
    await until(async () => {
      const { problems = [] } = await get("/health");
      return problems.some(({ text }: { text: string }) =>
        /^the venue's makers are halted: wallets were last compared/.test(text),
      );
    });
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await until(async () => (await get("/v1/traffic/mm")).state === "ok");
});
