// `make bench-table`: prints the table of goals from the result files without measuring, and writes it into
// docs/internals/performance.md between that page's marks.

import { readFileSync, writeFileSync } from "node:fs";
import { renderPage, renderTable } from "./report/table.ts";
import { wholeTable } from "./report/whole-table.ts";
import { benchRows } from "./rows/bench-rows.ts";

const page = "docs/internals/performance.md";
const marked = /(?<=<!-- table -->\n)[\s\S]*?(?=\n<!-- end of table -->)/;

const rows = wholeTable(benchRows, []);
process.stdout.write(renderTable(rows));
const before = readFileSync(page, "utf8");
if (!marked.test(before)) throw new Error(`${page} has no marks for the table`);
writeFileSync(
  page,
  before.replace(marked, () => renderPage(rows)),
);
