// Proves the solvency report on a whole venue with a development ledger as a second process. The test requests the
// report continuously while money moves. The surplus must not change by even one unit, because the report counts a
// moving amount exactly once: at its source, at its destination, or as in flight.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { NativeClient } from "../support/client/native-client.ts";
import { freeOf, LedgerVenue, until } from "../support/venue/ledger-venue.ts";

interface Item {
  readonly asset: string;
  readonly liabilities: string;
  readonly held: string;
  readonly ledger_holdings: string;
  readonly in_flight: string;
  readonly claims: string;
  readonly surplus: string;
  readonly as_of: string;
  readonly ledger_offset: number;
}

const assets = ["USDC", "CC", "CBTC", "CETH"] as const;

let venue: LedgerVenue;
let payer: string;
let custody: string;
/** Expected surplus by asset: custody's initial holdings, less what the faucet gave to users. */
let expected: ReadonlyMap<string, bigint>;

before(async () => {
  venue = await LedgerVenue.open({ TRUSTED_PROXIES: "127.0.0.1" });
  ({ custody } = await venue.place());
  payer = await party("payer");
  for (const asset of ["USDC", "CC"]) await (await venue.control()).tap(payer, asset, "100000");
});
after(() => venue.close());

async function party(hint: string): Promise<string> {
  const id = `${hint}::1220${randomBytes(32).toString("hex")}`;
  await (await venue.control()).host(id);
  return id;
}

/** Converts a decimal of at most ten places to units of 10^−10. */
function units(text: string): bigint {
  const [whole = "", fraction = ""] = text.replace("-", "").split(".");
  const size = BigInt(whole + fraction.padEnd(10, "0"));
  return text.startsWith("-") ? -size : size;
}

let requested = 0;

/** Both clocks are this machine's, but the venue's may be held a little behind. */
const clocksMs = 50;
/** Longest time in ms until a report is new. */
const reportMsMax = 120_000;

/**
 * Returns the items of a new report. Each request comes from another address, so that address limits do not apply. On a
 * busy machine the venue's two readings of the ledger may differ until the timeout, or for so long that an earlier report
 * is shown (SLV-4); then this retries.
 */
async function report(): Promise<Item[]> {
  for (const endMs = performance.now() + reportMsMax; ; ) {
    assert(performance.now() < endMs, "a new report must come");
    const sentMs = Date.now();
    const client = new NativeClient(venue.fixture.address);
    requested++;
    client.address = `192.0.2.${requested % 250}`;
    const { status, json, text } = await client.get("/v1/solvency");
    if (status === 200) {
      const items: Item[] = json.items;
      if (items.every(({ as_of }) => Date.parse(as_of) >= sentMs - clocksMs)) return items;
      continue;
    }
    assert.deepEqual(
      [status, json],
      [503, { error: "the ledger is still being read; try again shortly" }],
      text,
    );
  }
}

/**
 * Returns the total that the faucet has granted, by asset. The faucet's account has this total as a negative balance.
 */
async function granted(): Promise<Map<string, bigint>> {
  const shown = (await venue.fixture.operator.showAccount(7)) as {
    balances: { asset: string; total: string }[];
  };
  return new Map(shown.balances.map(({ asset, total }) => [asset, -units(total)]));
}

/** Custody's initial amount of each asset on a development ledger. */
const endowment = units("1000000000");

async function expectFrom(): Promise<void> {
  const given = await granted();
  expected = new Map(assets.map((asset) => [asset, endowment - (given.get(asset) ?? 0n)]));
}

function assertExact(items: readonly Item[]): void {
  assert.deepEqual(
    items.map(({ asset }) => asset),
    assets,
  );
  for (const item of items) {
    const { asset, surplus } = item;
    const sum = units(item.ledger_holdings) + units(item.in_flight) - units(item.liabilities);
    assert.equal(sum, units(surplus), JSON.stringify(item));
    assert.equal(units(item.claims), 0n, JSON.stringify(item));
    assert.equal(units(surplus), expected.get(asset), JSON.stringify(item));
  }
}

type Assets = ReadonlySet<string>;

