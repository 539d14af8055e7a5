// Tests the lines of the log that people read.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readableLine } from "./log-lines.ts";

const at = new Date(2026, 0, 2, 3, 4, 5).getTime();

test("OPS-98 a line of the log shows time, level, thread, message and fields on one line", () => {
  const line = JSON.stringify({
    level: 40,
    time: at,
    thread: "main",
    seq: 7,
    why: "no room",
    msg: "late",
  });
  assert.equal(
    readableLine(`${line}\n`, false),
    '03:04:05 warn  main       late seq=7 why="no room"\n',
  );
  assert.equal(
    readableLine(line, true),
    '03:04:05 \x1b[33mwarn \x1b[0m main       late seq=7 why="no room"\n',
  );
});

test("OPS-98 an error is shown with its stack, a message without fields alone, other text unchanged", () => {
  const err = { type: "Error", message: "gone", stack: "Error: gone\n    at x" };
  const line = JSON.stringify({ level: 50, time: at, thread: "journal", err, msg: "failed" });
  assert.equal(
    readableLine(line, false),
    "03:04:05 error journal    failed err=gone\n  Error: gone\n      at x\n",
  );
  for (const text of ["no JSON\n", "null\n", "7\n"]) assert.equal(readableLine(text, false), text);
});
