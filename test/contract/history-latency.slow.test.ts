// Proves that the median of every kind of history query takes less than ten milliseconds on five million trades.

import assert from "node:assert/strict";
import { test } from "node:test";
import { measureHistory } from "../../bench/workload/history-queries.ts";

test("HST-7 half of all queries take less than 10 ms on five million trades", async (context) => {
  const summaries = await measureHistory({
    trades: 5_000_000,
    spanMs: 30 * 86_400_000,
    queries: 100,
    say: (message) => context.diagnostic(message),
  });
  assert(summaries.size > 15);
  for (const [kind, { p50Ms }] of summaries) assert(p50Ms < 10, `${kind}: p50 ${p50Ms} ms`);
});
