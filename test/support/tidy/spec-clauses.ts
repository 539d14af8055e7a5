// Reads the numbered clauses of docs/spec. A clause is one table row, `| ORD-3 | text | given | open |`: id, text, who
// defined it, and whether a test proves it. All other text is prose.

import type { TreeFile } from "./tree.ts";

export interface Clause {
  readonly id: string;
  readonly path: string;
  /** Text of the clause, as Markdown. */
  readonly text: string;
  /**
   * `given` if the interface defines the clause, `decided` if this project does because the interface leaves it open.
   */
  readonly mark: string;
  /** `tested` if a test proves the clause, otherwise `open`. */
  readonly status: string;
}

const clauseRow = /^\| ([A-Z]{3}-\d+) \| (.*) \| (\S+) \| (\S+) \|$/gm;

/** Most characters of a clause. A longer one has several statements and is split under new ids. */
const clauseCharactersMax = 400;

/** Returns the clauses of all specification files in `files`, in order. */
export function clausesOf(files: readonly TreeFile[]): Clause[] {
  return files
    .filter(({ path }) => path.startsWith("docs/spec/"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(clauseRow)].map(([, id = "", said = "", mark = "", status = ""]) => ({
        id,
        path,
        text: said,
        mark,
        status,
      })),
    );
}

/** Matches tests, and files of test cases that several tests share. */
const testFile = /(\.test|^test\/.*-cases)\.ts$/;

/** Returns the clause ids that tests cite. Only existing areas count: `HTTP-1` and `UTF-8` are not clauses. */
export function citationsIn(files: readonly TreeFile[], areas: ReadonlySet<string>): Set<string> {
  const tests = files.filter(({ path }) => testFile.test(path));
  const ids = tests.flatMap(({ text }) => [...text.matchAll(/\b([A-Z]{3})-\d+\b/g)]);
  return new Set(ids.filter(([, area = ""]) => areas.has(area)).map(([id]) => id));
}

/** Lists faults of clauses and of their citations in tests, one line each. */
export function clauseFaults(files: readonly TreeFile[]): string[] {
  const clauses = clausesOf(files);
  const known = new Set(clauses.map(({ id }) => id));
  const cited = citationsIn(files, new Set(clauses.map(({ id }) => id.slice(0, 3))));
  const seen = new Set<string>();
  const faults = clauses.flatMap(({ id, path, text, mark, status }) => {
    const twice = seen.has(id);
    seen.add(id);
    return [
      ...(twice ? [`${id}: two clauses have this id`] : []),
      ...(text.length <= clauseCharactersMax ? [] : [`${id}: ${text.length} characters, split it`]),
      ...(mark === "given" || mark === "decided" ? [] : [`${path}: ${id} is marked ${mark}`]),
      ...(status === "tested" || status === "open" ? [] : [`${path}: ${id} has status ${status}`]),
      ...(status === "tested" && !cited.has(id)
        ? [`${id}: marked as tested, but no test cites it`]
        : []),
    ];
  });
  const unknown = [...cited]
    .filter((id) => !known.has(id))
    .map((id) => `${id}: cited, but not a clause`);
  return [...faults, ...unknown];
}