/** Requests the report repeatedly while `work` runs; tells it, and returns, the assets that were seen in flight. */
async function watched(work: (flew: Assets) => Promise<void>): Promise<Assets> {
  const flew = new Set<string>();
  const state = { isOver: false };
  const watch = async () => {
    while (!state.isOver) {
      const items = await report();
      assertExact(items);
      for (const { asset, in_flight: flying } of items) if (units(flying) !== 0n) flew.add(asset);
    }
  };
  const watching = watch();
  await Promise.all([work(flew).finally(() => (state.isOver = true)), watching]);
  return flew;
}

async function funded(given: Readonly<Record<string, string>>, wallet = "spot") {
  const user = await venue.user();
  for (const [asset, amount] of Object.entries(given))
    await user.post("/v1/deposits/seed", { asset, amount, wallet });
  return user;
}

async function member(): Promise<NativeClient> {
  const user = await venue.member();
  await (await venue.control()).tap(user.partyId, "CC", "1000");
  await until(async () => (await freeOf(user, "spot", "CC")) === 1000);
  return user;
}

async function order(user: NativeClient, terms: object): Promise<void> {
  const { status, text } = await user.post("/v1/orders", { type: "LIMIT", ...terms });
  assert.equal(status, 200, text);
}

const coin = { symbol: "CC-USDC", price: "0.15" };

async function withdrawn(user: NativeClient, id: string): Promise<string> {
  let status = "";
  await until(async () => {
    ({ status } = (await user.get(`/v1/withdrawals/${id}`)).json);
    return status === "completed" || status === "failed";
  });
  return status;
}

test("SLV-1 SLV-2 SLV-7 the report agrees with balances, positions and the ledger's own list of coins", async () => {
  const long = await funded({ USDC: "10000" }, "perp");
  const short = await funded({ USDC: "10000" }, "perp");
  const perp = { symbol: "BTC-PERP", qty: "0.01" };
  await order(long, { ...perp, side: "BUY", price: "50000" });
  await order(short, { ...perp, side: "SELL", price: "50000" });
  await order(short, { ...perp, side: "BUY", price: "50100", qty: "0.004" });
  await order(long, { ...perp, side: "SELL", price: "50100", qty: "0.004" });
  await funded({ USDC: "3", CC: "4", CBTC: "0.5", CETH: "6" });
  await expectFrom();
  const items = await report();
  assertExact(items);
  const { sql } = venue.fixture.venue.database;
  const owed = async () =>
    new Map(
      (
        await sql<{ code: string; owed: string }[]>`
          select a.code, (coalesce((select sum(total) from balances b
                            where b.asset = a.asset and b.account <> 7), 0)
                 - coalesce((select sum(p.entry_value) from positions p join markets k
                            on k.market = p.market where k.quote_asset = a.asset), 0))::text as owed
          from assets a`
      ).map(({ code, owed: sum }) => [code, BigInt(sum)]),
    );
  await until(async () => {
    const sums = await owed();
    return items.every(({ asset, liabilities }) => {
      const places = asset === "USDC" ? 10n ** 4n : 10n ** 2n;
      return sums.get(asset) === units(liabilities) / places;
    });
  });
  for (const { asset, ledger_holdings: holdings, in_flight: flying, as_of: asOf } of items) {
    assert.equal(Number(holdings), await venue.held(custody, asset));
    assert.equal(units(flying), 0n);
    assert.ok(Math.abs(Date.now() - Date.parse(asOf)) < 60_000);
  }
  const first = new NativeClient(venue.fixture.address);
  const { json } = await first.get("/v1/solvency?limit=1");
  assert.deepEqual([json.items.length, json.items[0].asset], [1, "USDC"]);
  const rest = await first.get(`/v1/solvency?cursor=${json.next_cursor}`);
  assert.deepEqual([rest.json.items.length, rest.json.next_cursor], [3, null]);
  const bad = await first.get("/v1/solvency?limit=no");
  assert.deepEqual([bad.status, bad.json], [400, { error: "invalid query parameter: limit" }]);
});

