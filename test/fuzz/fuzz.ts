// One property held against generated cases until its time is over. The cases are a fixed sequence for a
// seed: `make test` tries the beginning of the same one each time, `make fuzz` draws a seed and goes on for
// as long as it is told. What fails is shrunk and shown with the seed that finds it again:
// `FUZZ_SEED=7 make fuzz`.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";

const seed = Number(process.env["FUZZ_SEED"] ?? 1);
const secondsEach = Number(process.env["FUZZ_SECONDS"] ?? 2);

/** Tries `holds`, which throws where the property does not hold, with what `cases` draws. */
export function fuzz<Case>(
  name: string,
  cases: fc.Arbitrary<Case>,
  holds: (one: Case) => void | Promise<void>,
): void {
  test(name, { timeout: (secondsEach + 300) * 1000 }, async (t) => {
    let tried = 0;
    const property = fc.asyncProperty(cases, async (one) => {
      tried++;
      await holds(one);
    });
    await fc.assert(property, {
      seed,
      numRuns: Number.MAX_SAFE_INTEGER,
      interruptAfterTimeLimit: secondsEach * 1000,
      markInterruptAsFailure: false,
    });
    assert.ok(tried > 0, "the time was over before the first case");
    t.diagnostic(`${tried} cases, seed ${seed}`);
  });
}
