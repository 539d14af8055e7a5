// Proves what a fork has of its parent and what it has not, that it goes on as a venue of its own, and what is refused: real
// processes, real databases, the parent running.

import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createLoadKey, fundLoadAccount } from "../../src/tools/load/load-accounts.ts";
import type { LoadKey } from "../../src/tools/load/signed-requests.ts";
import { NativeClient, newWallet } from "../support/client/native-client.ts";
import { signedFetch } from "../support/client/signed-fetch.ts";
import { CliProcess, runCli } from "../support/venue/cli-process.ts";
import { ForkedVenue, forkParentFolder, type KeyPair } from "../support/venue/forked-venue.ts";
import { RewindVenue } from "../support/venue/rewind-venue.ts";
import { endRemains } from "../support/venue/venue-remains.ts";

const began = "2026-01-31T07:58:00Z";
const perpetual = { symbol: "BTCUSDT", type: "LIMIT", timeInForce: "GTC", quantity: "0.010" };
const spot = { symbol: "CBTCUSDC", side: "BUY", type: "LIMIT", timeInForce: "GTC", quantity: "1" };
const money = [
  ["perp", "USDC", "1000000"],
  ["spot", "USDC", "1000000"],
] as const;

let folder: string;
let parent: RewindVenue;
let long: LoadKey;
let short: LoadKey;
const wallet = newWallet();
const forks: ForkedVenue[] = [];

async function placed(address: string, key: KeyPair, path: string, parameters: object) {
  const request = {
    method: "POST",
    path,
    parameters: parameters as Record<string, string>,
  } as const;
  const { status, json } = await signedFetch<{ orderId: number }>(address, key, request);
  assert.equal(status, 200, JSON.stringify(json));
  return json.orderId;
}

const futures = (key: KeyPair, terms: object) =>
  placed(parent.address, key, "/fapi/v1/order", { ...perpetual, ...terms });

/** The newest event of a venue; the market's time must stand still. */
async function seqOf(venue: Pick<RewindVenue, "run">): Promise<number> {
  const { printed } = await venue.run(["status", "--json"]);
  return JSON.parse(printed).committed_seq;
}

async function fork(name: string, ...args: string[]) {
  const { code, printed, complained } = await parent.run([
    ...["fork", "--data-dir", join(folder, name), "--json", ...args],
  ]);
  return { code, complained, json: printed === "" ? {} : JSON.parse(printed) };
}

function opened(dataDir: string): ForkedVenue {
  const venue = new ForkedVenue(dataDir);
  forks.push(venue);
  return venue;
}

async function made(name: string, ...args: string[]): Promise<ForkedVenue> {
  const { code, complained } = await fork(name, ...args);
  assert.equal(code, 0, complained);
  return opened(join(folder, name));
}

before(async () => {
  folder = await forkParentFolder();
  parent = await RewindVenue.start(["--rewind", "--market-time", began]);
  assert.equal((await parent.run(["clock", "pause"])).code, 0);
  const reference = ["markets", "reference", "BTC-PERP", "60000", "--for", "12h", "--force"];
  await parent.run(reference);
  [long, short] = [
    await createLoadKey(parent.dataDir, { type: "standard", label: "long" }),
    await createLoadKey(parent.dataDir, { type: "standard", label: "short" }),
  ];
  for (const { account } of [long, short]) await fundLoadAccount(parent.dataDir, account, money);
  const client = new NativeClient(parent.address);
  await client.login(wallet);
  await client.post("/v1/deposits/seed", { asset: "USDC", amount: "1000", wallet: "spot" });
  const sub = await client.post("/v1/sub-accounts", { label: "team-1" });
  assert.equal(sub.status, 200, sub.text);
  await signedFetch(parent.address, long, {
    ...{ method: "POST", path: "/fapi/v1/leverage" },
    parameters: { symbol: "BTCUSDT", leverage: "7" },
  });
  await futures(short, { side: "SELL", price: "60000", quantity: "0.050" });
  await futures(long, { side: "BUY", price: "60000", quantity: "0.030" });
  await futures(long, { side: "BUY", price: "59000", newClientOrderId: "mine-1" });
  const close = {
    symbol: "BTCUSDT",
    side: "SELL",
    closePosition: "true",
    workingType: "MARK_PRICE",
  };
  for (const [type, stopPrice] of [
    ["STOP_MARKET", "50000"],
    ["TAKE_PROFIT_MARKET", "70000"],
  ]) {
    const terms = { ...close, type, stopPrice };
    await placed(parent.address, long, "/fapi/v1/order", terms);
  }
  const goodTillDate = String(Date.parse(began) + 3_600_000);
  await futures(long, { side: "BUY", price: "58000", timeInForce: "GTD", goodTillDate });
  await placed(parent.address, long, "/api/v3/order", { ...spot, price: "50000" });
});

