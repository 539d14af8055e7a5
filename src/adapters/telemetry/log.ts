// The venue's log: one JSON line an entry on standard error, so that what a person reads on standard
// output (address, demo key) is not mixed with it. Secrets are struck out by name as a second line of
// defence; the first is that nobody logs them.

import { pino } from "pino";
import type { Log } from "../../ports/log.ts";

/** Field names whose values never appear, at the top and one level down. */
export const redactedNames: readonly string[] = [
  "secret",
  "apiSecret",
  "masterKey",
  "masterKeys",
  "masterKeysEarlier",
  "nonceKey",
  "signature",
  "token",
  "password",
  "databaseUrl",
  "authorization",
];

const standardError = 2;
/** How much of what could not be written yet is kept. */
const bufferBytesMax = 2 ** 20;

const errorText = pino.stdSerializers.err;

/** The log of this thread; `level` is one of pino's. Written synchronously: a dying thread is heard. */
export function createLog(level: string, thread: string, descriptor = standardError): Log {
  // Where standard error is a file and its disk is full, the newest lines are dropped and nothing ends.
  const destination = pino.destination({ dest: descriptor, sync: true, maxLength: bufferBytesMax });
  destination.on("error", () => undefined);
  return pino(
    {
      level,
      base: { thread },
      // The names under which faults are logged: without these an error is written as {}.
      serializers: { err: errorText, error: errorText, cause: errorText },
      redact: {
        paths: redactedNames.flatMap((name) => [name, `*.${name}`]),
        censor: "(secret)",
      },
    },
    destination,
  );
}
