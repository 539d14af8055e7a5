// Time comes in from outside: whoever needs it is handed a clock, so that tests can hold it still.

import type { UnixMs } from "../core/unix-ms.ts";

export interface Clock {
  /** Milliseconds UTC. */
  nowMs(): UnixMs;
  /** Microseconds UTC, for commands; may stand still between calls, never between milliseconds. */
  nowUs(): number;
}
