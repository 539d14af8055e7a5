// Disks that fail a venue: one that is full, and a data folder that cannot be written. Each in a mount
// namespace of the venue's own, so that nothing of it is left behind; that takes the rights of root and
// Linux's `unshare`. Damaged snapshots are in test/venue/durability, lost connections and restarts of
// PostgreSQL in test/crash.

import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { VenueProcess } from "../../bench/venue/venue-process.ts";
import { createLoadKeys } from "../../src/venue/load/load-accounts.ts";
import { type Answer, SignedClient } from "../crash/signed-client.ts";

const run = promisify(execFile);
const cli = fileURLToPath(new URL("../../bundle/src/venue/rialto.js", import.meta.url));
/** A new cluster takes some 45 MB. */
const diskBytes = 160 * 2 ** 20;
const waitMsMax = 60_000;

/** Why it cannot be done here, or null. */
function hindrance(): string | null {
  if (process.getuid?.() !== 0) return "mounting a small disk takes the rights of root";
  try {
    execFileSync("unshare", ["-m", "true"], { stdio: "ignore" });
    return null;
  } catch {
    return "this machine gives nobody a mount namespace of its own (unshare -m)";
  }
}

/** A command that mounts, by shell words, and then becomes the one behind it. */
function within(mounting: string): readonly string[] {
  return ["unshare", "-m", "sh", "-c", `${mounting} && exec "$0" "$@"`];
}

const shape = "symbol=CC-USDC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=200.0&price=0.1000";

function place(client: SignedClient, clientId: string): Promise<Answer | null> {
  return client.ask("POST", "/api/v3/order", `${shape}&newClientOrderId=${clientId}`);
}

async function isThere(client: SignedClient, clientId: string): Promise<boolean> {
  const query = `symbol=CC-USDC&origClientOrderId=${clientId}`;
  return (await client.read("/api/v3/order", query)).status === 200;
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const untilMs = Date.now() + waitMsMax;
  while (!(await holds())) {
    assert(Date.now() < untilMs, `never: ${what}`);
    await sleep(50);
  }
}

test("JRN-12 a full disk is told, promises nothing that it does not keep, and is over when there is room", async (t) => {
  const missing = hindrance();
  if (missing !== null) return t.skip(missing);
  const dataDir = await mkdtemp(join(tmpdir(), "rialto-disk-"));
  const disk = join(dataDir, "postgres");
  await mkdir(disk);
  const venue = await VenueProcess.start({
    dataDir,
    // Answers of unknown outcome come soon.
    settings: { GATEWAY_TIMEOUT_MS: "2000" },
    within: within(`mount -t tmpfs -o size=${diskBytes},mode=755 tmpfs '${disk}'`),
  });
  const inside = (...words: string[]) => run("nsenter", ["-t", `${venue.pid}`, "-m", ...words]);
  const [key] = await createLoadKeys(dataDir, 1);
  assert(key !== undefined);
  const client = new SignedClient(key, 0, "10.9.1.1", () => venue.endpoint);
  try {
    const acknowledged: string[] = [];
    const denied: string[] = [];
    for (let count = 0; count < 20; count++) {
      assert.equal((await place(client, `before-${count}`))?.status, 200);
      acknowledged.push(`before-${count}`);
    }
    const filler = join(disk, "filler");
    await inside("dd", "if=/dev/zero", `of=${filler}`, "bs=16k").catch(() => undefined);
    // What still fits into pages that are there may yet be acknowledged.
    for (let count = 0; denied.length < 10; count++) {
      assert(count < 2_000, "the disk does not fill");
      const answer = await place(client, `full-${count}`);
      if (answer?.status === 200) acknowledged.push(`full-${count}`);
      else if (answer?.status === 503) denied.push(`full-${count}`);
      else assert.equal(answer?.status ?? 408, 408, JSON.stringify(answer));
    }
    const { host, port } = venue.endpoint;
    const get = (path: string) => fetch(`http://${host}:${port}${path}`);
    await until("health says so", async () => (await get("/health")).status === 503);
    assert.equal((await get("/api/v3/depth?symbol=CC-USDC")).status, 200, "reads go on");
    const log = await readFile(join(dataDir, "venue.log"), "utf8");
    assert.match(log, /No space left on device/);
    await inside("rm", filler);
    await until("orders are taken again", async () => {
      return (await place(client, `after-${Date.now()}`))?.status === 200;
    });
    for (const clientId of acknowledged) assert(await isThere(client, clientId), clientId);
    for (const clientId of denied) assert(!(await isThere(client, clientId)), clientId);
    assert.equal((await get("/health")).status, 200);
    t.diagnostic(`${acknowledged.length} acknowledged and there, ${denied.length} denied and not`);
  } finally {
    client.close();
    await venue.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});

test("OPS-22 a data folder that is read-only is told by the name of its setting", async (t) => {
  const missing = hindrance();
  if (missing !== null) return t.skip(missing);
  const dataDir = await mkdtemp(join(tmpdir(), "rialto-read-only-"));
  const mounting = `mount --bind '${dataDir}' '${dataDir}' && mount -o remount,ro,bind '${dataDir}'`;
  const [program = "", ...words] = [...within(mounting), process.execPath, cli, "start"];
  const env = { PATH: process.env["PATH"] ?? "", DATA_DIR: dataDir, PORT: "0" };
  const child = spawn(program, words, { env: { ...env, LEDGER_PROFILE: "none" }, stdio: "pipe" });
  let complained = "";
  child.stderr.on("data", (bytes: Buffer) => {
    complained += bytes.toString("utf8");
  });
  const [code] = await once(child, "close");
  assert.equal(code, 1);
  assert.match(
    complained,
    /^DATA_DIR cannot be .*rialto-read-only-.*: EROFS: read-only file system/,
  );
  await rm(dataDir, { recursive: true, force: true });
});
