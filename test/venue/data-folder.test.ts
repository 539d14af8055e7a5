// Proves that only one process at a time uses a data folder: with simultaneous starts, with commands during a start,
// and with processes that an ended venue left running. Everything runs on embedded defaults, as with `make run`.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findPostmaster } from "../../src/adapters/postgres/server/postmaster.ts";
import { isAlive } from "../../src/adapters/process-life.ts";
import { folderHolder } from "../../src/adapters/runtime/folder-lock.ts";
import { until } from "../epochs/epoch-waits.ts";
import { CliProcess, runCli } from "../support/venue/cli-process.ts";
import { endRemains } from "../support/venue/venue-remains.ts";

const cli = fileURLToPath(new URL("../../bundle/src/venue/rialto.js", import.meta.url));
/**
 * Longest time in ms until leftover processes have ended on a busy machine. They wait for a grace period and then stop;
 * PostgreSQL also writes a checkpoint.
 */
const goneMsMax = 120_000;
/** For so long PostgreSQL and the ledger of a killed venue wait for the next one, in ms. */
const graceMs = 10_000;

let dataDir: string;
let settings: { DATA_DIR: string; PORT: string; DEV_PROVIDER: string };
const started: CliProcess[] = [];

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "rialto-folder-"));
  settings = { DATA_DIR: dataDir, PORT: "0", DEV_PROVIDER: "0" };
});

afterEach(async () => {
  for (const venue of started.splice(0)) {
    venue.signal("SIGTERM");
    await venue.ended;
  }
});

