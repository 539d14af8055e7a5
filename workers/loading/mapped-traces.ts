// Stack traces of bundles that show the sources, as Node.js does with --enable-source-maps for files that it loads itself.
// A map is read when the first trace through its bundle is asked for.

import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, resolve } from "node:path";

/** The map of each bundle; null until it is read, or if it cannot be read. */
const maps = new Map<string, SourceMap | null>();

/** From now on, stack traces show the sources of the bundle at the absolute path `file`. */
export function mapTraces(file: string): void {
  maps.set(file, null);
  Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${mapped(frame)}`)].join("\n");
}

/** The first line. The text of an error that makes its own, as Node.js's do to name their code; it may throw. */
function headOf(error: Error): string {
  try {
    if (error instanceof Error) return String(error);
  } catch {
    // What Node.js shows of every error that is not its own.
  }
  return Error.prototype.toString.call(error);
}

function mapped(frame: NodeJS.CallSite): string {
  const text = String(frame);
  const [file, line, column] = [
    frame.getFileName(),
    frame.getLineNumber(),
    frame.getColumnNumber(),
  ];
  if (file == null || line === null || column === null || !maps.has(file)) return text;
  const found = mapOf(file)?.findEntry(line - 1, column - 1);
  if (found === undefined || !("originalSource" in found)) return text;
  const { originalSource, originalLine, originalColumn } = found;
  const source = resolve(dirname(file), originalSource);
  return text.replace(
    `${file}:${line}:${column}`,
    // A function, because a path may contain what has a meaning in a replacement, such as `$&`.
    () => `${source}:${originalLine + 1}:${originalColumn + 1}`,
  );
}

function mapOf(file: string): SourceMap | null {
  const known = maps.get(file) ?? null;
  if (known !== null) return known;
  try {
    const payload = JSON.parse(readFileSync(`${file}.map`, "utf8")) as SourceMapPayload;
    maps.set(file, new SourceMap(payload));
  } catch {
    maps.delete(file);
  }
  return maps.get(file) ?? null;
}
