// The venue's address for commands that use its public API: as reported by the venue that runs on the data folder, or,
// if none runs, derived from the settings.

import { resolve } from "node:path";
import { callControl, controlSocketPath } from "../../adapters/runtime/control-socket.ts";
import { readConfig } from "../config/config.ts";

/** The data folder of commands that are not told one. */
export const dataDirDefault = process.env["DATA_DIR"] ?? "./data";

/** Returns the URL of a listening host and port; a wildcard host becomes the loopback address. */
export function addressOf(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/**
 * Returns `given` without trailing slashes. If it is undefined, returns the address of the venue of this data folder.
 */
export async function venueAddress(given: string | undefined, dataDir: string): Promise<string> {
  if (given !== undefined) return given.replace(/\/+$/, "");
  const running = await runningAddress(dataDir);
  if (running !== null) return running;
  const { host, port } = readConfig(process.env);
  return addressOf(host, port);
}

/** Returns the address reported by the venue that runs on this data folder; null if no venue runs there. */
export async function runningAddress(dataDir: string): Promise<string | null> {
  const told = await callControl(controlSocketPath(resolve(dataDir)), "status").catch(() => null);
  const { address } = (told?.result ?? {}) as { readonly address?: string };
  return address ?? null;
}