after(async () => {
  await Promise.all(forks.map((one) => one.stop()));
  // A fork whose making was killed has left its database running.
  for (const { dataDir } of forks) await endRemains(dataDir);
  await parent.close();
  await rm(folder, { recursive: true, force: true });
});

/** What an account is told of itself: all that must not differ between a venue and its fork. */
async function accountOf(address: string, key: KeyPair): Promise<object> {
  const read = async (path: string) => {
    const request = { method: "GET", path, parameters: {} } as const;
    const { status, json } = await signedFetch(address, key, request);
    assert.equal(status, 200, `${path}: ${JSON.stringify(json)}`);
    return json;
  };
  return {
    spot: await read("/api/v3/account"),
    spotOrders: await read("/api/v3/openOrders"),
    perp: await read("/fapi/v2/account"),
    positions: await read("/fapi/v2/positionRisk"),
    orders: await read("/fapi/v1/openOrders"),
  };
}

test("REW-80 REW-81 REW-82 REW-83 a fork of a running venue has its accounts, orders and positions, and goes on as a venue of its own", async () => {
  const { code, json, complained } = await fork("latest", "--at", "latest");
  assert.equal(code, 0, complained);
  const own = opened(json.data_dir);
  const seq = await seqOf(parent);
  assert.equal(json.seq, seq);
  assert.match(json.venue, new RegExp(`^rialto-fork-${seq}-[0-9a-f]{4}$`));
  const verified = await parent.run(["replay", "--verify", "--json"]);
  assert.equal(JSON.parse(verified.printed).state_hash, json.state_hash);

  const bare = await runStart(own, []);
  assert.equal(bare.code, 2);
  assert.match(
    bare.complained,
    /start: expected --rewind: this venue is a fork of rialto, made after/,
  );

  await own.start();
  const keys = await own.keys();
  assert.deepEqual(
    keys.map(({ account, label }) => [account, label]),
    [long, short].map(({ account }, index) => [account, ["long", "short"][index]]),
  );
  const { mode } = await stat(join(own.dataDir, "fork-keys.json"));
  assert.equal(mode & 0o777, 0o600);
  const key = await own.keyOf(long.account);
  assert.notEqual(key.key, long.key);
  const old = await own.signed(long, "GET", "/api/v3/account");
  assert.equal(old.status, 401, JSON.stringify(old.json));
  for (const { account, ...theirs } of [long, short]) {
    const told = await accountOf(own.address, await own.keyOf(account));
    assert.deepEqual(told, await accountOf(parent.address, theirs));
  }

  const client = new NativeClient(own.address);
  await client.login(wallet);
  const subs = await client.get("/v1/sub-accounts");
  assert.match(subs.text, /team-1/);

  const other = await own.keyOf(short.account);
  const first = await placed(own.address, key, "/fapi/v1/order", {
    ...{ ...perpetual, side: "BUY", price: "60000", quantity: "0.005" },
  });
  assert.ok(first > 0);
  const fills = await own.signed<{ time: number }[]>(other, "GET", "/fapi/v1/userTrades", {
    symbol: "BTCUSDT",
  });
  assert.equal(fills.json.length, 1, "only fills of the fork are here");
  const before = await accountOf(own.address, other);
  await own.stop();

  const replayed = await own.run(["replay", "--verify", "--json"]);
  assert.equal(replayed.code, 0, replayed.printed + replayed.complained);
  const exported = join(folder, "fork.rialto");
  const wrote = await own.run(["journal", "export", "--out", exported, "--json"]);
  assert.equal(JSON.parse(wrote.printed).from, seq + 1);
  assert.equal((await own.run(["journal", "verify", exported])).code, 0);

  await own.start();
  assert.deepEqual(await accountOf(own.address, other), before);
  const late = new Date(Date.parse(began) + 2 * 3_600_000).toISOString();
  assert.equal((await own.run(["clock", "set", late])).code, 0);
  const gtd = (told: object) => JSON.stringify(told).includes('"GTD"');
  assert.ok(!gtd(await accountOf(own.address, key)), "the GTD order has expired in the fork");
  assert.ok(gtd(await accountOf(parent.address, long)), "and not in its parent");
  await own.stop();
  const sealed = await own.run(["replay", "--verify", "--json"]);
  assert.equal(sealed.code, 0, sealed.printed);
  assert.ok(JSON.parse(sealed.printed).epochs_compared > 1);
});

