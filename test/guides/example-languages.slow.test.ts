// Proves that the Python and Go examples of the REST reference work as printed, after those of the shell and JavaScript
// with the same account, and the programs of their guides.

import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksIn } from "./document-blocks.ts";
import { go, javaScript, python } from "./example-programs.ts";
import { ExampleReader } from "./example-reader.ts";
import { faultsOf } from "./printed-examples.ts";

test("DOC-11 DOC-19 one account runs the examples in the shell, JavaScript, Python and Go", {
  timeout: 900_000,
}, async () => {
  const reader = await ExampleReader.start();
  try {
    assert.deepEqual(faultsOf(await reader.runShell()), []);
    for (const language of [javaScript, python, go]) {
      const ran = await reader.run(language);
      assert.ok(ran.length > 100, `${ran.length} examples`);
      assert.deepEqual(faultsOf(ran), [], language.label);
    }
  } finally {
    await reader.close();
  }
});

test("DOC-11 the guides of Python and Go end with a program that uses their functions", () => {
  for (const [path, language] of [
    ["docs/guides/python.md", "python"],
    ["docs/guides/go.md", "go"],
  ] as const) {
    const [, use] = blocksIn(path, language);
    assert.match(use?.text ?? "", /signed\("POST", "\/api\/v3\/order"/);
  }
});
