// What the command line says. Results go to standard output, as JSON or for people; what went wrong
// goes to standard error with an exit code that scripts can tell apart.

import { inspect } from "node:util";

/** 2: the command line itself is wrong (commander's too). */
export const ExitCode = { done: 0, failed: 1, usage: 2, differs: 3 } as const;

export function say(words: string): void {
  process.stdout.write(`${words}\n`);
}

export function complain(words: string): void {
  process.stderr.write(`${words}\n`);
}

/** A result: one JSON document, or a table or a list for people. */
export function show(result: unknown, asJson: boolean): void {
  if (asJson) say(JSON.stringify(result, null, 2));
  else if (Array.isArray(result)) for (const row of result) say(fields(row));
  else say(fields(result));
}

function fields(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value).map(
    ([name, field]) => `${name.padEnd(14)} ${shown(field)}`,
  );
  return `${entries.join("\n")}\n`;
}

function shown(field: unknown): string {
  if (field === null) return "-";
  if (Array.isArray(field) && field.every((one) => typeof one !== "object")) return field.join(",");
  if (Array.isArray(field)) return field.map((one) => `\n  ${line(one)}`).join("");
  return typeof field === "object" ? inspect(field) : String(field);
}

function line(value: object): string {
  return Object.values(value).map(String).join("  ");
}
