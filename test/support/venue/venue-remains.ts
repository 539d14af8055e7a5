// Ends the processes that a killed venue leaves running, its PostgreSQL and development ledger. Normally the venue's
// next start adopts them, but after a failed test there is no next start.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findPostmaster } from "../../../src/adapters/postgres/server/postmaster.ts";
import { isAlive } from "../../../src/adapters/process-life.ts";
import { until } from "../../epochs/epoch-waits.ts";

/** Ends the ledger and the database server of `dataDir` if they run. */
export async function endRemains(dataDir: string): Promise<void> {
  const ledger = await ledgerOf(dataDir);
  if (ledger !== null) await end(ledger, "SIGKILL");
  const server = await findPostmaster(join(dataDir, "postgres", "cluster"));
  // Stop the server with SIGQUIT, which also ends its sessions; after a SIGKILL they would run on until they
  // noticed that it is gone.
  if (typeof server !== "string") await end(server.pid, "SIGQUIT");
}

/** Returns the pid of the running ledger process of this folder, or null. */
async function ledgerOf(dataDir: string): Promise<number | null> {
  const folder = join(dataDir, "ledger");
  const text = await readFile(join(folder, "place.json"), "utf8").catch(() => null);
  if (text === null) return null;
  const { pid } = JSON.parse(text) as { pid: number };
  const message = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return message.includes(join(folder, "settings.json")) ? pid : null;
}

async function end(pid: number, signal: NodeJS.Signals): Promise<void> {
  // It may have ended by itself since it was found.
  if (isAlive(pid)) process.kill(pid, signal);
  await until(`the end of process ${pid}`, async () => !isAlive(pid) || null);
}
