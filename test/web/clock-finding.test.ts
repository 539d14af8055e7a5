// Proves what the operations page reports about the machine's clock, given the values of /metrics.

import assert from "node:assert/strict";
import { test } from "node:test";
import { problem } from "../../src/ports/venue-problems.ts";
import { clockFinding } from "../../web/src/ops/findings.ts";
import { Metrics } from "../../web/src/ops/metrics-text.ts";

function said(held: number, step: number) {
  const text = `rialto_clock_held ${held}\nrialto_clock_step_seconds ${step}\n`;
  const told = held === 1 ? [problem("clock_held")] : [];
  return clockFinding({ atMs: 0, metrics: new Metrics(text), told });
}

test("CLK-4 OPS-40 the operations page shows whether the venue trusts the clock, and which actions wait if not", () => {
  const { problems, message, figures } = said(0, -0.012);
  assert.deepEqual([problems, message], [[], "The machine's clock agrees with the venue's time."]);
  assert.deepEqual(figures, [["Difference", "12.0 ms"]]);
  const ahead = said(1, 3600);
  assert.deepEqual(ahead.problems, [problem("clock_held")]);
  assert.match(
    ahead.message,
    /is 3600\.0 s ahead of the venue's time\. .*funding, commission and epochs wait\.$/,
  );
  assert.match(said(1, -30).message, /is 30\.0 s behind the venue's time/);
});
