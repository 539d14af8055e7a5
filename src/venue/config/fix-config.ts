// The settings of the FIX listener, and what must be true of them together.

import type { ConfigVariables } from "../../../schemas/config.ts";
import type { FixSettings } from "../../adapters/gateway/fix/fix-settings.ts";
import type { ConfigFault } from "./ledger-config.ts";

/** Addresses that only programs on this machine reach. */
const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

/** The FIX listener; null without FIX_PORT. */
export function fixConfigOf(read: ConfigVariables): FixSettings | null {
  const { FIX_PORT, FIX_TLS_CERT, FIX_TLS_KEY, RATE_LIMIT_WS_CONNS_PER_IP } = read;
  if (FIX_PORT === null) return null;
  const hasTls = FIX_TLS_CERT !== null && FIX_TLS_KEY !== null;
  return {
    port: FIX_PORT,
    tls: hasTls ? { certFile: FIX_TLS_CERT, keyFile: FIX_TLS_KEY } : null,
    connectionsPerAddressMax: RATE_LIMIT_WS_CONNS_PER_IP,
  };
}

/** Refuses half of a TLS setting, and a listener without TLS that other machines could reach. */
export function fixFaults(read: ConfigVariables, fault: ConfigFault): string[] {
  const { FIX_PORT, FIX_TLS_CERT, FIX_TLS_KEY, FIX_PLAIN, HOST, PORT } = read;
  if (FIX_PORT === null) return [];
  const faults: string[] = [];
  if (FIX_PORT === PORT) faults.push(fault("FIX_PORT", "another port than PORT"));
  if ((FIX_TLS_CERT === null) !== (FIX_TLS_KEY === null)) {
    faults.push(fault("FIX_TLS_CERT", "FIX_TLS_CERT and FIX_TLS_KEY together, or neither"));
  }
  const isOpen = FIX_TLS_CERT === null && FIX_PLAIN !== true && !loopback.has(HOST);
  if (isOpen) {
    faults.push(
      fault("FIX_PORT", "FIX_TLS_CERT and FIX_TLS_KEY with it, or FIX_PLAIN=1 behind a TLS proxy"),
    );
  }
  return faults;
}
