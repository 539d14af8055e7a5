// Parses the text of a scenario into sections. An unindented line names a section or performs an action. The
// indented lines below it are the section's table, the first of them with the column names. `#` begins a comment.
//
//   orders
//     account  side  qty  market    price  says
//     maker    sell  0.1  BTC-PERP  60000  rests

import { assert } from "../../src/core/assert.ts";

/** A row of a table, with its cells by column and its line number. */
export interface ScenarioRow {
  readonly line: number;
  readonly cells: ReadonlyMap<string, string>;
}

export interface ScenarioSection {
  readonly line: number;
  /** The words of the section's unindented line. */
  readonly words: readonly string[];
  readonly rows: readonly ScenarioRow[];
}

/** Returns the sections of a text in order; asserts that each row has a cell for every column. */
export function readScenario(text: string): ScenarioSection[] {
  const sections: { line: number; words: string[]; table: { line: number; words: string[] }[] }[] =
    [];
  for (const [index, raw] of text.split("\n").entries()) {
    const code = raw.replace(/(^|\s)#.*$/, "");
    const message = code.trim().split(/\s+/);
    if (message[0] === "") continue;
    const line = index + 1;
    if (!code.startsWith(" ")) sections.push({ line, words: message, table: [] });
    else {
      const section = sections.at(-1);
      assert(section !== undefined, `line ${line}: a row must belong to a section`);
      section.table.push({ line, words: message });
    }
  }
  return sections.map(({ line, words: message, table: [head, ...rows] }) => ({
    line,
    words: message,
    rows: rows.map((row) => rowOf(row, head?.words ?? [])),
  }));
}

function rowOf(row: { line: number; words: readonly string[] }, columns: readonly string[]) {
  const { line, words: message } = row;
  assert(
    message.length === columns.length,
    `line ${line}: a row needs a cell for each of ${columns.join(", ")}`,
  );
  return { line, cells: new Map(columns.map((column, index) => [column, message[index] ?? ""])) };
}
