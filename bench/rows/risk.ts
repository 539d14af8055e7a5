// Rows about risk: the cost of a change of marks, and the cost of an order depending on the amount of existing state.

import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";

async function scan(bench: Bench): Promise<Reading> {
  const figures = await bench.micro("risk-scan");
  const median = figures["R1 scan ms, median"] ?? Number.POSITIVE_INFINITY;
  const exact = figures["R1 exact walk ms, median"] ?? 0;
  return {
    measured: `${shortNumber(median)} ms`,
    baseline: `${shortNumber(exact / median)}× as fast as the exact check in bigints`,
    ...atMost(median, 0.2),
    figures,
    notes: [],
  };
}

async function admission(bench: Bench): Promise<Reading> {
  const figures = await bench.micro("admission");
  const ratio = figures["R2 dearest ratio to the base"] ?? Number.POSITIVE_INFINITY;
  const [base = 0] = Object.values(figures);
  return {
    measured: `${shortNumber(ratio)}× at most, ${shortNumber(base)} ns`,
    baseline: "10 open orders, 1 position, 1,000 accounts",
    ...atMost(ratio, 1.5),
    figures,
    notes: ["an order and its cancel: 199 open orders, positions in 3 markets, 100,000 accounts"],
  };
}

export const riskRows: readonly BenchRow[] = [
  {
    id: "R1",
    measure: "risk scan after a change of marks, 10,000 open positions",
    goal: "≤ 0.2 ms",
    run: scan,
  },
  {
    id: "R2",
    measure: "order admission, depending on open orders, positions and accounts",
    goal: "≤ 1.5× of the smallest state",
    run: admission,
  },
];
