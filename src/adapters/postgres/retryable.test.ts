// Tests the list of retryable errors, row by row: which errors are retried and which never are.

import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf, isRetryable, isServerAway, retryRules } from "./retryable.ts";

const retried = [
  "08000",
  "08003",
  "08006",
  "08P01",
  "25006",
  "40001",
  "40P01",
  "53100",
  "53300",
  "55P03",
  "57014",
  "57P01",
  "57P02",
  "57P03",
  "58030",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOENT",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "EHOSTDOWN",
  "ECONNABORTED",
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
];

const final = [
  "23505", // unique violation: the same row again cannot succeed
  "22003", // out of range: a bug
  "42501", // insufficient privilege
  "42P01", // undefined table: not migrated
  "28P01", // wrong password
  "25001",
  "40002",
  "57P04", // database dropped
  "ERR_INVALID_ARG_TYPE",
  "",
];

test("every listed code and class is retried", () => {
  for (const code of retried) assert.equal(isRetryable({ code }), true, code);
});

test("a read-only disk is retried, a missing right is not, and a panic always is", () => {
  const code = "42501";
  const disk = 'could not open file "base/1/2": Read-only file system';
  assert.equal(isRetryable({ code, message: disk }), true);
  assert.equal(isRetryable({ code, message: "permission denied for table journal" }), false);
  assert.equal(isRetryable({ code, severity: "PANIC", message: "could not write" }), true);
});

test("every other error is final", () => {
  for (const code of final) assert.equal(isRetryable({ code }), false, code);
  for (const value of [undefined, null, "57P01", new Error("57P01"), { code: 57 }])
    assert.equal(isRetryable(value), false);
});

test("an error's code is read from any shape of error", () => {
  assert.equal(codeOf(Object.assign(new Error("x"), { code: "EPIPE" })), "EPIPE");
  assert.equal(codeOf(new Error("x")), "");
  assert.equal(codeOf({ code: 5 }), "");
  assert.equal(codeOf(null), "");
});

test("each rule is listed once and states its reason", () => {
  assert.equal(new Set(retryRules.map((rule) => rule.code)).size, retryRules.length);
  for (const rule of retryRules) assert.match(rule.because, /\w+ \w+/);
});

test("ERR-41 a server that answers is available, even if it refuses the statement", () => {
  const isAway = (code: string) => isServerAway(Object.assign(new Error("words"), { code }));
  for (const code of ["ECONNREFUSED", "57P03", "57P01", "08006", "CONNECT_TIMEOUT", "ENOENT"])
    assert(isAway(code), code);
  for (const code of ["57014", "53100", "25006", "40001", "55P03", "58030", "42P01", ""])
    assert(!isAway(code), code);
});
