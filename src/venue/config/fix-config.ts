// The settings of the FIX listeners, and what must be true of them together.

import type { ConfigVariables } from "../../../schemas/config.ts";
import type { FixSettings } from "../../adapters/gateway/fix/fix-listeners.ts";
import { isLoopbackHost } from "../../services/access/public-authority.ts";
import type { ConfigFault } from "./ledger-config.ts";

/** The FIX listeners; null without a port for one. */
export function fixConfigOf(read: ConfigVariables): FixSettings | null {
  const { FIX_PORT: port, FIX_MARKET_DATA_PORT: marketDataPort } = read;
  const { FIX_TLS_CERT, FIX_TLS_KEY } = read;
  if (port === null && marketDataPort === null) return null;
  const hasTls = FIX_TLS_CERT !== null && FIX_TLS_KEY !== null;
  return {
    port,
    marketDataPort,
    tls: hasTls ? { certFile: FIX_TLS_CERT, keyFile: FIX_TLS_KEY } : null,
  };
}

/** Refuses a port that is used twice, half of a TLS setting, and a listener without TLS that other machines could reach. */
export function fixFaults(read: ConfigVariables, fault: ConfigFault): string[] {
  const { FIX_TLS_CERT, FIX_TLS_KEY, FIX_PLAIN, HOST, PORT } = read;
  const faults: string[] = [];
  const isOpen = FIX_TLS_CERT === null && FIX_PLAIN !== true && !isLoopbackHost(HOST);
  const used = [PORT];
  for (const name of ["FIX_PORT", "FIX_MARKET_DATA_PORT"] as const) {
    const port = read[name];
    if (port === null) continue;
    if (used.includes(port)) faults.push(fault(name, "a port of its own"));
    used.push(port);
    if (isOpen) faults.push(fault(name, tlsExpectation));
  }
  if (used.length > 1 && (FIX_TLS_CERT === null) !== (FIX_TLS_KEY === null)) {
    faults.push(fault("FIX_TLS_CERT", "FIX_TLS_CERT and FIX_TLS_KEY together, or neither"));
  }
  return faults;
}

const tlsExpectation = "FIX_TLS_CERT and FIX_TLS_KEY with it, or FIX_PLAIN=1 behind a TLS proxy";