async function runStart(venue: ForkedVenue, flags: string[]) {
  return venue.run(["start", ...flags]);
}

test("REW-85 REW-80 a fork begins after any event, by number or time, and nothing else is taken", async () => {
  const early = await seqOf(parent);
  assert.equal((await parent.run(["clock", "step", "--by", "10s"])).code, 0);
  const marketTime = JSON.parse((await parent.run(["clock", "show", "--json"])).printed).market
    .time;
  // An event at a moment is part of the state at that moment.
  assert.equal((await parent.run(["clock", "step", "--by", "10s"])).code, 0);
  await placed(parent.address, short, "/api/v3/order", { ...spot, price: "40000" });
  assert.ok((await seqOf(parent)) > early);
  const counts: number[] = [];
  for (const [name, at] of [
    ["by-seq", String(early)],
    ["by-time", marketTime],
    ["now", "latest"],
  ] as const) {
    const { code, json, complained } = await fork(name, "--at", at);
    assert.equal(code, 0, complained);
    counts.push(json.open_orders);
  }
  assert.deepEqual(counts, [counts[0], counts[0], (counts[0] ?? 0) + 1]);

  const refused: [string[], number, RegExp][] = [
    [["--at", "99999999"], 1, /--at 99999999: the journal has events 1 to \d+, from 2026-/],
    [["--at", "2020-01-01T00:00:00Z"], 1, /the journal has events 1 to/],
    [["--at", "2199-01-01T00:00:00Z"], 1, /the journal has events 1 to/],
    [
      ["--at", "yesterday"],
      2,
      /--at yesterday: expected the number of an event, latest, or a time/,
    ],
    [["--at", "0"], 2, /--at 0: expected/],
  ];
  for (const [args, code, message] of refused) {
    const answer = await fork("refused", ...args);
    assert.equal(answer.code, code, answer.complained);
    assert.match(answer.complained, message);
  }
  await mkdir(join(folder, "taken"));
  await writeFile(join(folder, "taken", "note.txt"), "mine");
  const taken = await fork("taken", "--at", "latest");
  assert.equal(taken.code, 2);
  assert.match(
    taken.complained,
    /--data-dir \S+: expected a folder that does not exist yet, or an empty/,
  );
  assert.equal(await readFile(join(folder, "taken", "note.txt"), "utf8"), "mine");
  assert.deepEqual((await readdir(folder)).includes("refused"), false, "nothing is left");
});

