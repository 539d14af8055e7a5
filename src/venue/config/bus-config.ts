// The settings of the bus between gateways and the leader, validated together: a setting that would have no effect is an
// error.

import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import type { ConfigVariables } from "../../../schemas/config.ts";
import type { NatsSettings } from "../../adapters/nats/nats-bus.ts";
import type { ConfigFault } from "./ledger-config.ts";

/** The faults of the bus's variables, one line each. */
export function busFaults(read: ConfigVariables, fault: ConfigFault): string[] {
  const faults: string[] = [];
  const { NATS_URL: urls, NATS_CREDENTIALS_FILE: credentials, NATS_NKEY_FILE: nkey } = read;
  if (credentials !== null && nkey !== null)
    faults.push(fault("NATS_NKEY_FILE", "nothing together with NATS_CREDENTIALS_FILE"));
  for (const name of ["NATS_CA_FILE", "NATS_CREDENTIALS_FILE", "NATS_NKEY_FILE"] as const) {
    const path = read[name];
    if (path === null) continue;
    if (urls.length === 0) faults.push(fault(name, "nothing without NATS_URL"));
    else if (!isReadable(path)) faults.push(fault(name, "a file that can be read"));
  }
  return faults;
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** The servers of the bus and how to log in; null for a venue without gateways. */
export function busConfigOf(read: ConfigVariables): NatsSettings | null {
  const { NATS_URL: urls, NATS_CA_FILE, NATS_CREDENTIALS_FILE, NATS_NKEY_FILE } = read;
  if (urls.length === 0) return null;
  const fileOf = (path: string | null) => (path === null ? null : resolve(path));
  return {
    urls,
    caFile: fileOf(NATS_CA_FILE),
    credentialsFile: fileOf(NATS_CREDENTIALS_FILE),
    nkeyFile: fileOf(NATS_NKEY_FILE),
  };
}
