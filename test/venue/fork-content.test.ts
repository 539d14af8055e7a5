// Proves what a fork of a stopped venue is made from: payments under way stay held, sessions end, and of the history before
// the snapshot nothing is read.

import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import { NativeClient, newWallet } from "../support/client/native-client.ts";
import { runCli } from "../support/venue/cli-process.ts";
import { ForkedVenue, forkParentFolder } from "../support/venue/forked-venue.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

let folder: string;
let fixture: VenueFixture;
let trader: Trader;
let user: NativeClient;
const wallet = newWallet();
const made: ForkedVenue[] = [];

before(async () => {
  folder = await forkParentFolder();
  fixture = await VenueFixture.open({ DEV_TOOLS: "1" });
  trader = await fixture.trader();
  user = new NativeClient(fixture.address);
  await user.login(wallet);
  const order = { symbol: "CCUSDC", type: "LIMIT", timeInForce: "GTC", quantity: "100" };
  const other = await fixture.trader();
  for (const [who, side] of [
    [other, "SELL"],
    [trader, "BUY"],
    [trader, "BUY"],
  ] as const) {
    const terms = { ...order, side, price: "0.1500" };
    const { status, json } = await fixture.signed(who, "POST", "/api/v3/order", terms);
    assert.equal(status, 200, JSON.stringify(json));
  }
  const withdrawal = { kind: CommandKind.requestWithdrawal, account: trader.account } as const;
  const amounts = { withdrawalId: 7, asset: 0, amount: 5_000_000n, fee: 1_000_000n };
  const destination = { destinationHigh: 1n, destinationLow: 2n };
  const { reason } = await fixture.venue.clearing.send({
    ...{ ...withdrawal, ...amounts, ...destination, key: { high: 1n, low: 2n, payload: 3n } },
  });
  assert.equal(reason, RejectReason.none);
  // A busy machine may leave a stop no time for a snapshot.
  await fixture.venue.snapshots.fold();
  await fixture.venue.close({ storesSnapshot: true });
});

after(async () => {
  await Promise.all(made.map((one) => one.stop()));
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});

async function fork(name: string) {
  const settings = {
    DATABASE_URL: fixture.database.url,
    DATA_DIR: fixture.dataDir,
    DEV_TOOLS: "1",
  };
  const args = ["fork", "--at", "latest", "--data-dir", join(folder, name), "--json"];
  const { code, printed, complained } = await runCli(args, settings);
  assert.equal(code, 0, complained);
  const own = new ForkedVenue(join(folder, name));
  made.push(own);
  return { json: JSON.parse(printed), own };
}

test("REW-83 REW-88 withdrawals under way stay held and are listed, and sessions end with the fork's first entries", async () => {
  const { json, own } = await fork("payments");
  const held = { withdrawal_id: 7, account: trader.account, asset: "USDC" };
  assert.deepEqual(json.frozen, {
    withdrawals: [{ ...held, amount: "5.000000", fee: "1.000000" }],
    swaps: [],
    unsettled: [],
  });
  const file = JSON.parse(await readFile(join(own.dataDir, "fork.json"), "utf8"));
  assert.deepEqual(file.frozen, json.frozen);

  const path = join(folder, "payments.rialto");
  const { printed } = await own.run(["journal", "export", "--out", path, "--json"]);
  const { from, events } = JSON.parse(printed);
  assert.deepEqual([from, events], [json.seq + 1, 1], "the end of the one session");

  await own.start();
  const answer = await own.signed<{ balances: { asset: string; free: string }[] }>(
    await own.keyOf(trader.account),
    "GET",
    "/api/v3/account",
  );
  // 1,000,000 less what was bought for 15 USDC, what rests for 15, and the withdrawal.
  const usdc = answer.json.balances.find(({ asset }) => asset === "USDC");
  assert.equal(Number(usdc?.free), 1_000_000 - 15 - 15 - 5);
  const session = new NativeClient(own.address);
  session.token = user.token;
  const refused = await session.get("/v1/balances/me");
  assert.equal(refused.status, 401, refused.text);
  await own.stop();

  const ended = await own.run(["replay", "--verify", "--json"]);
  assert.deepEqual([ended.code, JSON.parse(ended.printed).differences], [0, []]);
});

test("REW-89 a fork at a snapshot reads nothing of the history before it", async () => {
  const before = await fork("whole");
  const sql = openPostgres(fixture.database.options, "migrations");
  await sql.unsafe("alter table journal disable trigger user");
  const { json } = before;
  assert.ok(json.snapshot_seq > 10 && json.snapshot_seq === json.seq);
  await sql`delete from journal where seq < ${json.snapshot_seq}`;
  await sql`delete from fills`;
  await sql`delete from candles`;
  await sql`delete from orders`;
  await sql.end({ timeout: 1 });
  const { json: without } = await fork("without");
  assert.equal(without.state_hash, json.state_hash);
  assert.equal(without.open_orders, json.open_orders);
  const compared = await runCli(
    ["diff", before.own.dataDir, join(folder, "without"), "--json"],
    {},
  );
  assert.equal(compared.code, 0, compared.printed + compared.complained);
});
