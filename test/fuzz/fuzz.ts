// Checks one property against generated cases until its time is over. A seed fixes the sequence of cases: `make
// test` uses the same seed each time, while `make fuzz` draws a seed and runs for the given time. A failing case is
// shrunk and printed with the seed that reproduces it: `FUZZ_SEED=7 make fuzz`.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";

const seed = Number(process.env["FUZZ_SEED"] ?? 1);
const secondsEach = Number(process.env["FUZZ_SECONDS"] ?? 2);

/** Defines a test that runs `holds` for each value drawn from `cases`; `holds` throws if the property fails. */
export function fuzz<Case>(
  name: string,
  cases: fc.Arbitrary<Case>,
  holds: (one: Case) => void | Promise<void>,
): void {
  test(name, { timeout: (secondsEach + 300) * 1000 }, async (t) => {
    let tried = 0;
    let running: Promise<void> | undefined;
    const property = fc.asyncProperty(cases, (one) => {
      tried++;
      running = Promise.resolve(holds(one));
      return running;
    });
    await fc.assert(property, {
      seed,
      numRuns: Number.MAX_SAFE_INTEGER,
      interruptAfterTimeLimit: secondsEach * 1000,
      markInterruptAsFailure: false,
    });
    // The end of the time does not end the case that runs: it may still fail, and it may still change what it shares with
    // the next test.
    await running;
    assert.ok(tried > 0, "the time was over before the first case");
    t.diagnostic(`${tried} cases, seed ${seed}`);
  });
}
