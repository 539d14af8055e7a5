// The rows of docs/reference/errors.md about the native surface, ticked off as answers of a venue are
// compared with them byte for byte.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NativeAnswer } from "../client/native-client.ts";
import { projectFiles, projectRoot } from "./tree.ts";

/** Other files that compare answers with rows: their words stand in them as they are. */
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

/** Whether `words` are those of a row, in which `…` stands for a name. */
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
  /** Rows that some answer was. */
  readonly told = new Set<string>();

  /** Asserts status, type and every byte of the body, and that the page has them. */
  assertRow(answer: NativeAnswer, status: number, message: string, isJson = false): void {
    const body = isJson ? JSON.stringify({ error: message }) : message;
    assert.deepEqual([answer.status, answer.text], [status, body]);
    assert.equal(answer.type, isJson ? "application/json" : "text/plain; charset=utf-8");
    const row = this.#rows.find((one) => one.status === status && fits(one.words, message));
    assert(row !== undefined, `errors.md has no row ${status} ${message}`);
    this.told.add(nameOf(row));
  }

  /** Rows that no answer was, and that no other test has the words of. */
  left(): string[] {
    const others = otherTests();
    const left = this.#rows.filter((row) => !this.told.has(nameOf(row)));
    const isElsewhere = ({ words: message }: Row) =>
      message.split("…").every((part) => others.includes(part));
    return left.filter((row) => !isElsewhere(row)).map(nameOf);
  }
}
