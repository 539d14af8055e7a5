// The command line's output. Results go to standard output, as text or as JSON. Errors go to standard error with
// a distinct exit code, and with `--json` to standard output too.

import { createLog, useLogFormat } from "../../../adapters/telemetry/log.ts";
import type { Log } from "../../../ports/log.ts";
import type { Config } from "../../config/config.ts";
import { withoutPasswords } from "../../config/url-text.ts";
import { paint } from "./paint.ts";
import { cellText, fittedLines, isFlat, tableLines } from "./table.ts";

/**
 * `usage` also covers the command-line library's own errors. `deposed`: the venue no longer leads, or markets were added;
 * started again, it follows. `lacking`: the journal lacks what this venue has acknowledged. `notRunning`, of `doctor`, is
 * the code by which `systemctl status` says the same.
 */
export const ExitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  differs: 3,
  notRunning: 3,
  deposed: 4,
  lacking: 5,
} as const;

export function say(message: string): void {
  process.stdout.write(`${message}\n`);
}

export function complain(message: string): void {
  process.stderr.write(`${paint("red", message, process.stderr)}\n`);
}

const form = { isJson: false, isShown: false };

/** Switches the output to JSON: each result is then one JSON document. */
export function speakJson(): void {
  form.isJson = true;
}

/** Whether `--json` was given: text that is not a result is then omitted. */
export function speaksJson(): boolean {
  return form.isJson;
}

/**
 * Ends the command silently if the reader of its output ends early, as `head` does, and with a message if its output
 * cannot be written, as on a full disk. While `goesOn` returns true (a venue is running), the command continues in both
 * cases.
 */
export function heedReaders(goesOn: () => boolean): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (goesOn()) return;
      // These two codes mean that the terminal or the reader of a pipe has closed.
      if (error.code === "EPIPE" || error.code === "EIO") process.exit();
      if (stream === process.stdout) complain(`the output cannot be written: ${error.message}`);
      process.exit(ExitCode.failed);
    });
  }
}

/** The log of this program on standard error, in the format that LOG_FORMAT and the terminal give. */
export function logOf(config: Pick<Config, "logLevel" | "logFormat">, thread: string): Log {
  const { stderr } = process;
  useLogFormat(config.logFormat, stderr.isTTY === true && stderr.hasColors());
  return createLog(config.logLevel, thread);
}

/** Prints a result: one JSON document, or lines and tables. */
export function show(result: unknown): void {
  form.isShown = true;
  if (form.isJson) say(JSON.stringify(result, null, 2));
  else if (Array.isArray(result) && result.length === 0) say("none");
  else if (Array.isArray(result)) showRows(result);
  else say(fields(result));
}

/** Prints a list: on a terminal that is wide enough as one table, otherwise the fields of each row on lines. */
function showRows(rows: readonly unknown[]): void {
  const { isTTY, columns } = process.stdout;
  const lines = isTTY && rows.every(isFlat) ? fittedLines(rows, columns) : null;
  if (lines !== null) say(lines.join("\n"));
  else for (const row of rows) say(fields(row));
}

/**
 * Prints an error. With `--json`, unless a result was already printed, also prints it as one document with the fields
 * of `more`.
 */
export function showFailure(error: unknown, more: object = {}): void {
  const message = withoutPasswords(error instanceof Error ? messageOf(error) : String(error));
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
  if (typeof field !== "object" || field === null) return cellText(field);
  if (!Array.isArray(field)) return indented(field);
  if (!field.some((one) => typeof one === "object")) return cellText(field);
  return tableLines(field)
    .map((line) => `\n  ${line}`)
    .join("");
}

/** Formats an object within a result, with each field on its own line. */
function indented(value: object): string {
  const names = Object.keys(value);
  const width = Math.max(...names.map((name) => name.length));
  const lines = Object.entries(value).map(
    ([name, field]) => `\n  ${name.padEnd(width)} ${shown(field).replaceAll("\n", "\n  ")}`,
  );
  return names.length === 0 ? "-" : lines.join("");
}
