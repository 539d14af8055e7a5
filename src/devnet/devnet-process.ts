// Runs the development ledger as a process. It reads its settings from a file that only the file's owner can read,
// starts two HTTP servers on the loopback address, and writes their URLs to a ready file. All state is in the tables,
// so the process exits immediately on a signal or when it loses its database.

import { readFile, rename, writeFile } from "node:fs/promises";
import type { Log } from "../ports/log.ts";
import { DevnetLedger, type DevnetSettings } from "./devnet-ledger.ts";
import { HostedWallets } from "./hosted-wallets.ts";
import { adminRoutes } from "./routes/admin-routes.ts";
import { type JsonRoute, type RunningServer, serveJson } from "./routes/json-server.ts";
import { ledgerRoutes } from "./routes/ledger-routes.ts";
import { registryRoutes } from "./routes/registry-routes.ts";

/** Content of the settings file. */
export interface DevnetProcessSettings extends DevnetSettings {
  /** Token of the admin API (faults and faucet); null disables it. */
  readonly adminToken: string | null;
  readonly readyFile: string;
}

/** Content of the ready file. */
export interface DevnetEndpoint {
  readonly pid: number;
  readonly url: string;
  /** URL of the admin API; null if that API is disabled. */
  readonly adminUrl: string | null;
  readonly operator: string;
  readonly custody: string;
}

const ownerOnly = 0o600;

/** Runs the ledger until the process gets a signal; `now` returns the ledger's time in ms. */
export async function runDevnetLedger(
  settingsFile: string,
  log: Log,
  now: () => number,
): Promise<void> {
  const settings = JSON.parse(await readFile(settingsFile, "utf8")) as DevnetProcessSettings;
  const end = (error: Error): never => {
    log.error({ err: error }, "the development ledger failed");
    process.exit(1);
  };
  const ledger = await DevnetLedger.open(settings, end, now);
  const onFault = (error: unknown) => log.error({ err: error }, "a request failed");
  const wallets = new HostedWallets(ledger, onFault);
  await wallets.host(ledger.party("custody"));
  const routes = [...ledgerRoutes(ledger), ...registryRoutes(ledger, wallets)];
  const before = await previousEndpoint(settings.readyFile);
  const api = await serveAgain(routes, before.url, onFault);
  const { adminToken } = settings;
  const admin =
    adminToken === null
      ? null
      : await serveAgain(adminRoutes(ledger, wallets, adminToken), before.adminUrl, onFault);
  const endpoint: DevnetEndpoint = {
    pid: process.pid,
    url: `http://127.0.0.1:${api.port}`,
    adminUrl: admin === null ? null : `http://127.0.0.1:${admin.port}`,
    operator: ledger.party("operator"),
    custody: ledger.party("custody"),
  };
  await writeWhole(settings.readyFile, JSON.stringify(endpoint));
  log.info({ port: api.port, offset: ledger.queue.endOffset }, "the development ledger is open");
  const close = async () => {
    await Promise.all([api.close(), admin?.close()]);
    await ledger.close();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void close());
}

/** Returns the endpoint that this folder's ledger last used, because clients may still use it. */
async function previousEndpoint(readyFile: string): Promise<Partial<DevnetEndpoint>> {
  try {
    return JSON.parse(await readFile(readyFile, "utf8")) as DevnetEndpoint;
  } catch {
    return {};
  }
}

/** Listens on the port of `url`, or on a free port if that port is taken or unknown. */
async function serveAgain(
  routes: readonly JsonRoute[],
  url: string | null | undefined,
  onFault: (error: unknown) => void,
): Promise<RunningServer> {
  const port = url ? Number(new URL(url).port) : 0;
  return serveJson(routes, port, onFault).catch(() => serveJson(routes, 0, onFault));
}

/** Writes the file atomically, so that readers see either the old or the new content. */
async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: ownerOnly });
  await rename(`${path}.new`, path);
}
