// Proves that the log of faults stays bounded, and that a disk that fails stops nothing.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { FaultLog, type FaultLogLine } from "./fault-log.ts";

const folder = mkdtempSync(join(tmpdir(), "rialto-fault-log-"));
after(() => rmSync(folder, { recursive: true }));

const line: FaultLogLine = {
  ...{ at_ms: 1, key: null, connection: 1, method: "GET", path: "/", symbol: null },
  ...{ client_order_id: null, order_id: null, status: 200, code: null, delivered: true },
  ...{ fault: null, kind: null, latency_ms: 1 },
};

const failOn = (error: Error) => assert.fail(error);

test("REW-36 at 64 MiB the log is renamed, and a new one begins", async () => {
  const path = join(folder, "faults.jsonl");
  writeFileSync(path, "");
  truncateSync(path, 2 ** 26 - 10);
  const log = new FaultLog(path, failOn);
  log.write(line);
  log.write({ ...line, at_ms: 2 });
  await log.close();
  assert.equal(readFileSync(path, "utf8"), `${JSON.stringify({ ...line, at_ms: 2 })}\n`);
  assert.ok(statSync(join(folder, "faults.1.jsonl")).size > 2 ** 26 - 10);
});

test("REW-36 lines that the disk does not take are counted and left out", async () => {
  const failures: Error[] = [];
  const log = new FaultLog(join(folder, "none", "faults.jsonl"), (error) => failures.push(error));
  log.write(line);
  assert.deepEqual([failures.length, log.leftOut], [1, 1]);
  await log.close();
});
