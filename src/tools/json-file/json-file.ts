// Files that users write for a tool, such as fault profiles and market scripts: read within limits, with errors that name the
// file and the field.

import { readFileSync, statSync } from "node:fs";
import type * as z from "zod";

/** Larger files do not fit into a call of the control socket. */
const fileBytesMax = 60_000;

/** A file that cannot be used; the message has one line per reason, each with the field. */
export class FileFault extends Error {
  override name = "FileFault";
}

export function textOf(path: string): string {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined || !file.isFile()) throw new FileFault(`${path}: no such file`);
  if (file.size > fileBytesMax) throw new FileFault(`${path}: longer than ${fileBytesMax} bytes`);
  return readFileSync(path, "utf8");
}

export function jsonOf(path: string): unknown {
  const text = textOf(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FileFault(`${path}: not JSON: ${(error as Error).message}`);
  }
}

/** Returns what the file has if it fits the schema. `where` is the path or the name of what is read, `what` its kind. */
export function parsed<Schema extends z.ZodType>(
  schema: Schema,
  content: unknown,
  { where, what }: { readonly where: string; readonly what: string },
): z.output<Schema> {
  const read = schema.safeParse(content);
  if (read.success) return read.data;
  const lines = read.error.issues.map(({ path, message }) => {
    return `${where}: ${path.length === 0 ? what : path.join(".")}: ${message}`;
  });
  throw new FileFault(lines.join("\n"));
}
