// Time is injected through a clock, so that tests can control it.

import type { UnixMs } from "../core/unix-ms.ts";

export interface Clock {
  /** Milliseconds UTC. */
  nowMs(): UnixMs;
  /**
   * Microseconds UTC, for commands. Two calls may return the same value, but the value advances with each millisecond.
   */
  nowUs(): number;
}
