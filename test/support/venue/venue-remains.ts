// Ends the processes that a venue's data folder still has running, for failing tests that kill venues: a killed
// venue leaves its PostgreSQL and development ledger to its successor, and after a failed test there is none.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findPostmaster, isAlive } from "../../../src/adapters/postgres/postmaster.ts";

const pollMs = 20;

/** Ends the ledger and the database server of `dataDir` if they run. */
export async function endRemains(dataDir: string): Promise<void> {
  const ledger = await ledgerOf(dataDir);
  if (ledger !== null) await end(ledger, "SIGKILL");
  const server = await findPostmaster(join(dataDir, "postgres", "cluster"));
  // Ending the server also ends its sessions; a SIGKILL would leave them running until they notice.
  if (typeof server !== "string") await end(server.pid, "SIGQUIT");
}

/** The running ledger process of this folder. */
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
