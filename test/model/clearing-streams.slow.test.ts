// Proves that the venue's invariants hold over 1.1 million commands of random days (see clearing-runs.ts).

import assert from "node:assert/strict";
import { test } from "node:test";
import { runStreams, sayTold } from "./clearing-runs.ts";

test("the invariants hold after every transaction of 1.1 million commands", (t) => {
  const told = runStreams({ seed: 20261122, commands: 1_100_000 });
  t.diagnostic(sayTold(told));
  assert(told.trades > 100_000, "the streams had too few trades");
});
