// Proves that every command in a sentence of the project's documents exists, and that the tests of the documents run
// every block of commands, however it is fenced and wherever it is.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Command } from "commander";
import { createProgram } from "../../src/venue/cli/program.ts";
import { projectFiles, projectRoot } from "../support/tidy/tree.ts";
import { blocksOf } from "./document-blocks.ts";

const texts = projectFiles().filter(({ path }) => path.endsWith(".md"));
const program = createProgram((error) => {
  throw error;
});
const makefile = readFileSync(join(projectRoot, "Makefile"), "utf8");
const targets = new Set([...makefile.matchAll(/^([a-z0-9-]+):/gm)].map(([, name = ""]) => name));

/** Documents whose commands no test runs, each with the reason. */
const runElsewhere: Readonly<Record<string, string>> = {
  "examples/rewind/README.md": "test/rewind runs the examples in make slow",
  "bench/README.md": "its commands measure for minutes, on an otherwise idle machine",
};

/** Returns why the words after `rialto` are not a command; null if they are one. */
function commandFault(args: readonly string[]): string | null {
  let command: Command = program;
  for (const word of args) {
    if (command.commands.length === 0 || /^[^a-z]/.test(word)) return null;
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) return `${command.name()} has no ${word}`;
    command = next;
  }
  return null;
}

/** Returns the commands in the sentences of a text that do not exist. */
function faultsIn(text: string): string[] {
  return [...text.matchAll(/`(rialto|make) ([^`]+)`/g)].flatMap(([whole, program, rest = ""]) => {
    const args = rest.split(/\s+/);
    if (program === "rialto") return commandFault(args) === null ? [] : [whole];
    const named = args.filter((word) => /^[a-z]/.test(word));
    return named.every((word) => targets.has(word)) ? [] : [whole];
  });
}

test("DOC-9 DOC-10 every command in a sentence of a document exists", () => {
  const wrong = "`rialto acounts freeze`, `rialto accounts melt 1`, `make tests`";
  assert.deepEqual(faultsIn(wrong), [
    "`rialto acounts freeze`",
    "`rialto accounts melt 1`",
    "`make tests`",
  ]);
  assert.deepEqual(faultsIn("`rialto accounts freeze 3`, `make test ONLY=matching`"), []);
  const faults = texts.flatMap(({ path, text }) => faultsIn(text).map((one) => `${path}: ${one}`));
  assert.deepEqual(faults, []);
});

test("DOC-9 DOC-10 every block of commands is tested, however it is fenced and in whichever document it is", () => {
  for (const { path, text } of texts) {
    const fences = text.match(/^\s*(```|~~~)/gm)?.length ?? 0;
    const blocks = blocksOf(path);
    assert.equal(fences, 2 * blocks.length, `${path}: a fence is indented or has another form`);
    const isRun = path === "README.md" || path.startsWith("docs/guides/");
    const commands = blocks.filter(({ language }) =>
      ["sh", "bash", "shell", "console"].includes(language),
    );
    if (!isRun && runElsewhere[path] === undefined) assert.deepEqual(commands, [], path);
  }
});
