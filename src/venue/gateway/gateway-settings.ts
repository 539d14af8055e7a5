// The settings that a gateway cannot do without. A venue may lack them, so they are checked apart from the others.

import type { NatsSettings } from "../../adapters/nats/nats-bus.ts";
import { type Config, ConfigError } from "../config/config.ts";

export interface GatewaySettings {
  readonly databaseUrl: string;
  readonly synchronousWaitMs: number | null;
  readonly bus: NatsSettings;
}

/** Throws a ConfigError that names every setting that is missing. */
export function gatewaySettings({ databaseUrl, synchronousWaitMs, bus }: Config): GatewaySettings {
  if (databaseUrl !== null && bus !== null) return { databaseUrl, synchronousWaitMs, bus };
  const faults: string[] = [];
  if (bus === null) faults.push("a gateway needs NATS_URL, the address of the bus to its leader");
  if (databaseUrl === null) faults.push("a gateway needs DATABASE_URL, the database of its leader");
  throw new ConfigError(faults);
}
