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
  for (const [index, raw] of text.split("\n").entries()) {
    const code = raw.replace(/(^|\s)#.*$/, "");
    const message = code.trim().split(/\s+/);
    if (message[0] === "") continue;
    const line = index + 1;
    if (!code.startsWith(" ")) sections.push({ line, words: message, table: [] });
    else {
      const section = sections.at(-1);
      assert(section !== undefined, `line ${line}: a row belongs to a section`);
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
    `line ${line}: a cell for each of ${columns.join(", ")}`,
  );
  return { line, cells: new Map(columns.map((column, index) => [column, message[index] ?? ""])) };
}
