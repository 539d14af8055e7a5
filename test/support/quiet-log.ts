// A log without output, for tests and measurements that cause faults on purpose.

import type { Log } from "../../src/ports/log.ts";

const ignore = (): void => undefined;

export const quietLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
