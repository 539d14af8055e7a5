// Codes of states and kinds in SQL stand there by their names: a number says nothing, and nothing tells the
// place that is forgotten when a state is added. TypeScript's tables name them (docs/decisions/0060-named-codes-in-sql.md).

import type { TreeFile } from "./tree.ts";

/** A comparison or an assignment with a number, one of a list, or one that `case` tells apart. */
function bareIn(columns: string): RegExp {
  const named = `(?:[a-z]\\w*_)?(?:${columns})`;
  return new RegExp(
    `\\b${named}\\s*(?:<>|!=|<=|>=|[<>]|(?<![=!<>])=(?![=>])|(?:not\\s+)?in\\b)\\s*(?:any\\s*)?\\(?\\s*\\d|\\bcase\\s+(?:\\w+\\.)?${named}\\s+when\\s+\\d`,
    "gi",
  );
}

const inStatements = bareIn("state|status|kind|phase|stage|reason");
/** Kinds of events are the journal's own numbers; the baseline is text that databases have applied. */
const inMigrations = bareIn("state|phase|stage|reason");

function ruleOf(path: string): RegExp | null {
  if (path.startsWith("src/adapters/postgres/") && !path.endsWith(".test.ts")) return inStatements;
  return /^sql\/(?!0001_)\d{4}_/.test(path) ? inMigrations : null;
}

/** Bare numbers of states in the statements of a file of the database's adapter, or in a migration. */
export function bareCodeFaults({ path, text }: TreeFile): string[] {
  const rule = ruleOf(path);
  if (rule === null) return [];
  return [...text.matchAll(rule)].map(({ 0: found, index }) => {
    const line = text.slice(0, index).split("\n").length;
    return `${path}:${line}: "${found.replace(/\s+/g, " ")}" names no code: use code(), codes() or the constant, or a function of names in SQL`;
  });
}
