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

test("OPS-98 control characters in messages, stacks and fields are shown as escapes, so that they cannot steer the terminal", () => {
  const err = { message: "\x1b]0;title\x07", stack: "Error\n\tat \x9b2Jx\r" };
  const fields = { one: "a\x1b[2Jb", two: "c \x7f", three: { four: "\x85" }, err };
  const line = JSON.stringify({
    level: 30,
    time: at,
    thread: "main",
    ...fields,
    msg: "\x1b[31mred\x00",
  });
  assert.equal(
    readableLine(line, false),
    String.raw`03:04:05 info  main       \u001b[31mred\u0000 one=a\u001b[2Jb two="c \u007f" three={"four":"\u0085"}` +
      String.raw` err=\u001b]0;title\u0007` +
      `\n  Error\n  \tat ${String.raw`\u009b2Jx\u000d`}\n`,
  );
});