test("REW-90 the folder of a fork whose making was killed is refused by every command", async () => {
  const dataDir = join(folder, "killed");
  const making = new CliProcess(
    ["fork", "--at", "latest", "--data-dir", dataDir],
    parent.settings,
    parent.dataDir,
  );
  const hasServer = () => readdir(dataDir).then((names) => names.includes("postgres"));
  for (const untilMs = performance.now() + 60_000; !(await hasServer().catch(() => false)); ) {
    assert.ok(performance.now() < untilMs, making.complained);
    await sleep(20);
  }
  making.signal("SIGKILL");
  assert.equal(await making.ended, null);

  const own = opened(dataDir);
  const onIt = [["start", "--rewind"], ["start"], ["status"]].map((args) => own.run(args));
  const again = ["fork", "--from", dataDir, "--at", "latest", "--data-dir", join(folder, "again")];
  const withIt = [again, ["diff", parent.dataDir, dataDir]].map((args) => parent.run(args));
  for (const { code, complained } of await Promise.all([...onIt, ...withIt])) {
    assert.equal(code, 1, complained);
    assert.match(complained, /was not finished: .*remove the folder and make the fork again/);
  }
  assert.equal((await readdir(folder)).includes("again"), false, "nothing is left");
});

async function script(venue: ForkedVenue, price: string): Promise<void> {
  const place = (key: KeyPair, terms: object) =>
    placed(venue.address, key, "/fapi/v1/order", { ...perpetual, ...terms });
  await place(long, { side: "BUY", price: "60000", quantity: "0.005" });
  await place(short, { side: "SELL", price, quantity: "0.002" });
  assert.equal((await venue.run(["clock", "step", "--by", "3m"])).code, 0);
  await place(long, { side: "BUY", price: "57000" });
}

test("REW-86 REW-87 two forks that do the same are the same, byte by byte, and a difference is named", async () => {
  const at = String(await seqOf(parent));
  const one = await made("one", "--at", at, "--keep-keys");
  const two = await made("two", "--at", at, "--keep-keys");
  const three = await made("three", "--at", at, "--keep-keys");
  assert.ok(!(await readdir(one.dataDir)).includes("fork-keys.json"));
  for (const [venue, price] of [
    [one, "61000"],
    [two, "61000"],
    [three, "61500"],
  ] as const) {
    await venue.start();
    await script(venue, price);
    await venue.stop();
  }
  const same = await parent.run(["diff", one.dataDir, two.dataDir, "--json"]);
  assert.equal(same.code, 0, same.printed + same.complained);
  const told = JSON.parse(same.printed);
  assert.deepEqual([told.is_same, told.first_different_entry], [true, null]);
  assert.equal(told.relation, "A and B are forks of the same venue");
  assert.equal(told.parted_after, Number(at));
  assert.ok(told.a.seq > Number(at) + 5);

  const other = await parent.run(["diff", one.dataDir, three.dataDir, "--json"]);
  assert.equal(other.code, 3, other.complained);
  const { differences, orders, first_different_entry: first } = JSON.parse(other.printed);
  assert.equal(differences.orders, 1);
  assert.match(orders[0].a, /SELL 0.002, at 61000.00/);
  assert.match(orders[0].b, /SELL 0.002, at 61500.00/);
  assert.ok(first > Number(at));

  const again = await runCli(
    ["fork", "--from", one.dataDir, "--at", "latest", "--data-dir", join(folder, "again")],
    parent.settings,
  );
  assert.equal(again.code, 0, again.complained);
  const twin = await parent.run(["diff", join(folder, "again"), one.dataDir]);
  assert.equal(twin.code, 0, twin.printed + twin.complained);
  assert.match(twin.printed, /relation +A is a fork of B/);

  const withParent = await parent.run(["diff", parent.dataDir, one.dataDir]);
  assert.equal(withParent.code, 3, withParent.complained);
  assert.match(withParent.printed, /relation +B is a fork of A/);
  assert.match(withParent.printed, /BTC-PERP/);
});

test("REW-84 keys are kept of a development venue only", async () => {
  for (const change of [{ DEV_TOOLS: "0" }, { NODE_ENV: "production" }]) {
    const settings = { ...parent.settings, ...change };
    const answer = await runFork(settings, "kept");
    assert.equal(answer.code, 2, answer.complained);
    assert.match(answer.complained, /--keep-keys: expected a development venue as parent/);
  }
});

async function runFork(settings: Readonly<Record<string, string>>, name: string) {
  const args = ["fork", "--at", "latest", "--data-dir", join(folder, name), "--keep-keys"];
  return runCli(args, settings, parent.dataDir);
}
