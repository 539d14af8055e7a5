// Proves that `rialto replay --verify` names each row of the projections that somebody changed in SQL, on a stopped
// and on a running venue. It must not report rows that a running venue is still writing.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { signedQuery } from "../support/client/signed-fetch.ts";
import { runCli } from "../support/venue/cli-process.ts";
import { DevVenue } from "../support/venue/dev-venue.ts";

let venue: DevVenue;
let sql: Sql;

before(async () => {
  venue = await DevVenue.start({ LEDGER_PROFILE: "none", DEV_PROVIDER: "0" });
  sql = openPostgres({ url: venue.settings["DATABASE_URL"] ?? "" }, "queries");
  for (const asset of ["USDC", "CC"]) {
    const funded = await venue.run(["accounts", "fund", "1002", asset, "5000", "--wallet", "spot"]);
    assert.equal(funded.code, 0, funded.complained);
  }
  // Shows the account once the rows of its balances are written, so that the venue does not write over a change.
  const shown = await venue.run(["accounts", "show", "1002"]);
  assert.equal(shown.code, 0, shown.complained);
});

after(async () => {
  await sql.end({ timeout: 1 });
  await venue.close();
});

async function verify() {
  const { code, printed, complained } = await runCli(
    ["replay", "--verify", "--json"],
    venue.settings,
  );
  return { code, complained, result: JSON.parse(printed === "" ? "{}" : printed) };
}

/** Selects an order that the load of the second test does not touch, because that load trades only spot. */
const untouched = `(
  select min(order_id) from orders join markets using (market) where markets.symbol = 'BTC-PERP')`;

/** Changes in SQL, each with the statement that undoes it and the expected message of the verification. */
const changes: readonly (readonly [change: string, undo: string, words: RegExp])[] = [
  [
    "update balances set total = total + 1 where account = 1002 and wallet = 1 and asset = 0",
    "update balances set total = total - 1 where account = 1002 and wallet = 1 and asset = 0",
    /^balance of account 1002, wallet 1, asset 0: /,
  ],
  [
    "update accounts set flags = flags # 2 where account = 1002",
    "update accounts set flags = flags # 2 where account = 1002",
    /^account 1002: type \d, flags \d+, the journal gives /,
  ],
  [
    "update api_keys set permissions = 7 where account = 1002",
    "update api_keys set permissions = 3 where account = 1002",
    /^API key \d+: permissions 7, the journal gives 3$/,
  ],
  [
    "update api_keys set revoked_us = 1 where account = 1002",
    "update api_keys set revoked_us = null where account = 1002",
    /^API key \d+ is revoked in its row, but not in the journal$/,
  ],
  [
    `update orders set status = 2 where order_id = ${untouched}`,
    `update orders set status = 0 where order_id = ${untouched}`,
    /^order \d+: status 2, 0 filled, the journal gives 0, 0$/,
  ],
  [
    `update orders set price = price + 1 where order_id = ${untouched}`,
    `update orders set price = price - 1 where order_id = ${untouched}`,
    /^order \d+: price \d+, the journal gives \d+$/,
  ],
  [
    "create table kept as select * from orders where order_id = 3; delete from orders where order_id = 3",
    "insert into orders select * from kept; drop table kept",
    /^order 3 has no row$/,
  ],
];

/** Changes to the newest closed order, which is an order of the second test's load. */
const closed = "(select max(order_id) from orders where status <> 0)";
const closedChanges: typeof changes = (["account", "price", "qty"] as const).map((column) => [
  `update orders set ${column} = ${column} + 1 where order_id = ${closed}`,
  `update orders set ${column} = ${column} - 1 where order_id = ${closed}`,
  /^order \d+: its row differs from the journal in its terms$/,
]);

async function findsEach(all = changes): Promise<void> {
  for (const [change, undo, args] of all) {
    await sql.unsafe(change);
    const { code, result, complained } = await verify();
    await sql.unsafe(undo);
    assert.equal(code, 3, `${change}: ${complained}`);
    assert.equal(result.differences.length, 1, `${change}: ${result.differences}`);
    assert.match(result.differences[0], args);
  }
}

test("CHN-16 CHN-20 replay --verify on a running venue names each row that was changed", async () => {
  const clean = await verify();
  assert.deepEqual([clean.code, clean.result.differences], [0, []], clean.complained);
  assert(clean.result.rows_compared > 20);
  await findsEach();
});

test("CHN-16 CHN-21 replay --verify on a venue under load finds no difference", async () => {
  const args = ["load", "--rate", "60", "--duration", "6", "--accounts", "4", "--connections", "4"];
  const load = venue.run([...args, "--data-dir", venue.dataDir]);
  let isLoaded = true;
  const loaded = load.then((ended) => {
    isLoaded = false;
    return ended;
  });
  for (let times = 0; isLoaded || times === 0; times++) {
    const { code, result, complained } = await verify();
    assert.deepEqual([code, result.differences], [0, []], complained);
  }
  const { code, complained } = await loaded;
  assert.equal(code, 0, complained);
});

test("CHN-21 replay --verify finds no difference while an order is amended again and again", async () => {
  const run = async (...args: string[]) => {
    const { code, printed, complained } = await venue.run([...args, "--json"]);
    assert.equal(code, 0, complained);
    return JSON.parse(printed) as Record<string, string>;
  };
  const { account } = await run("accounts", "create");
  await run("accounts", "fund", String(account), "USDC", "5000", "--wallet", "spot");
  const { api_key: key, secret } = await run("keys", "create", String(account));
  const send = async (method: string, path: string, parameters: Record<string, string>) => {
    const query = signedQuery(secret ?? "", { symbol: "CC-USDC", ...parameters });
    const headers = { "X-MBX-APIKEY": key ?? "" };
    const answer = await fetch(`${venue.address}${path}?${query}`, { method, headers });
    assert.equal(answer.status, 200, await answer.clone().text());
    return (await answer.json()) as { orderId: number };
  };
  const bid = { side: "BUY", type: "LIMIT", timeInForce: "GTC", quantity: "1000", price: "0.1" };
  const { orderId } = await send("POST", "/api/v3/order", bid);
  let isOver = false;
  const amend = async () => {
    // In tenths, so that the order outlasts the verifications however slow the machine is.
    for (let tenths = 9_999; !isOver; tenths--) {
      const terms = { orderId: String(orderId), newQty: (tenths / 10).toFixed(1) };
      await send("PUT", "/api/v3/order/amend/keepPriority", terms);
      await sleep(100);
    }
  };
  const amended = amend();
  // Right after its row was written, the order is not behind until the next amend.
  const behind: number[] = [];
  while (behind.length < 2 || (behind.length < 10 && Math.max(...behind) === 0)) {
    const { code, result, complained } = await verify();
    assert.deepEqual([code, result.differences], [0, []], complained);
    behind.push(result.rows_behind);
  }
  assert(Math.max(...behind) > 0, "no verification saw a row that is behind");
  isOver = true;
  await amended;
});

test("CHN-16 CHN-20 replay --verify on a stopped venue names each row that was changed", async () => {
  venue.process.signal("SIGTERM");
  assert.equal(await venue.process.ended, 0);
  const clean = await verify();
  assert.deepEqual([clean.code, clean.result.differences], [0, []], clean.complained);
  assert.equal(clean.result.rows_behind, 0);
  await findsEach([...changes, ...closedChanges]);
});
