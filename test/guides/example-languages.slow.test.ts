// Proves that the Python and Go examples of the REST reference work as printed, and the programs of their guides.

import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksIn } from "./document-blocks.ts";
import { runExamples } from "./example-language.ts";

test("DOC-11 the Python example of every route works as printed", () =>
  runExamples({
    label: "Python",
    guide: ["docs/guides/python.md", "python"],
    file: "examples.py",
    wrapped: (line) =>
      `try:\n    ${line}\nexcept RuntimeError as error:\n    print("failed:", error)`,
    printed: (text) => `print(${JSON.stringify(text)})`,
    program: (functions, lines) => [functions, ...lines].join("\n"),
    command: ["python3", "examples.py"],
  }));

test("DOC-11 the Go example of every route works as printed", () =>
  runExamples({
    label: "Go",
    guide: ["docs/guides/go.md", "go"],
    file: "examples.go",
    wrapped: (line) => line,
    printed: (text) => `fmt.Println(${JSON.stringify(text)})`,
    program: (functions, lines) => `${functions}\nfunc main() {\n${lines.join("\n")}\n}\n`,
    command: ["go", "run", "examples.go"],
  }));

test("DOC-11 the guides of Python and Go end with a program that uses their functions", () => {
  for (const [path, language] of [
    ["docs/guides/python.md", "python"],
    ["docs/guides/go.md", "go"],
  ] as const) {
    const [, use] = blocksIn(path, language);
    assert.match(use?.text ?? "", /signed\("POST", "\/api\/v3\/order"/);
  }
});
