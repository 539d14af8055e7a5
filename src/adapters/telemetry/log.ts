// The venue's log: one JSON line per entry on standard error, separate from what people read on standard
// output (address, demo key). Secrets are redacted by field name as a second line of defence; the first is
// not to log them.

import { pino } from "pino";
import type { Log } from "../../ports/log.ts";

/** Field names whose values are redacted, at the top and one level down. */
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
/** How much unwritten output is buffered. */
const bufferBytesMax = 2 ** 20;

const errorText = pino.stdSerializers.err;

/**
 * The log of this thread; `level` is one of pino's. Written synchronously, so that a dying thread's last
 * lines appear.
 */
export function createLog(level: string, thread: string, descriptor = standardError): Log {
  // If standard error is a file on a full disk, the log drops the newest lines and the venue continues.
  const destination = pino.destination({ dest: descriptor, sync: true, maxLength: bufferBytesMax });
  destination.on("error", () => undefined);
  return pino(
    {
      level,
      base: { thread },
      // Field names under which faults are logged: without these serializers an error is written as {}.
      serializers: { err: errorText, error: errorText, cause: errorText },
      redact: {
        paths: redactedNames.flatMap((name) => [name, `*.${name}`]),
        censor: "(secret)",
      },
    },
    destination,
  );
}
