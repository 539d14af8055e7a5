// Codes of states and kinds in SQL stand there by their names: a number says nothing, and nothing tells the
// place that is forgotten when a state is added. TypeScript's tables name them (docs/decisions/0060-named-codes-in-sql.md).

import type { TreeFile } from "./tree.ts";

const named = "(?:[a-z]\\w*_)?(?:state|status|kind|phase|stage|reason)";
/** A comparison or an assignment with a number, one of a list, or one that `case` tells apart. */
const bare = new RegExp(
  `\\b${named}\\s*(?:<>|!=|<=|>=|[<>]|(?<![=!<>])=(?![=>])|(?:not\\s+)?in\\b)\\s*(?:any\\s*)?\\(?\\s*\\d|\\bcase\\s+(?:\\w+\\.)?${named}\\s+when\\s+\\d`,
  "gi",
);

/** Bare numbers of states in the statements of a file of the database's adapter. */
export function bareCodeFaults({ path, text }: TreeFile): string[] {
  if (!path.startsWith("src/adapters/postgres/") || path.endsWith(".test.ts")) return [];
  return [...text.matchAll(bare)].map(({ 0: found, index }) => {
    const line = text.slice(0, index).split("\n").length;
    return `${path}:${line}: "${found.replace(/\s+/g, " ")}" names no code: use code(), codes() or the constant`;
  });
}
