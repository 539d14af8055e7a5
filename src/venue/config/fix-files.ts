// The files of the FIX listeners. They are checked before a venue or gateway starts anything, and only then: commands that
// read the same settings may run as a user who may not read the key. Spec FIX-1.

import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { FixSettings } from "../../adapters/gateway/fix/fix-listeners.ts";
import { ConfigError } from "./config.ts";

/** Throws a ConfigError that names the setting if certificate or key cannot be read or do not belong together. */
export function checkFixFiles(fix: FixSettings | null): void {
  if (fix === null || fix.tls === null) return;
  const cert = fileOf("FIX_TLS_CERT", fix.tls.certFile);
  const key = fileOf("FIX_TLS_KEY", fix.tls.keyFile);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigError([
      `FIX_TLS_CERT and FIX_TLS_KEY must be a certificate and its key as PEM: ${message}`,
    ]);
  }
}

function fileOf(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError([`${name}=${path} cannot be read: ${(error as Error).message}`]);
  }
}
