// The clocks of a front for which the market's time and the edge's are one.

import type { UnixMs } from "../../../src/core/unix-ms.ts";
import type { Clock } from "../../../src/ports/clock.ts";

/** Returns both clocks of a front from one time in microseconds. */
export function oneClock(nowUs: () => number): {
  readonly clock: Clock;
  readonly marketClock: Clock;
} {
  const clock = { nowUs, nowMs: () => Math.floor(nowUs() / 1000) as UnixMs };
  return { clock, marketClock: clock };
}
