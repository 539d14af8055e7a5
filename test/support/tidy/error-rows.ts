// The rows of docs/reference/errors.md for the native surface. Tests compare a venue's answers with the rows byte for
// byte; each matched row is marked.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NativeAnswer } from "../client/native-client.ts";
import { projectFiles, projectRoot } from "./tree.ts";

/**
 * Returns the text of the other test files that compare answers with rows; those files contain the messages literally.
 */
function otherTests(): string {
  const others = projectFiles().filter(({ path }) =>
    /^test\/(venue|providers|surface|swaps)\/[a-z-]+\.test\.ts$/.test(path),
  );
  return others.map(({ text }) => text).join("\n");
}

interface Row {
  readonly status: number;
  readonly words: string;
}

function readRows(): Row[] {
  const page = readFileSync(join(projectRoot, "docs/reference/errors.md"), "utf8");
  const native = page.slice(page.indexOf("## The native surface"));
  return [...native.matchAll(/^\| (\d{3}) \| (.*) \|$/gm)].map(([, status, message]) => ({
    status: Number(status),
    words: message ?? "",
  }));
}

/** Returns whether `message` matches a row, in which `…` stands for a name. */
function fits(row: string, message: string): boolean {
  const [before = "", behind] = row.split("…");
  if (behind === undefined) return row === message;
  return message.startsWith(before) && message.endsWith(behind) && message.length > row.length - 1;
}

function nameOf({ status, words: message }: Row): string {
  return `${status} ${message}`;
}

export class ErrorRows {
  readonly #rows = readRows();
  /** Rows that matched an answer. */
  readonly told = new Set<string>();

  /** Asserts status, type and every byte of the body, and that the page contains a row for it. */
  assertRow(answer: NativeAnswer, status: number, message: string, isJson = false): void {
    const body = isJson ? JSON.stringify({ error: message }) : message;
    assert.deepEqual([answer.status, answer.text], [status, body]);
    assert.equal(answer.type, isJson ? "application/json" : "text/plain; charset=utf-8");
    const row = this.#rows.find((one) => one.status === status && fits(one.words, message));
    assert(row !== undefined, `errors.md has no row ${status} ${message}`);
    this.told.add(nameOf(row));
  }

  /** Returns the rows that matched no answer and that no other test contains. */
  left(): string[] {
    const others = otherTests();
    const left = this.#rows.filter((row) => !this.told.has(nameOf(row)));
    const isElsewhere = ({ words: message }: Row) =>
      message.split("…").every((part) => others.includes(part));
    return left.filter((row) => !isElsewhere(row)).map(nameOf);
  }
}
