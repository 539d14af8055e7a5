// Where the venue answers, for commands that speak to its public API: what the one that runs on the data
// folder says itself, else what the settings would give it.

import { resolve } from "node:path";
import { callControl, controlSocketPath } from "../../adapters/runtime/control-socket.ts";
import { readConfig } from "../config/config.ts";

/** The address of a door; every address of the machine is also this machine's own. */
export function addressOf(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** `given` without a closing slash, else the address of the venue with this data folder. */
export async function venueAddress(given: string | undefined, dataDir: string): Promise<string> {
  if (given !== undefined) return given.replace(/\/+$/, "");
  const running = await runningAddress(dataDir);
  if (running !== null) return running;
  const { host, port } = readConfig(process.env);
  return addressOf(host, port);
}

/** What the venue that runs on this data folder says of itself; null where none runs or says it. */
export async function runningAddress(dataDir: string): Promise<string | null> {
  const told = await callControl(controlSocketPath(resolve(dataDir)), "status").catch(() => null);
  const { address } = (told?.result ?? {}) as { readonly address?: string };
  return address ?? null;
}
