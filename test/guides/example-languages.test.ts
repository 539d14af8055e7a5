// Proves that the examples of the REST reference work as printed on the venue that `make run` starts, with its fleet: in
// the shell, then in JavaScript, with one account.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { javaScript } from "./example-programs.ts";
import { ExampleReader } from "./example-reader.ts";
import { faultsOf } from "./printed-examples.ts";

let reader: ExampleReader;

before(async () => {
  reader = await ExampleReader.start();
});
after(() => reader?.close());

test("DOC-18 the shell's examples work from top to bottom beside a fleet, or say why they are refused", {
  timeout: 1_200_000,
}, async () => {
  const ran = await reader.runShell();
  assert.ok(ran.length > 200, `${ran.length} examples`);
  assert.deepEqual(faultsOf(ran), []);
});

test("DOC-11 DOC-19 afterwards those of JavaScript work with the same account", {
  timeout: 1_200_000,
}, async () => {
  const ran = await reader.run(javaScript);
  assert.ok(ran.length > 100, `${ran.length} examples`);
  assert.deepEqual(faultsOf(ran), []);
});
