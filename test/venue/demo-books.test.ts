// Proves for the operator of a development venue that a halt is logged, named by `status` and `doctor`, and leaves no
// stale index behind: the demo's house account quotes the market again once it trades.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CliProcess, runCli } from "../support/venue/cli-process.ts";

const market = "CBTC-USDC";
const waitMsMax = 60_000;

interface Finding {
  readonly check: string;
  readonly verdict: string;
  readonly found: string;
  readonly mend: string;
}

let dataDir: string;
let settings: Record<string, string>;
let venue: CliProcess;
let address = "";

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "rialto-books-"));
  settings = { DATA_DIR: dataDir, PORT: "0", DEV_PROVIDER: "0", LEDGER_PROFILE: "none" };
  await start();
});
after(async () => {
  venue.signal("SIGTERM");
  await venue.ended;
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  venue = new CliProcess(["start"], { ...settings, LOG_LEVEL: "info", LOG_FORMAT: "json" });
  [, address = ""] = await venue.untilPrinted(/^Rialto is open at (http:\S+)$/m);
}

async function run(...args: string[]): Promise<string> {
  const { code, printed, complained } = await runCli([...args, "--json"], settings);
  assert.equal(code, 0, complained);
  return printed;
}

async function levels(): Promise<{ bids: number; asks: number }> {
  const answer = await fetch(`${address}/api/v3/depth?symbol=${market}&limit=100`);
  const { bids, asks } = (await answer.json()) as { bids: unknown[]; asks: unknown[] };
  return { bids: bids.length, asks: asks.length };
}

/** True as soon as both sides have every level, of which the last is an ask. */
async function isQuoted(): Promise<boolean> {
  const { bids, asks } = await levels();
  return bids === 11 && asks === 11;
}

async function until(message: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const untilMs = performance.now() + waitMsMax; !(await isSo()); await sleep(100))
    assert(performance.now() < untilMs, message);
}

/** The problems of a status without those of the machine of the tests, whose disk may be full. */
const ofVenue = ({ problems }: { problems: readonly { kind: string }[] }) =>
  problems.filter(({ kind }) => !/^(disk|thread|acks)_/.test(kind));

const state = (findings: readonly Finding[]) => findings.filter(({ check }) => check === "state");

test("OPS-104 OPS-106 OPS-113 a halt is in the log, and status and doctor name it", async () => {
  await until("the venue has no problem", async () => {
    const before = JSON.parse(await run("status"));
    return before.health === "ok" && ofVenue(before).length === 0;
  });
  assert(state(JSON.parse(await run("doctor"))).every(({ found }) => !found.includes(market)));
  await run("markets", "halt", market);
  const said = () => venue.printed + venue.complained;
  await until("the halt is logged", async () => said().includes("the operator halted a market"));
  let after = JSON.parse(await run("status"));
  await until("an answer of /health in time", async () => {
    if (after.health === "silent") after = JSON.parse(await run("status"));
    return after.health !== "silent";
  });
  const told = { kind: "market_halted", severity: "warning", market, text: `${market} is halted` };
  assert.deepEqual([after.health, ofVenue(after)], ["ok", [told]]);
  const finding = state(JSON.parse(await run("doctor"))).find(({ found }) => found === told.text);
  assert.deepEqual([finding?.verdict, finding?.found], ["warning", `${market} is halted`]);
  assert.match(finding?.mend ?? "", /rialto markets resume/);
});

test("OPS-103 the demo's house account quotes a resumed market again, also after a restart", async () => {
  assert.deepEqual(await levels(), { bids: 0, asks: 0 });
  await run("markets", "resume", market);
  await until("the books are quoted again", isQuoted);
  await run("markets", "halt", market);
  venue.signal("SIGTERM");
  await venue.ended;
  await start();
  assert.deepEqual(await levels(), { bids: 0, asks: 0 });
  await run("markets", "resume", market);
  await until("the next start quotes too", isQuoted);
});
