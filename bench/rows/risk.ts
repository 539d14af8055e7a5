// Rows about risk: what a change of marks costs.

import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";

async function scan(bench: Bench): Promise<Reading> {
  const figures = await bench.micro("risk-scan");
  const median = figures["R1 scan ms, median"] ?? Number.POSITIVE_INFINITY;
  const exact = figures["R1 exact walk ms, median"] ?? 0;
  return {
    measured: `${shortNumber(median)} ms`,
    baseline: `${shortNumber(exact / median)}× the exact walk in bigints`,
    ...atMost(median, 0.2),
    figures,
    notes: [],
  };
}

export const riskRows: readonly BenchRow[] = [
  {
    id: "R1",
    measure: "risk scan after a change of marks, 10,000 open positions",
    goal: "≤ 0.2 ms",
    run: scan,
  },
];
