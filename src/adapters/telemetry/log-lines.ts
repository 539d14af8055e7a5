// Turns a line of the log, which is JSON, into a line for people: time, level, thread, message, and the other fields.

const levels: Readonly<Record<number, readonly [name: string, colour: number]>> = {
  10: ["trace", 90],
  20: ["debug", 90],
  30: ["info", 32],
  40: ["warn", 33],
  50: ["error", 31],
  60: ["fatal", 31],
};

/** `isColoured`: whether the reader shows colours. A line that is not JSON is returned unchanged. */
export function readableLine(line: string, isColoured: boolean): string {
  const entry = entryOf(line);
  if (entry === null) return line;
  const { level, time, thread, msg = "", ...fields } = entry;
  const [name, colour] = levels[Number(level)] ?? ["log", 0];
  const mark = name.padEnd(5);
  const said = isColoured ? `\x1b[${colour}m${mark}\x1b[0m` : mark;
  const moment = new Date(Number(time)).toTimeString().slice(0, 8);
  const more = Object.entries(fields).map(([field, value]) => ` ${fieldText(field, value)}`);
  const text = `${String(thread).padEnd(10)} ${String(msg)}${more.join("")}`;
  return `${moment} ${said} ${harmless(text)}\n`;
}

/** Replaces control characters other than tab and line feed by their escapes: strangers' texts must not steer the terminal. */
function harmless(text: string): string {
  return text.replace(
    /[^\P{Cc}\t\n]/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function entryOf(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "object" ? (entry as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

/** An error is shown by its message and, below the line, its stack. */
function fieldText(name: string, value: unknown): string {
  if (typeof value !== "object" || value === null) return `${name}=${oneLine(value)}`;
  const { message, stack } = value as { message?: unknown; stack?: unknown };
  if (typeof message !== "string") return `${name}=${JSON.stringify(value)}`;
  return `${name}=${oneLine(message)}${typeof stack === "string" ? `\n  ${stack.replaceAll("\n", "\n  ")}` : ""}`;
}

function oneLine(value: unknown): string {
  const text = String(value);
  return /[\s"]/.test(text) ? JSON.stringify(text) : text;
}
