// The venue's log on standard error, separate from the text for people on standard output (address, demo key): one line
// per entry, as JSON, or readable on a terminal. Secrets must not be logged; as a second line of defence, the log redacts
// them by field name.

import { isatty } from "node:tty";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { pino } from "pino";
import type { Log } from "../../ports/log.ts";
import { readableLine } from "./log-lines.ts";

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

/** `auto`: readable on a terminal, otherwise JSON. */
export type LogFormat = "auto" | "json" | "pretty";

interface LogForm {
  readonly format: LogFormat;
  readonly isColoured: boolean;
}

const formName = "logForm";
const usual: LogForm = { format: "auto", isColoured: false };

/** Sets the format of the logs that this thread, and threads that it starts later, create from now on. */
export function useLogFormat(format: LogFormat, isColoured: boolean): void {
  setEnvironmentData(formName, { format, isColoured });
}

const errorText = pino.stdSerializers.err;

/**
 * Returns the log of this thread; `level` is one of pino's. Lines are written synchronously, so that a failing thread's
 * last lines are not lost.
 */
export function createLog(level: string, thread: string, descriptor = standardError): Log {
  // If standard error is a file on a full disk, the log drops the newest lines and the venue continues.
  const destination = pino.destination({ dest: descriptor, sync: true, maxLength: bufferBytesMax });
  destination.on("error", () => undefined);
  const { format, isColoured } = (getEnvironmentData(formName) as unknown as LogForm) ?? usual;
  const isReadable = format === "pretty" || (format === "auto" && isatty(descriptor));
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
    isReadable
      ? { write: (line) => destination.write(readableLine(line, isColoured)) }
      : destination,
  );
}
