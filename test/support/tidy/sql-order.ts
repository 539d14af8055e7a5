// Finds SQL that sorts numbers as text. If a result casts a column to text, `order by` with the column's bare name
// sorts as text, because PostgreSQL takes the name as the result column. Then 1000 comes before 52.

import type { TreeFile } from "./tree.ts";

/** Matches the terms of `order by`. */
const ordering = /\border by\s+([^`)]*?)(?=\s+(?:limit|offset|for)\b|[`)]|$)/g;
/** Matches a cast to text, with the name of the result column. */
const castToText = /(?:(\w+)"?)?::text\b(?:\s+as\s+"?(\w+)"?)?/g;

/** Lists orderings by the bare name of a column that the same statement casts to text. */
export function textOrderFaults({ path, text }: TreeFile): string[] {
  if (!path.startsWith("src/")) return [];
  return [...text.matchAll(/`[^`]*\border by\b[^`]*`/g)].flatMap(([statement]) => {
    const shown = new Set([...statement.matchAll(castToText)].map(([, own, name]) => name ?? own));
    return [...statement.matchAll(ordering)]
      .flatMap(([, message = ""]) => message.split(","))
      .map((word) => word.trim().split(/\s/)[0]?.replaceAll('"', "") ?? "")
      .filter((name) => shown.has(name))
      .map((name) => `${path}: orders by ${name} as text: name its table too`);
  });
}
