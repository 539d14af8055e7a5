// The language of scenarios: sections with a table below, or one line that does something. A line at the
// margin names the section, indented lines are its table, the first of them its columns; `#` comments.
//
//   orders
//     account  side  qty  market    price  says
//     maker    sell  0.1  BTC-PERP  60000  rests

import { assert } from "../../src/core/assert.ts";

/** A row by column; `line` is where it stands. */
export interface ScenarioRow {
  readonly line: number;
  readonly cells: ReadonlyMap<string, string>;
}

export interface ScenarioSection {
  readonly line: number;
  /** The words of the line at the margin. */
  readonly words: readonly string[];
  readonly rows: readonly ScenarioRow[];
}

/** The sections of a text, in order; asserts that each row has a cell for every column. */
export function readScenario(text: string): ScenarioSection[] {
  const sections: { line: number; words: string[]; table: { line: number; words: string[] }[] }[] =
    [];
  for (const [place, raw] of text.split("\n").entries()) {
    const code = raw.replace(/(^|\s)#.*$/, "");
    const words = code.trim().split(/\s+/);
    if (words[0] === "") continue;
    const line = place + 1;
    if (!code.startsWith(" ")) sections.push({ line, words, table: [] });
    else {
      const section = sections.at(-1);
      assert(section !== undefined, `line ${line}: a row belongs to a section`);
      section.table.push({ line, words });
    }
  }
  return sections.map(({ line, words, table: [head, ...rows] }) => ({
    line,
    words,
    rows: rows.map((row) => rowOf(row, head?.words ?? [])),
  }));
}

function rowOf(row: { line: number; words: readonly string[] }, columns: readonly string[]) {
  const { line, words } = row;
  assert(words.length === columns.length, `line ${line}: a cell for each of ${columns.join(", ")}`);
  return { line, cells: new Map(columns.map((column, place) => [column, words[place] ?? ""])) };
}
