// `order by` with the bare name of a column that the result casts to text sorts as text: PostgreSQL resolves the
// name to the result column first, and then 1000 comes before 52.

import type { TreeFile } from "./tree.ts";

/** The terms of `order by`. */
const ordering = /\border by\s+([^`)]*?)(?=\s+(?:limit|offset|for)\b|[`)]|$)/g;
/** A cast to text and the column's result name. */
const castToText = /(?:(\w+)"?)?::text\b(?:\s+as\s+"?(\w+)"?)?/g;

/** Orderings by the bare name of a column that the same statement casts to text. */
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
