// The venue's log: one JSON line per entry on standard error, separate from the text for people on standard output
// (address, demo key). Secrets must not be logged; as a second line of defence, the log redacts them by field name.

import { pino } from "pino";
import type { Log } from "../../ports/log.ts";

/** Names of fields whose values are redacted, at the top level and one level below. */
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
/** Maximum number of bytes of unwritten output that are buffered. */
const bufferBytesMax = 2 ** 20;

const errorText = pino.stdSerializers.err;

/**
 * Returns the log of this thread; `level` is one of pino's. Lines are written synchronously, so that a failing thread's
 * last lines are not lost.
 */
export function createLog(level: string, thread: string, descriptor = standardError): Log {
  // If standard error is a file on a full disk, the log drops the newest lines and the venue continues.
  const destination = pino.destination({ dest: descriptor, sync: true, maxLength: bufferBytesMax });
  destination.on("error", () => undefined);
  return pino(
    {
      level,
      base: { thread },
      // Field names under which faults are logged. Without these serializers, an error is written as {}.
      serializers: { err: errorText, error: errorText, cause: errorText },
      redact: {
        paths: redactedNames.flatMap((name) => [name, `*.${name}`]),
        censor: "(secret)",
      },
    },
    destination,
  );
}
