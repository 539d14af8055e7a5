// Ends what a venue's data folder still has running, for tests that kill venues and then fail themselves:
// a killed venue leaves its PostgreSQL and its development ledger to the one that comes after it, and
// after a failed test nobody does.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findPostmaster, isAlive } from "../../../src/adapters/postgres/postmaster.ts";

const pollMs = 20;

/** Ends the ledger and the database server of `dataDir`, if they run; asks nobody first. */
export async function endRemains(dataDir: string): Promise<void> {
  const ledger = await ledgerOf(dataDir);
  if (ledger !== null) await end(ledger, "SIGKILL");
  const server = await findPostmaster(join(dataDir, "postgres", "cluster"));
  // Its sessions end with it, which a SIGKILL would leave to find out by themselves.
  if (typeof server !== "string") await end(server.pid, "SIGQUIT");
}

/** The ledger process that was started for this folder and is there. */
async function ledgerOf(dataDir: string): Promise<number | null> {
  const folder = join(dataDir, "ledger");
  const text = await readFile(join(folder, "place.json"), "utf8").catch(() => null);
  if (text === null) return null;
  const { pid } = JSON.parse(text) as { pid: number };
  const message = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return message.includes(join(folder, "settings.json")) ? pid : null;
}

async function end(pid: number, signal: NodeJS.Signals): Promise<void> {
  process.kill(pid, signal);
  while (isAlive(pid)) await sleep(pollMs);
}
