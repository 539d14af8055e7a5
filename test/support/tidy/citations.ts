// Checks citations in comments and documents: every cited file, decision and clause must exist. Placeholders and file
// names of other projects are listed here as exceptions, each with its reason.

import type { TreeFile } from "./tree.ts";

/** Names that look like project files but are not, with the reason. */
const otherFiles: ReadonlyArray<readonly [name: RegExp, reason: string]> = [
  [/[*<>{}…]/, "a pattern or a placeholder"],
  [/(^|\/)NNNN/, "a placeholder for a number"],
  [
    /^(\.\/)?(first-order|first-position|balances|quoter|crash|dip-buyer|careful-buyer)\.mjs$/,
    "a file that a reader of the guides writes",
  ],
  [/^verify\.mjs$/, "a file that the build makes"],
  [/^schemas\/http\/examples\.ts$/, "decision 0029 proposed it"],
  [/^workers\/expand-bundle\.ts$/, "decision 0033 proposed it"],
];

const cited =
  /(?<![\w/.@:-])((?:[\w@.*<>{}…-]+\/)*[\w*<>{}…-][\w.*<>{}…-]*\.(?:md|tsx?|mjs|sql))\b(?![\w(/-])/g;
const decision = /\bdecisions?[ /](?:number )?(\d{4})\b/gi;
const clause = /\b([A-Z]{3})-\d+\b/g;

/**
 * Returns the comments of a source with all other lines blanked, so that line numbers stay. A document is returned
 * whole.
 */
export function proseOf({ path, text }: TreeFile): string {
  if (path.endsWith(".md")) return text;
  if (/\.(ts|tsx|mjs|js|css|java|go)$/.test(path)) {
    let isInBlock = false;
    return text
      .split("\n")
      .map((line) => {
        const wasInBlock = isInBlock;
        if (/^\s*(\/\*|\{\/\*)/.test(line) && !line.includes("*/")) isInBlock = true;
        else if (line.includes("*/")) isInBlock = false;
        if (wasInBlock || /^\s*(\/\/|\/\*|\{\/\*)/.test(line)) return line;
        return / (\/\/ .*|\/\*\*? .*)$/.exec(line)?.[0] ?? "";
      })
      .join("\n");
  }
  if (/\.(sql|py|sh|ya?ml|conf|service|txt|toml)$|(Makefile|Containerfile)$/.test(path))
    return text.replace(/^(?!\s*(--|#)).*$/gm, "");
  return "";
}

/** What comments and documents may cite, made ready once for all files. */
export interface Citable {
  /** Every path of the project, and every end of one that begins with a file's or a folder's name. */
  readonly names: ReadonlySet<string>;
  readonly decisions: ReadonlySet<string>;
  readonly clauses: ReadonlySet<string>;
  /** The first three letters of the clauses. */
  readonly areas: ReadonlySet<string>;
}

export function citableOf(paths: readonly string[], clauses: readonly string[]): Citable {
  return {
    names: new Set(paths.flatMap(endsOf)),
    decisions: new Set(decisionsOf(paths)),
    clauses: new Set(clauses),
    areas: new Set(clauses.map((id) => id.slice(0, 3))),
  };
}

function endsOf(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(index).join("/"));
}

function decisionsOf(paths: Iterable<string>): string[] {
  return [...paths].flatMap((path) => /decisions\/(\d{4})-/.exec(path)?.[1] ?? []);
}

/** Returns whether a cited name is a path from the root, a path from the citing file, or the end of a path. */
function isKnown(name: string, { names }: Citable): boolean {
  return names.has(name.replace(/^(\.\.?\/)+/, "").replace(/^dist\//, ""));
}

/**
 * Lists files, decisions and clauses that `file` cites in comments or text and that do not exist. Released migrations
 * (sql/) are exempt, because their checksums forbid a change.
 */
export function citationFaults(file: TreeFile, citable: Citable): string[] {
  if (/^(sql\/|CHANGELOG\.md$)/.test(file.path)) return [];
  const { decisions, clauses, areas } = citable;
  return proseOf(file)
    .split("\n")
    .flatMap((line, index) => {
      const at = `${file.path}:${index + 1}: cites`;
      const names = [...line.matchAll(cited)].map(([, name = ""]) => name);
      return [
        ...names
          .filter((name) => !otherFiles.some(([other]) => other.test(name)))
          .filter((name) => !isKnown(name, citable))
          .map((name) => `${at} ${name}, which is not a file of the project`),
        ...[...line.matchAll(decision)]
          .filter(([, number = ""]) => !decisions.has(number))
          .map(([, number]) => `${at} decision ${number}, which does not exist`),
        ...[...line.matchAll(clause)]
          .filter(([id, area = ""]) => areas.has(area) && !clauses.has(id))
          .map(([id]) => `${at} ${id}, which is not a clause of docs/spec`),
      ];
    });
}

/** Lists the decision numbers that have neither a record nor a line in the list of decisions. */
export function decisionGaps(paths: ReadonlySet<string>, list: string): string[] {
  const numbers = decisionsOf(paths);
  const last = Math.max(...numbers.map(Number));
  return Array.from({ length: last }, (_, index) => String(index + 1).padStart(4, "0"))
    .filter((number) => !numbers.includes(number) && !list.includes(`| ${number} | `))
    .map((number) => `docs/decisions/README.md: decision ${number} is missing`);
}