after(async () => {
  await endRemains(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});

function start(): CliProcess {
  const venue = new CliProcess(["start"], settings);
  started.push(venue);
  return venue;
}

async function serverPid(): Promise<number> {
  const found = await findPostmaster(join(dataDir, "postgres", "cluster"));
  if (typeof found === "string") throw new Error(`the venue's PostgreSQL: ${found}`);
  return found.pid;
}

function ledgerPid(): Promise<number> {
  return until("a ledger", async () => {
    const text = await readFile(join(dataDir, "ledger", "place.json"), "utf8").catch(() => "");
    // The previous venue's file stays until the next one writes its own.
    const { pid = 0 } = text === "" ? {} : (JSON.parse(text) as { pid: number });
    return pid !== 0 && isAlive(pid) ? pid : null;
  });
}

async function untilGone(pids: readonly number[]): Promise<void> {
  const untilMs = Date.now() + goneMsMax;
  while (pids.some(isAlive)) {
    assert(Date.now() < untilMs, `processes ${pids.filter(isAlive)} must end in time`);
    await sleep(50);
  }
}

for (const apartMs of [0, 20, 100, 400, 1000]) {
  test(`OPS-31 of two starts ${apartMs} ms apart one serves and the other reports why it does not`, async () => {
    const first = start();
    await sleep(apartMs);
    const second = start();
    const isOpen = (venue: CliProcess) =>
      venue.untilPrinted(/^Rialto is open at/m).then(
        () => true,
        () => false,
      );
    const opened = await Promise.all([isOpen(first), isOpen(second)]);
    assert.deepEqual([...opened].sort(), [false, true]);
    const [winner, loser] = opened[0] ? [first, second] : [second, first];
    assert.equal(await loser.ended, 1);
    assert.match(loser.complained, /a venue is already running on \S+/);
    const pids = [await serverPid(), await ledgerPid()];
    await sleep(500);
    assert.deepEqual([await serverPid(), await ledgerPid()], pids);
    winner.signal("SIGTERM");
    assert.equal(await winner.ended, 0, winner.complained);
    await untilGone(pids);
  });
}

test("OPS-31 a command given while the venue starts waits and is answered", async () => {
  const venue = start();
  await until("the venue holds its folder", () => folderHolder(dataDir));
  const { code, printed } = await runCli(["status", "--json"], settings);
  assert.equal(code, 0);
  assert.equal(JSON.parse(printed).is_running, true);
  await venue.untilPrinted(/^Rialto is open at/m);
});

test("OPS-31 a start during a command waits for the command", async () => {
  const command = runCli(["snapshot"], settings);
  const ended = command.then(() => true);
  const isHeld = async () => (await folderHolder(dataDir)) !== null;
  while (!(await isHeld()) && !(await Promise.race([ended, sleep(5, false)])));
  const venue = start();
  await venue.untilPrinted(/^Rialto is open at/m);
  assert.equal((await command).code, 0);
});

test("OPS-32 after SIGKILL the venue's PostgreSQL and ledger end by themselves", async () => {
  const venue = start();
  await venue.untilPrinted(/^Rialto is open at/m);
  const pids = [await serverPid(), await ledgerPid()];
  venue.signal("SIGKILL");
  await venue.ended;
  await untilGone(pids);
});

test("OPS-32 PostgreSQL and ledger also end if no parent process waits for the killed venue, as in some containers", async () => {
  // If its parent does not wait for it, an ended process stays as a zombie, and signals still find it.
  const args = ["-c", '"$0" "$1" start & exec sleep 600', process.execPath, cli];
  const env = { PATH: process.env["PATH"] ?? "", LOG_LEVEL: "error", ...settings };
  const shell = spawn("/bin/sh", args, { env, detached: true, stdio: "pipe" });
  try {
    let printed = "";
    shell.stdout.on("data", (bytes: Buffer) => {
      printed += bytes.toString("utf8");
    });
    while (!/^Rialto is open at/m.test(printed)) await nextOutput(shell);
    const pids = [await serverPid(), await ledgerPid()];
    const venue =
      (await folderHolder(dataDir))?.pid ?? assert.fail("the venue must hold its folder");
    process.kill(venue, "SIGKILL");
    await untilGone(pids);
    assert.doesNotThrow(() => process.kill(venue, 0), "the pid must still exist");
  } finally {
    process.kill(-(shell.pid ?? 0), "SIGKILL");
    await once(shell, "close");
  }
});

test("OPS-32 a venue started at once after SIGKILL takes over the running processes, permanently", async () => {
  let pids: readonly number[] = [];
  // On a busy machine the next venue may come when the watchers' grace period is almost over; then it is stopped, and
  // another one is killed.
  for (let takeovers = 1; ; takeovers++) {
    const killed = start();
    await killed.untilPrinted(/^Rialto is open at/m);
    pids = [await serverPid(), await ledgerPid()];
    killed.signal("SIGKILL");
    const killedMs = performance.now();
    await killed.ended;
    const next = start();
    await until("the next venue holds the folder", () => folderHolder(dataDir));
    const tookMs = performance.now() - killedMs;
    await next.untilPrinted(/^Rialto is open at/m);
    if (tookMs < graceMs / 2) break;
    assert(takeovers < 5, "a venue must take over soon");
    next.signal("SIGTERM");
    await next.ended;
  }
  // Wait longer than the grace period of the killed venue's watchers.
  await sleep(graceMs + 2_000);
  assert.deepEqual([await serverPid(), await ledgerPid()], pids);
});

test("OPS-8 OPS-62 SIGTERM to make's process group reaches a venue twice and stops it in order", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rialto-make-"));
  const makefile = join(folder, "Makefile");
  await writeFile(makefile, `run:\n\t@exec ${process.execPath} ${cli} start\n`);
  const env = { PATH: process.env["PATH"] ?? "", LOG_LEVEL: "error", ...settings };
  const make = spawn("make", ["-f", makefile, "run"], { env, detached: true, stdio: "pipe" });
  let printed = "";
  make.stdout.on("data", (bytes: Buffer) => {
    printed += bytes.toString("utf8");
  });
  make.stderr.on("data", (bytes: Buffer) => {
    printed += bytes.toString("utf8");
  });
  while (!/^Rialto is open at/m.test(printed)) await nextOutput(make);
  const pids = [await serverPid(), await ledgerPid()];
  process.kill(-(make.pid ?? 0), "SIGTERM");
  await once(make, "close");
  assert.doesNotMatch(printed, /Killed/);
  await untilGone(pids);
  await rm(folder, { recursive: true });
});

async function nextOutput(child: ChildProcess): Promise<void> {
  const ended = once(child, "close").then(() =>
    assert.fail("the process ended before the venue was open"),
  );
  await Promise.race([once(child.stdout ?? child, "data"), ended]);
}