test("SLV-3 SLV-8 deposits, with and without a reference, never change the surplus by a unit", async () => {
  const user = await venue.user();
  const { reference } = (await user.get("/v1/deposits/address?asset=USDC")).json;
  const control = await venue.control();
  await watched(async () => {
    for (let count = 0; count < 12; count++) {
      await control.spend(payer, custody, "USDC", "12.345678", count % 3 === 0 ? "" : reference);
    }
    await control.spend(payer, custody, "USDC", "0.5", reference);
    await until(async () => (await freeOf(user, "funding", "USDC")) === 98.765424);
    // Coins without an owner do not count as surplus.
    await until(async () => {
      const flying = (await report()).find(({ asset }) => asset === "USDC");
      return flying?.in_flight === "-49.8827120000";
    });
  });
  const { custody: operator } = venue.fixture.operator;
  const rows = (await operator.listDeposits(false)) as { deposit_id: number; status: string }[];
  const [first] = rows.filter(({ status }) => status === "unclaimed");
  await watched(async () => {
    await operator.returnDeposit(first?.deposit_id ?? 0);
    await until(async () => {
      const left = (await report()).find(({ asset }) => asset === "USDC");
      return left?.in_flight === "-37.5370340000";
    });
  });
});

test("SLV-3 SLV-8 fills with members and their settlement never change the surplus by a unit", async () => {
  const maker = await funded({ USDC: "10000", CC: "10000" });
  const [one, other] = [await member(), await member()];
  await expectFrom();
  const control = await venue.control();
  const match = { commandIdPrefix: "stl:" };
  await control.fault({ id: "slow", effect: "delay", ms: 50, match });
  // Nothing is settled until the report has shown that it is in flight.
  await control.fault({ id: "held", effect: "backpressure", match });
  await watched(async (flew) => {
    for (let count = 0; count < 10; count++) {
      await order(maker, { ...coin, side: "SELL", qty: "100" });
      await order(one, { ...coin, side: "BUY", qty: "100" });
      await order(other, { ...coin, side: "SELL", qty: "70" });
      await order(maker, { ...coin, side: "BUY", qty: "70" });
      await order(one, { ...coin, side: "SELL", qty: "80" });
      await order(other, { ...coin, side: "BUY", qty: "80" });
      if (count > 0) continue;
      await until(async () => flew.has("CC") && flew.has("USDC"));
      await control.call("DELETE", "/devnet/v1/faults/held");
    }
    const { sql } = venue.fixture.venue.database;
    await until(async () => {
      const [row] = await sql`select from settlement_batches where state <> 5`;
      return row === undefined;
    });
  });
  await control.call("DELETE", "/devnet/v1/faults/slow");
  const unclaimed = units("-37.5370340000");
  await until(async () =>
    (await report()).every(({ asset, in_flight: flying }) => {
      return units(flying) === (asset === "USDC" ? unclaimed : 0n);
    }),
  );
});

test("SLV-3 SLV-8 withdrawals in flight, slow, refused or killed, never change the surplus by a unit", async () => {
  const user = await funded({ USDC: "1000", CC: "9000" });
  await expectFrom();
  const [home, gone] = [await party("home"), await party("gone")];
  const control = await venue.control();
  await control.fault({ id: "slow", effect: "delay", ms: 40, match: { commandIdPrefix: "wdr:" } });
  await control.fault({
    ...{ id: "lost", effect: "drop_after_commit", count: 3 },
    match: { commandIdPrefix: "wdr:" },
  });
  const ids: string[] = [];
  const withdraw = async (asset: string, amount: string, destination: string) => {
    const requested = { asset, amount, destination, idempotency_key: `k${ids.length}` };
    const { status, json, text } = await user.post("/v1/withdrawals", requested);
    assert.equal(status, 200, text);
    ids.push(json.withdrawal_id);
  };
  const flew = await watched(async () => {
    for (let count = 0; count < 6; count++) {
      await withdraw("USDC", "10.5", home);
      await withdraw("CC", "20.25", home);
    }
    await withdraw("CC", "30", gone);
    await control.preapproval(gone, "DELETE");
    for (const id of ids.slice(0, -1)) assert.equal(await withdrawn(user, id), "completed");
    await withdrawn(user, ids.at(-1) ?? "");
  });
  assert.ok(flew.has("CC"));
  for (let count = 0; count < 5; count++) await withdraw("CC", "20", home);
  await venue.crashAndRestart();
  const again = venue.relogin(user);
  await watched(async () => {
    for (const id of ids) await withdrawn(again, id);
  });
  await (await venue.control()).call("DELETE", "/devnet/v1/faults/slow");
  const held = await venue.held(custody, "CC");
  await until(async () => {
    const item = (await report()).find(({ asset }) => asset === "CC");
    return Number(item?.ledger_holdings) === held && units(item?.in_flight ?? "1") === 0n;
  });
});
