// Proves that each term in the glossary of docs/STYLE.md is used in the project, is explained once, and is in
// alphabetical order.

import assert from "node:assert/strict";
import { test } from "node:test";
import { projectFiles } from "./support/tidy/tree.ts";

const files = projectFiles().filter(({ path }) => /\.(tsx?|md)$/.test(path));
const page = files.find(({ path }) => path === "docs/STYLE.md")?.text ?? "";
const groups = page
  .slice(page.indexOf("\n## Glossary"))
  .split("\n### ")
  .slice(1)
  .map((text) => [...text.matchAll(/^\| (?!Term|---)(.+?) \| (.+?) \| (.*?) ?\|$/gm)]);
const rows = groups.flat().map(([, term = ""]) => term);
const terms = rows.flatMap((term) => term.split(", "));

test("each term of the glossary is used in the project", () => {
  assert(terms.length > 100);
  const texts = files
    .filter(({ path }) => path !== "docs/STYLE.md")
    .map(({ text }) => text.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase());
  const unused = terms.filter((term) => {
    // The pattern finds a term in identifiers (`commitBatch`), in sentences (`commit batch`) and in the plural
    // (`commit batches`).
    const used = new RegExp(`\\b${term.toLowerCase().replaceAll(/[ -]/g, "[ -]?")}`);
    return texts.filter((text) => used.test(text)).length === 0;
  });
  assert.deepEqual(unused, []);
});

test("no term of the glossary is explained twice", () => {
  assert.deepEqual(
    terms.filter((term, index) => terms.indexOf(term) !== index),
    [],
  );
});

test("the terms of each group are in alphabetical order", () => {
  for (const group of groups) {
    const names = group.map(([, term = ""]) => term.toLowerCase());
    assert.deepEqual(names, names.toSorted());
  }
});
