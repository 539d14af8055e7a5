// A log that keeps silent, for tests and measurements whose faults are made on purpose.

import type { Log } from "../../src/ports/log.ts";

const ignore = (): void => undefined;

export const quietLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
