// Requires names for the codes of states and kinds in SQL. A bare number means nothing to a reader and cannot be found
// when a state is added. TypeScript's tables define the names (docs/decisions/0060-named-codes-in-sql.md).

import type { TreeFile } from "./tree.ts";

/** Matches a bare number in a comparison, an assignment, a list or a `case` on these columns. */
function bareIn(columns: string): RegExp {
  const named = `(?:[a-z]\\w*_)?(?:${columns})`;
  return new RegExp(
    `\\b${named}\\s*(?:<>|!=|<=|>=|[<>]|(?<![=!<>])=(?![=>])|(?:not\\s+)?in\\b)\\s*(?:any\\s*)?\\(?\\s*\\d|\\bcase\\s+(?:\\w+\\.)?${named}\\s+when\\s+\\d`,
    "gi",
  );
}

const inStatements = bareIn("state|status|kind|phase|stage|reason");
/**
 * In migrations, event kinds may be bare numbers: they are the journal's own numbers, and databases have already
 * applied the text.
 */
const inMigrations = bareIn("state|phase|stage|reason");

function ruleOf(path: string): RegExp | null {
  if (path.startsWith("src/adapters/postgres/") && !path.endsWith(".test.ts")) return inStatements;
  return /^sql\/(?!0001_)\d{4}_/.test(path) ? inMigrations : null;
}

/** Lists bare state numbers in SQL statements of the database adapter or in a migration. */
export function bareCodeFaults({ path, text }: TreeFile): string[] {
  const rule = ruleOf(path);
  if (rule === null) return [];
  return [...text.matchAll(rule)].map(({ 0: found, index }) => {
    const line = text.slice(0, index).split("\n").length;
    return `${path}:${line}: "${found.replace(/\s+/g, " ")}" names no code: use code(), codes() or the constant, or a function of names in SQL`;
  });
}
