// Row P20: history queries on a database with five million trades. Each kind of query is measured separately; the score
// is the median of the slowest kind. Creating the trades takes some minutes, so the row runs only if named.

import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { measureHistory } from "../workload/history-queries.ts";

const trades = 5_000_000;
const run = { trades, spanMs: 30 * 86_400_000, queries: 200 };

async function historyQueries({ say }: Bench): Promise<Reading> {
  const summaries = [...(await measureHistory({ ...run, say }))];
  const [name, slowest] = summaries.reduce((most, next) =>
    next[1].p50Ms > most[1].p50Ms ? next : most,
  );
  const { score, passed } = atMost(slowest.p50Ms, 10);
  return {
    measured: `p50 at most ${shortNumber(score)} ms`,
    baseline: "",
    score,
    passed,
    figures: Object.fromEntries(
      summaries.flatMap(([kind, { p50Ms, p99Ms }]) => [
        [`${kind}, p50 ms`, p50Ms],
        [`${kind}, p99 ms`, p99Ms],
      ]),
    ),
    notes: [`slowest: ${name}; ${shortNumber(trades)} trades over 30 days, without HTTP`],
  };
}

export const historyRows: readonly BenchRow[] = [
  {
    id: "P20",
    measure: "history queries at 5 M trades, slowest kind, p50",
    goal: "≤ 10 ms",
    isSlow: true,
    run: historyQueries,
  },
];
