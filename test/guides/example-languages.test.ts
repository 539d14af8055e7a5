// Proves that the JavaScript examples of the REST reference work as printed.

import { test } from "node:test";
import { runExamples } from "./example-language.ts";

test("DOC-11 the JavaScript example of every route works as printed", { timeout: 240_000 }, () =>
  runExamples({
    label: "JavaScript",
    guide: ["docs/guides/run-the-examples.md", "js"],
    file: "examples.mjs",
    wrapped: (line) => `try { ${line} } catch (error) { console.log("failed:", error.message); }`,
    printed: (text) => `console.log(${JSON.stringify(text)});`,
    program: (functions, lines) => [functions, ...lines].join("\n"),
    command: [process.execPath, "examples.mjs"],
  }),
);
