// Proves that the operator's list of markets says which perpetuals take only orders that reduce positions.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "../support/client/json.ts";
import { CliProcess, runCli } from "../support/venue/cli-process.ts";

let dataDir: string;
let settings: Record<string, string>;
let venue: CliProcess;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "rialto-warnings-"));
  settings = { DATA_DIR: dataDir, PORT: "0", DEV_PROVIDER: "0", LEDGER_PROFILE: "none" };
  venue = new CliProcess(["start"], settings);
  await venue.untilPrinted(/^Rialto is open at (http:\S+)$/m);
});
after(async () => {
  venue?.signal("SIGTERM");
  await venue?.ended;
  await rm(dataDir, { recursive: true, force: true });
});

async function done(...args: string[]): Promise<Json> {
  const { code, printed, complained } = await runCli([...args, "--json"], settings);
  assert.equal(code, 0, `${args.join(" ")}: ${complained}`);
  return JSON.parse(printed);
}

const waitMs = 60_000;

/** The warning of BTC-PERP, once it is as `isWanted` says. */
async function warning(isWanted: (text: string | null) => boolean): Promise<string | null> {
  const untilMs = performance.now() + waitMs;
  for (;;) {
    const rows: Json[] = await done("markets", "list");
    const text = rows.find(({ symbol }) => symbol === "BTC-PERP")?.warning as string | null;
    if (isWanted(text)) return text;
    assert.ok(performance.now() < untilMs, `the warning is still ${text}`);
    await sleep(200);
  }
}

test("OPS-60 RSK-57 a perpetual whose index is stale is listed as reduce-only, until it has an index again", async () => {
  await warning((text) => text === null);
  await done("markets", "risk", "BTC-PERP", "stale-after", "1");
  await done("markets", "halt", "CBTC-USDC");
  const words =
    "BTC-PERP takes only orders that reduce positions: its index is stale, because its index market CBTC-USDC is halted";
  await warning((text) => text === words);
  const { printed } = await runCli(["markets", "list"], settings);
  assert.match(printed, new RegExp(`^warning +${words}$`, "m"));
  await done("markets", "risk", "BTC-PERP", "stale-after", "0");
  assert.equal(await warning((text) => text === null), null);
});

test("OPS-70 the status of a running venue names its version and how long it has been running", async () => {
  const version = (await runCli(["--version"], settings)).printed.trimEnd();
  const first = await done("status");
  assert.equal(first.version, version);
  assert.ok(Number.isInteger(first.uptime_s), String(first.uptime_s));
  await sleep(1_100);
  assert.ok((await done("status")).uptime_s > first.uptime_s);
});
