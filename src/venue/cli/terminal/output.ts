// What the command line says. Results go to standard output, as JSON or for people; what went wrong
// goes to standard error with an exit code that scripts can tell apart, and with `--json` to both.

import { inspect } from "node:util";
import { paint } from "./paint.ts";

/** 2: the command line itself is wrong (commander's too). */
export const ExitCode = { done: 0, failed: 1, usage: 2, differs: 3 } as const;

export function say(message: string): void {
  process.stdout.write(`${message}\n`);
}

export function complain(message: string): void {
  process.stderr.write(`${paint("red", message, process.stderr)}\n`);
}

const form = { isJson: false, isShown: false };

/** From here on results are one JSON document each. */
export function speakJson(): void {
  form.isJson = true;
}

/** Whether `--json` was given: what is meant for people only is then left out. */
export function speaksJson(): boolean {
  return form.isJson;
}

/**
 * A reader that has seen enough, such as `head`, ends the command without a word. What goes on by itself,
 * such as a venue, goes on without its reader, and where its words cannot be written, on a full disk.
 */
export function heedReaders(goesOn: () => boolean): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (goesOn()) return;
      // A terminal that closed, or whoever read a pipe.
      if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
      process.exit();
    });
  }
}

/** A result: one JSON document, or a table or a list for people. */
export function show(result: unknown): void {
  form.isShown = true;
  if (form.isJson) say(JSON.stringify(result, null, 2));
  else if (Array.isArray(result) && result.length === 0) say("none");
  else if (Array.isArray(result)) for (const row of result) say(fields(row));
  else say(fields(result));
}

/** What went wrong, in words; with `--json` these and `more` are the one document, unless that is out. */
export function showFailure(error: unknown, more: object = {}): void {
  const message = error instanceof Error ? messageOf(error) : String(error);
  complain(message);
  if (form.isJson && !form.isShown) show({ error: message, ...more });
}

function messageOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${messageOf(cause)}` : message;
}

function fields(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const width = Math.max(14, ...Object.keys(value).map((name) => name.length));
  const entries = Object.entries(value).map(
    ([name, field]) => `${name.padEnd(width)} ${shown(field)}`,
  );
  return `${entries.join("\n")}\n`;
}

function shown(field: unknown): string {
  if (field === null || (Array.isArray(field) && field.length === 0)) return "-";
  if (Array.isArray(field) && field.every((one) => typeof one !== "object")) return field.join(",");
  if (Array.isArray(field)) return table(field);
  return typeof field === "object" ? inspect(field) : String(field);
}

/** Rows under the names of their fields; numbers stand to the right, so that their points meet. */
function table(rows: readonly object[]): string {
  const cells = rows.map((row) => Object.values(row).map(String));
  const lines = [Object.keys(rows[0] ?? {}), ...cells];
  const pad = (cell: string, column: number) => {
    const width = Math.max(...lines.map((line) => (line[column] ?? "").length));
    const isNumber = cells.every((row) => /^-?[\d.]+$/.test(row[column] ?? ""));
    return isNumber ? cell.padStart(width) : cell.padEnd(width);
  };
  return lines.map((line) => `\n  ${line.map(pad).join("  ").trimEnd()}`).join("");
}
