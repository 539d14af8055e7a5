// Proves over 200 runs with changes of leader that each gateway's command is executed once (see failover-run.ts).

import assert from "node:assert/strict";
import { test } from "node:test";
import { FailoverRun } from "./failover-run.ts";

test("under load and thousands of changes of leader each command is executed once and answered by its result", (t) => {
  let [changes, commands] = [0, 0];
  for (let seed = 1; seed <= 200; seed++) {
    const counts = new FailoverRun({ seed, steps: 1500 }).run();
    changes += counts.changes;
    commands += counts.commands;
  }
  t.diagnostic(`${commands} commands, ${changes} changes of leader`);
  assert(changes > 4000, "the leader must change often");
});
