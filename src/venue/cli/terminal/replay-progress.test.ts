// Tests the log lines about a long replay when there is no terminal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { asUnixMs } from "../../../core/unix-ms.ts";
import { ReplayProgress } from "./progress-bar.ts";

test("OPS-25 OPS-66 a long replay is logged every five seconds, and a short one not at all", () => {
  let nowMs = 1_000;
  const lines: object[] = [];
  const note = (fields: object): number => lines.push(fields);
  const log = { debug: note, info: note, warn: note, error: note };
  const clock = { nowMs: () => asUnixMs(nowMs), nowUs: () => nowMs * 1_000 };
  const progress = new ReplayProgress({ log, clock });
  progress.show(10, 500);
  nowMs += 4_999;
  progress.show(200, 500);
  assert.deepEqual(lines, []);
  nowMs += 1;
  progress.show(300, 500);
  progress.show(310, 500);
  nowMs += 6_000;
  progress.show(400, 500);
  assert.deepEqual(lines, [
    { replayed: 300, of: 500 },
    { replayed: 400, of: 500 },
  ]);
});
