// A wall clock that the test sets, loaded by `--import` into all threads of a process under test; the process sees it
// as the host's clock. Monotonic clocks continue unchanged. Child processes get the same clock. The file named by
// STEPPED_CLOCK holds the offset in ms, the drift rate and the time from which the drift counts.

import { readFileSync } from "node:fs";

/** Longest time in ms for which a reading of the file is used. */
const readEveryMs = 5;

const path = process.env["STEPPED_CLOCK"];
if (path !== undefined) stepDate(path);

function stepDate(file: string): void {
  const SystemDate = Date;
  const systemNow = Date.now;
  const held = { readAtMs: Number.NEGATIVE_INFINITY, offsetMs: 0, rate: 0, sinceMs: 0 };
  const now = (): number => {
    const monotonicMs = performance.now();
    if (monotonicMs - held.readAtMs > readEveryMs) {
      held.readAtMs = monotonicMs;
      const [offsetMs = 0, rate = 0, sinceMs = 0] = readFileSync(file, "utf8")
        .split(" ")
        .map(Number);
      Object.assign(held, { offsetMs, rate, sinceMs });
    }
    const { offsetMs, rate, sinceMs } = held;
    const realMs = systemNow();
    return Math.floor(realMs + offsetMs + (realMs - sinceMs) * rate);
  };
  class SteppedDate extends SystemDate {
    constructor(...parts: readonly number[]) {
      if (parts.length === 0) super(now());
      else super(...(parts as [number]));
    }
    static override now(): number {
      return now();
    }
  }
  globalThis.Date = SteppedDate as DateConstructor;
}
