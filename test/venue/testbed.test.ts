// Proves that a test bed opens venues apart from each other, refuses what is not a venue's to set, and leaves nothing
// behind: not after a call, not after the end of whoever opened a venue, not after its own.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "../../src/adapters/process-life.ts";
import { folderHolder } from "../../src/adapters/runtime/folder-lock.ts";
import { runCli } from "../support/venue/cli-process.ts";
import { callAt, TestBedFixture } from "../support/venue/test-bed.ts";

const waitMsMax = 60_000;

let bed: TestBedFixture;
before(async () => {
  bed = await TestBedFixture.open();
  await bed.start();
});
after(() => bed.close());

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const untilMs = performance.now() + waitMsMax; !(await isSo()); await sleep(50))
    assert(performance.now() < untilMs, what);
}

async function answerOf<Shape>(address: string, path: string): Promise<Shape> {
  return (await (await fetch(address + path)).json()) as Shape;
}

const foldersOf = async (name: string) =>
  (await readdir(join(bed.folder, name)).catch((): string[] => [])).sort();

test("REW-105 a venue is the spare if it has the settings of the one before", async () => {
  const first = await bed.openVenue();
  const second = await bed.openVenue();
  const other = await bed.openVenue({ settings: { LOG_LEVEL: "warn" } });
  const alike = await bed.openVenue({ settings: { LOG_LEVEL: "warn" } });
  const ids = [first, second, other, alike].map(({ id }) => id);
  // The spare of the default settings, venue_3, was dropped for one with the other settings.
  assert.deepEqual(ids, ["venue_1", "venue_2", "venue_4", "venue_5"]);
  for (const id of ids) await bed.call("venues/close", { id });
  await assert.rejects(bed.call("venues/close", { id: "venue_1" }), /no venue venue_1 is open/);
});

test("REW-2 REW-100 REW-101 venues are apart, can be rewound, and have no demo", async () => {
  const [one, other] = [await bed.openVenue(), await bed.openVenue()];
  const { account } = await callAt<{ account: number }>(one.control, "accounts/create");
  await assert.rejects(callAt(other.control, "accounts/show", { account }), /no account/);
  const keys = await callAt<unknown[]>(other.control, "keys/list");
  assert.deepEqual(keys, []);
  assert.equal(account, 1001, "no account was opened before");
  for (const { address, control } of [one, other]) {
    const { rewind } = await answerOf<{ rewind: boolean }>(address, "/v1/version");
    assert.equal(rewind, true);
    const markets = await callAt<{ symbol: string }[]>(control, "markets/list");
    assert(markets.length > 0);
    for (const path of ["/api/v3/depth?symbol=CC-USDC", "/fapi/v1/depth?symbol=BTCUSDT"]) {
      const { bids, asks } = await answerOf<{ bids: unknown[]; asks: unknown[] }>(address, path);
      assert.deepEqual([bids, asks], [[], []]);
    }
    const fund = await callAt<{ is_enough: boolean }>(control, "insurance/show");
    assert.equal(fund.is_enough, true);
  }
  for (const { id } of [one, other]) await bed.call("venues/close", { id });
});

test("REW-101 the market's time of a venue begins now, however old the image is", async () => {
  const beforeMs = Date.now();
  const { address, id } = await bed.openVenue({ settings: { LOG_LEVEL: "fatal" } });
  const { market_time: at } = await answerOf<{ market_time: string }>(address, "/health");
  assert(Date.parse(at) >= beforeMs, at);
  await bed.call("venues/close", { id });
});

test("REW-102 settings that a venue of a test bed does not take are refused by name", async () => {
  for (const name of ["PORT", "DATA_DIR", "DATABASE_URL", "DEV_TOOLS", "ROLE"])
    await assert.rejects(
      bed.openVenue({ settings: { [name]: "1" } }),
      new RegExp(`settings.${name}: the test bed itself sets it`),
    );
  await assert.rejects(
    bed.openVenue({ settings: { POTR: "1" } }),
    /settings.POTR: a venue has no such setting/,
  );
  await assert.rejects(bed.openVenue({ settings: { TICK_MS: "x" } }), /did not start: .*TICK_MS/);
  await assert.rejects(
    bed.openVenue({ settings: { EPOCH_SECONDS: "5" } }),
    /EPOCH_SECONDS=5: this venue's epochs last 60 s, which cannot be changed/,
  );
  await assert.rejects(bed.openVenue({ owner: 1 }), /Unrecognized key: "owner"/);
  assert.deepEqual(await bed.call("venues/list"), []);
});

