// The machine's wall clock. Readings follow it wherever it is set; clearing alone makes sure that the
// time of events never goes backwards.

import { asUnixMs } from "../../core/unix-ms.ts";
import type { Clock } from "../../ports/clock.ts";

export const systemClock: Clock = {
  nowMs: () => asUnixMs(Date.now()),
  // Whole milliseconds: finer figures would come from a clock that is never set, and drift from this one.
  nowUs: () => Date.now() * 1000,
};
