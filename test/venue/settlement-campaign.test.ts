// Proves in a short campaign that faults and kills never lose or repeat a settlement; settlement-campaign.slow.test.ts
// is the long campaign.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../epochs/epoch-waits.ts";
import { runCampaign } from "./settlement-campaign.ts";

test("SET-7 each fill is settled once, whatever the ledger does and whichever process dies", async (t) => {
  const options = { batches: 100, members: 10, seed: 7, kills: 3 };
  const result = await runCampaign({ ...options, say: () => undefined });
  t.diagnostic(`${JSON.stringify(options)}: ${JSON.stringify(result)}`);
});

test("a campaign that fails half-way leaves no process running", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "rialto-campaign-"));
  let seen = 0;
  const say = () => {
    seen = processesOf(dataDir).length;
    throw new Error("half-way");
  };
  const options = { batches: 20, members: 2, seed: 7, kills: 2, dataDir, say };
  await assert.rejects(runCampaign(options), /^Error: half-way$/);
  assert.ok(seen > 0, "The campaign must have had processes");
  const noneLeft = async () => processesOf(dataDir).length === 0 || null;
  await until("the end of the campaign's processes", noneLeft);
});

/** Returns the processes that work in a folder or have it as an argument. */
function processesOf(folder: string): string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    const has = (name: string) => readFileSync(join("/proc", pid, name), "latin1").includes(folder);
    try {
      return (
        readlinkSync(join("/proc", pid, "cwd")).startsWith(folder) ||
        has("cmdline") ||
        has("environ")
      );
    } catch {
      // The process has just ended.
      return false;
    }
  });
}
