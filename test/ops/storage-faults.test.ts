// Proves what happens when a venue's disk fails: it is full, it becomes read-only, or the data folder is not
// writable at all. Each fault is reported in words that an operator understands, and nothing acknowledged is lost.
// Faults in the database are in database-faults.test.ts.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { FaultyDisk, hindrance, within } from "./faulty-disk.ts";
import { StorageScene, until } from "./storage-scene.ts";

const cli = fileURLToPath(new URL("../../bundle/src/venue/rialto.js", import.meta.url));
const missing = hindrance();

async function sceneWithDisk(t: TestContext) {
  const scene = await StorageScene.make();
  t.after(() => scene.close());
  return { scene, disk: await FaultyDisk.make(scene.dataDir) };
}

/** Starts a venue that must fail to start, and returns its standard error output. */
async function complaintOf(dataDir: string, mounting: readonly string[]): Promise<string> {
  const [program = "", ...args] = [...mounting, process.execPath, cli, "start"];
  const env = { PATH: process.env["PATH"] ?? "", DATA_DIR: dataDir, PORT: "0" };
  const child = spawn(program, args, { env: { ...env, LEDGER_PROFILE: "none" }, stdio: "pipe" });
  let complained = "";
  child.stderr.on("data", (bytes: Buffer) => {
    complained += bytes.toString("utf8");
  });
  const [code] = await once(child, "close");
  assert.equal(code, 1, complained);
  return complained;
}

test("JRN-12 JRN-21 a full disk is reported, loses nothing acknowledged, and the venue recovers once there is room", async (t) => {
  if (missing !== null) return t.skip(missing);
  const { scene, disk } = await sceneWithDisk(t);
  await scene.start({ within: disk.within() });
  await scene.placeAll(20);
  await disk.fill(scene.venue.pid);
  // Some orders may still be acknowledged, because they fit into pages that are already allocated.
  while (scene.denied.length < 2) {
    assert(scene.acknowledged.length < 2_000, "the disk must be full by now");
    await scene.place();
  }
  await until("/health answers 503", async () => (await scene.health()) === "503 unavailable");
  assert.equal(
    (await scene.get("/api/v3/depth?symbol=CC-USDC")).status,
    200,
    "reads must continue",
  );
  const failed = await scene.said(/^a journal commit failed; it is retried/);
  assert.equal(failed["thread"], "journal");
  await until("the log names the cause", async () =>
    (await scene.log()).some((entry) => /No space left on device/.test(JSON.stringify(entry))),
  );
  await disk.free(scene.venue.pid);
  await until("orders are taken again", async () => (await scene.place())?.status === 200);
  assert.equal((await scene.said(/^the journal commits again$/))["level"], 30);
  await until("/health answers 200", async () => (await scene.health()) === "200 ok");
  await scene.assertNothingLost();
  t.diagnostic(`${scene.acknowledged.length} acknowledged, ${scene.denied.length} denied`);
});

test("JRN-12 JRN-21 a disk that turns read-only is reported, and the venue recovers once it is writable", async (t) => {
  if (missing !== null) return t.skip(missing);
  const { scene, disk } = await sceneWithDisk(t);
  await scene.start({ within: disk.within() });
  await scene.placeAll(20);
  await disk.break(scene.venue.pid);
  while (scene.denied.length < 2) {
    assert(scene.acknowledged.length < 2_000, "the disk must be read-only by now");
    await scene.place();
  }
  await until("/health answers 503", async () => (await scene.health()) === "503 unavailable");
  assert.equal(
    (await scene.get("/api/v3/depth?symbol=CC-USDC")).status,
    200,
    "reads must continue",
  );
  await scene.said(/^a journal commit failed; it is retried/);
  await scene.said(
    /^PostgreSQL died and is being restarted; no command is acknowledged until it is/,
  );
  const why = await scene.said(/^PostgreSQL could not be restarted; fix the cause/);
  assert.match(JSON.stringify(why), /read-only file system, .*rialto-storage-.*\/postgres\//i);
  await disk.mend(scene.venue.pid);
  await scene.said(/^PostgreSQL is back$/);
  await until("orders are taken again", async () => (await scene.place())?.status === 200);
  await scene.said(/^the journal commits again$/);
  await until("/health answers 200", async () => (await scene.health()) === "200 ok");
  await scene.assertNothingLost();
  t.diagnostic(`${scene.acknowledged.length} acknowledged, ${scene.denied.length} denied`);
  // Start again with the same disk mounted read-only.
  await scene.venue.stop();
  assert.match(
    await complaintOf(scene.dataDir, disk.within("loop,ro")),
    /^DATA_DIR cannot be .*: EROFS: read-only file system, .*postgres.*; mount its disk writable/,
  );
  await scene.start({ within: disk.within() });
  await scene.assertNothingLost();
});

test("OPS-22 a read-only data folder is reported with the name of its setting", async (t) => {
  if (missing !== null) return t.skip(missing);
  const dataDir = await mkdtemp(join(tmpdir(), "rialto-read-only-"));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const mounting = `mount --bind '${dataDir}' '${dataDir}' && mount -o remount,ro,bind '${dataDir}'`;
  assert.match(
    await complaintOf(dataDir, within(mounting)),
    /^DATA_DIR cannot be .*rialto-read-only-.*: EROFS: read-only file system.*; mount its disk writable/,
  );
});

test("OPS-22 a disk with too little room for a first start is reported with its folder", async (t) => {
  if (missing !== null) return t.skip(missing);
  const dataDir = await mkdtemp(join(tmpdir(), "rialto-little-"));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const mounting = `mount -t tmpfs -o size=20m,mode=755 tmpfs '${dataDir}'`;
  const complained = await complaintOf(dataDir, within(mounting));
  assert.match(
    complained,
    /^the database could not be created in .*rialto-little-.*: the disk must .* 50 MB free; initdb/m,
  );
  assert.match(complained, /free disk space|No space left/);
});
