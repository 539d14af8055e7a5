// Tests that a secret which is logged by mistake does not reach the file.

import assert from "node:assert/strict";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createLog, redactedNames } from "./log.ts";

test("every redacted field is removed, at the top level and one level below", () => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-log-"));
  const file = join(folder, "log");
  const descriptor = openSync(file, "w");
  const log = createLog("info", "main", descriptor);
  for (const name of redactedNames) {
    log.info({ [name]: "hunter2", key: { [name]: "hunter2" }, seen: 1 }, "said");
  }
  log.debug({ seen: 2 }, "below the level");
  const text = readFileSync(file, "utf8");
  closeSync(descriptor);
  rmSync(folder, { recursive: true });
  assert.doesNotMatch(text, /hunter2/);
  assert.equal(text.match(/"seen":1/g)?.length, redactedNames.length);
  assert.doesNotMatch(text, /"seen":2/);
});

test("JRN-12 a log on a full disk does not end the process", {
  skip: existsSync("/dev/full") ? false : "the system has no /dev/full",
}, () => {
  const descriptor = openSync("/dev/full", "w");
  const log = createLog("info", "main", descriptor);
  assert.doesNotThrow(() => {
    for (let line = 0; line < 20_000; line++) log.warn({ line }, "a journal commit failed");
  });
  closeSync(descriptor);
});