test("REW-103 a venue ends with the process that opened it, and nothing of it is left", async () => {
  const owner = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"], { stdio: "ignore" });
  const venue = await bed.openVenue({ owner_pid: owner.pid });
  owner.kill("SIGKILL");
  await until("the venue is closed", async () => {
    const open = await bed.call<{ id: string }[]>("venues/list");
    return open.every(({ id }) => id !== venue.id) && !isAlive(venue.pid);
  });
  await until("its folder is gone", async () => !(await foldersOf("venues")).includes(venue.id));
});

test("REW-106 the truth about an account is read page by page", async () => {
  const { id, control } = await bed.openVenue();
  const { account } = await callAt<{ account: number }>(control, "accounts/create");
  const known = await callAt<{ positions: unknown[]; markets: { market: string }[] }>(
    control,
    "truth/account",
    { account },
  );
  assert.deepEqual(known.positions, []);
  assert(known.markets.some(({ market }) => market === "CC-USDC"));
  const page = { account, market: "CC-USDC" };
  assert.deepEqual(await callAt(control, "truth/orders", page), []);
  assert.deepEqual(await callAt(control, "truth/fills", page), []);
  await assert.rejects(callAt(control, "truth/orders", { ...page, limit: 1001 }), /limit/);
  await assert.rejects(callAt(control, "truth/orders", { ...page, market: "XY" }), /no market XY/);
  await assert.rejects(callAt(control, "truth/account", { account: 999_999 }), /no account/);
  await bed.call("venues/close", { id });
});

test("REW-104 a second test bed on the folder is refused", async () => {
  const second = bed.begin();
  assert.equal(await second.ended, 1);
  assert.match(second.complained, /a test bed is already running on .*bed \(process \d+\)/);
});

test("REW-104 with --idle a test bed ends by itself, but not while it closes its last venue", async () => {
  const idle = await TestBedFixture.open();
  const begun = await idle.start("--idle", "3");
  const { id } = await idle.openVenue();
  // The venue is open for longer than the test bed may be idle.
  await sleep(4_000);
  await idle.call("venues/close", { id });
  assert.equal(await begun.ended, 0);
  assert.deepEqual(await readdir(join(idle.folder, "venues")).catch(() => []), []);
  await idle.close();
});

test("REW-115 a signal while the image is made ends the venue that makes it", async () => {
  const fresh = await TestBedFixture.open();
  const begun = fresh.begin();
  const image = join(fresh.folder, "image.new");
  let pid = 0;
  await until("the image's venue runs", async () => {
    pid = (await folderHolder(image).catch(() => null))?.pid ?? 0;
    return pid > 0;
  });
  begun.signal("SIGTERM");
  assert.equal(await begun.ended, 0, begun.complained);
  await until("it has ended", async () => !isAlive(pid));
  await fresh.close();
});

test("REW-115 a test bed is refused in production", async () => {
  const settings = { NODE_ENV: "production" };
  const { code, complained } = await runCli(["testbed", "--folder", bed.folder], settings);
  assert.equal(code, 2);
  assert.match(complained, /expected NODE_ENV other than production/);
});

test("REW-101 REW-103 another build makes the image anew, and ends what a killed test bed left", async () => {
  const [image = ""] = await foldersOf("images");
  const left = await bed.openVenue();
  await bed.rebuild();
  const killed = await bed.call<{ pid: number }>("ping");
  process.kill(killed.pid, "SIGKILL");
  await until("the test bed is gone", async () => !isAlive(killed.pid));
  assert(isAlive(left.pid), "a venue outlives a killed test bed");
  await bed.start();
  await until("the venue that was left has ended", async () => !isAlive(left.pid));
  const images = await foldersOf("images");
  assert.equal(images.length, 1);
  assert.notEqual(images[0], image);
  const { address } = await bed.openVenue();
  assert.equal((await fetch(`${address}/api/v3/ping`)).status, 200);
});
