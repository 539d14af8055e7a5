// Checks the source tree against rules about code and documents. Each rule runs over the tree, and also over samples
// that break it, because a rule that cannot fail proves nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { citableOf, citationFaults, decisionGaps } from "./support/tidy/citations.ts";
import { determinismFaults, importFaults } from "./support/tidy/floors.ts";
import { retiredFaults } from "./support/tidy/retired-words.ts";
import { circleFaults, folderFaults } from "./support/tidy/rooms.ts";
import { clausesOf } from "./support/tidy/spec-clauses.ts";
import { bareCodeFaults } from "./support/tidy/sql-codes.ts";
import { textOrderFaults } from "./support/tidy/sql-order.ts";
import {
  assertionDensity,
  lengthFaults,
  linkFaults,
  machineFaults,
  nameFaults,
  openingFaults,
  orphanFaults,
  rebindingFaults,
  titleFaults,
  unfinishedFaults,
  wallClockFaults,
} from "./support/tidy/tidy-rules.ts";
import { generatedFiles, projectFiles, projectPaths, type TreeFile } from "./support/tidy/tree.ts";

const files = projectFiles();
const paths: ReadonlySet<string> = new Set(projectPaths());
const citable = citableOf(
  [...paths, ...generatedFiles().map(({ path }) => path)],
  clausesOf(files).map(({ id }) => id),
);

type Rule = (file: TreeFile) => string[];

interface Check {
  readonly name: string;
  readonly rule: Rule;
  /** Samples that the rule must refuse, each with a path and a text. */
  readonly broken: ReadonlyArray<readonly [path: string, text: string]>;
  /** Samples that are almost faulty but allowed, each with a path and a text. */
  readonly sound: ReadonlyArray<readonly [path: string, text: string]>;
}

const checks: readonly Check[] = [
  {
    name: "no SQL statement sorts a column by the text that it selects",
    rule: textOrderFaults,
    broken: [
      ["src/a.ts", "sql`select seq::text as seq from a order by seq limit 1`"],
      ["src/a.ts", 'sql`select "offset"::text from a order by "offset" desc`'],
    ],
    sound: [
      ["src/a.ts", "sql`select seq::text as seq from a order by a.seq limit 1`"],
      ["src/a.ts", 'sql`select seq::text as "lastSeq" from a order by seq`'],
    ],
  },
  {
    name: "no SQL statement compares a state or a kind with a bare number",
    rule: bareCodeFaults,
    broken: [
      ["src/adapters/postgres/queries/a.ts", "sql`select 1 from b where b.state in (2, 3)`"],
      ["src/adapters/postgres/queries/a.ts", "`update b set state = 5 where id = $1`"],
      ["src/adapters/postgres/queries/a.ts", '["kind = 34", "account = 1"]'],
      ["src/adapters/postgres/queries/a.ts", "`from a where from_state not in (\n  3, 4)`"],
      ["src/adapters/postgres/queries/a.ts", "`state < 8`"],
      ["src/adapters/postgres/queries/a.ts", "`order by state <> 3, opened_ms`"],
      ["sql/0003_a.sql", "create index b on c (d) where state in (2, 3);"],
      ["src/adapters/postgres/queries/a.ts", "`set state = case state when 5 then 3 else 4 end`"],
    ],
    sound: [
      ["src/adapters/postgres/queries/a.ts", `where state in ${"$"}{codes(State.open)}`],
      ["src/adapters/postgres/queries/a.ts", `where state = ${"$"}{code(State.open)}`],
      ["src/adapters/postgres/queries/a.ts", `kind = ${"$"}{EventKind.marked} and seq > 5`],
      ["src/adapters/postgres/queries/a.ts", "count: (kind) => 1"],
      ["src/adapters/postgres/queries/a.ts", "where round = 3 and attempts > 2"],
      ["src/services/settlement/a.ts", "if (row.state < 5) return"],
      ["sql/0001_baseline.sql", "create index b on c (d) where state = 1;"],
      [
        "sql/0003_a.sql",
        "create index b on c (d) where state <> batch_state('open') and kind = 34;",
      ],
    ],
  },
  {
    name: "no top-level declaration of a module is assigned again",
    rule: rebindingFaults,
    broken: [
      ["src/core/a.ts", "let last = 0;"],
      ["workers/a.ts", "const a = 1;\nexport let b = 2;"],
      ["schemas/http/a.ts", "var a = 1;"],
    ],
    sound: [
      ["src/core/a.ts", "const a = 1;\nfunction b() {\n  let c = a;\n}"],
      ["src/core/a.test.ts", "let a = 1;"],
      ["bench/a.ts", "let a = 1;"],
    ],
  },
  {
    name: "imports point only to lower layers",
    rule: importFaults,
    broken: [
      ["src/core/a.ts", 'import { b } from "../engine/b.ts";'],
      ["src/core/a.ts", 'import type { B } from "../ports/b.ts";'],
      ["src/core/a.ts", 'import { readFileSync } from "node:fs";'],
      ["src/ports/a.ts", 'import type { B } from "../../schemas/b.ts";'],
      ["src/engine/a.ts", 'import { b } from "../wire/b.ts";'],
      ["src/engine/matching/a.ts", 'import { b } from "../clearing/b.ts";'],
      ["src/engine/state/apply/a.ts", 'import { b } from "../../risk/b.ts";'],
      ["src/engine/risk/a.ts", 'import { b } from "../clearing/orders/b.ts";'],
      ["src/services/access/a.ts", 'import { b } from "../journal/b.ts";'],
      ["src/services/access/a.ts", 'import { b } from "node:http";'],
      ["src/adapters/gateway/a.ts", 'import { b } from "../postgres/b.ts";'],
      ["src/adapters/gateway/a.ts", 'await import("../../venue/b.ts");'],
      ["workers/a.ts", 'import "../src/venue/b.ts";'],
      ["workers/a.ts", 'import "../src/tools/load/b.ts";'],
      ["src/tools/load/a.ts", 'import { b } from "../../venue/b.ts";'],
      ["src/devnet/a.ts", 'import { b } from "../tools/load/b.ts";'],
      ["src/venue/a.ts", 'import { b } from "../../test/support/b.ts";'],
    ],
    sound: [
      ["src/engine/venue-machine.ts", 'import { b } from "./matching/b.ts";'],
      ["src/engine/clearing/orders/a.ts", 'import { b } from "../../state/b.ts";'],
      ["src/engine/matching/a.ts", 'import { b } from "../../core/b.ts";'],
      ["src/adapters/gateway/fapi/a.ts", 'import { b } from "../server/b.ts";'],
      ["src/services/access/a.ts", 'import { createHmac } from "node:crypto";'],
      ["src/core/a.test.ts", 'import { test } from "node:test";'],
      ["bench/micro/a.ts", 'import { b } from "../../test/support/b.ts";'],
    ],
  },
  {
    name: "code below the services uses no clock, no randomness and no waiting",
    rule: determinismFaults,
    broken: [
      ["src/core/a.ts", "const now = Date.now();"],
      ["src/engine/a.ts", "const dice = Math.random();"],
      ["src/wire/a.ts", "export async function a() {}"],
      ["src/engine/a.ts", "// reads process.env"],
    ],
    sound: [
      ["src/services/a.ts", "const now = Date.now();"],
      ["src/wire/a.ts", "if (wait.async) return;"],
      ["src/core/a.test.ts", "await check();"],
    ],
  },
  {
    name: "CLK-1 CLK-8 only the owner of a venue's time reads the machine's wall clock",
    rule: wallClockFaults,
    broken: [
      ["src/services/a.ts", "const now = Date.now();"],
      ["src/adapters/a/a.ts", "const parts = { now: Date.now };"],
      ["workers/a.ts", "const words = new Date().toISOString();"],
      ["src/venue/a.ts", "const parts = { clock: systemClock };"],
    ],
    sound: [
      ["src/services/a.ts", "const words = new Date(atMs).toISOString();"],
      ["src/services/a.test.ts", "const now = Date.now();"],
      ["src/tools/load/a.ts", "const now = Date.now();"],
      ["src/venue/a.ts", "const untilMs = performance.now() + waitMs;"],
    ],
  },
  {
    name: "a file has at most 500 lines",
    rule: lengthFaults,
    broken: [["src/core/a.ts", "x\n".repeat(501)]],
    sound: [
      ["src/core/a.ts", "x\n".repeat(500)],
      ["schemas/journal/generated/a.ts", "x\n".repeat(900)],
    ],
  },
  {
    name: "a file opens with a comment of a few lines",
    rule: openingFaults,
    broken: [
      ["src/core/a.ts", "export const a = 1;\n"],
      ["src/core/a.ts", `${"// Words.\n".repeat(9)}\n`],
    ],
    sound: [
      ["src/core/a.ts", "// What it is.\n// What it keeps.\n\n"],
      ["src/core/a.ts", `// What it is.\n//\n${"//   drawn\n".repeat(20)}\n`],
    ],
  },
  {
    name: "a file's name says what it contains",
    rule: nameFaults,
    broken: [
      ["src/core/utils.ts", ""],
      ["src/engine/matching/index.ts", ""],
    ],
    sound: [["src/core/order-types.ts", ""]],
  },
  {
    name: "a note of unfinished work names its issue",
    rule: unfinishedFaults,
    broken: [["src/core/a.ts", `// ${"TO"}DO later`]],
    sound: [["src/core/a.ts", `// ${"TO"}DO(#12) later`]],
  },
  {
    name: "no file names the machine on which it was written",
    rule: machineFaults,
    broken: [
      ["docs/a.md", `see /${"wo"}rk/main`],
      ["package-lock.json", `"https://${"regis"}try.npmjs.org/zod"`],
      ["src/venue/a.ts", `const path = "/${"tm"}p/socket";`],
    ],
    sound: [
      ["docs/a.md", "see src/workers/front.ts"],
      ["docs/a.md", "https://example.com/home/page"],
    ],
  },
  {
    name: "a Markdown file has exactly one title",
    rule: titleFaults,
    broken: [
      ["docs/a.md", "# One\n\n# Two\n"],
      ["docs/a.md", "words\n"],
    ],
    sound: [["docs/a.md", "# One\n\n```sh\n# a comment\n```\n"]],
  },
  {
    name: "a relative link in Markdown leads to a file of the project",
    rule: (file) => linkFaults(file, paths),
    broken: [["docs/a.md", "[gone](no-such-file.md)"]],
    sound: [["docs/a.md", "[here](../Makefile) [there](https://example.com/x) [below](#title)"]],
  },
  {
    name: "a name or a text has no retired word",
    rule: retiredFaults,
    broken: [
      ["src/core/a.ts", "export class SwapDesk {}"],
      ["src/core/a.ts", "interface OrderAsk {}"],
      ["src/core/a.ts", "const a = isAsked;"],
      ["src/core/a.ts", "function openDoor() {}"],
      ["src/core/a.ts", "const a = { marketStanding: 1 };"],
      ["src/core/a.ts", "class SettlementBeat {}"],
      ["src/core/a.ts", "const carrier = 1;"],
      ["src/core/a.ts", "class FillSettler {}"],
      ["src/core/a.ts", "class CoinKeeper {}"],
      ["src/core/a.ts", "interface WorkerBirth {}"],
      ["src/core/a.ts", "class UnitWriter {}"],
      ["src/core/a.ts", "const journalGroup = 1;"],
      ["src/core/a.ts", "const massFence = 1;"],
      ["src/core/closing-lots.ts", ""],
      ["src/core/a.ts", "const strandedOrders = 1;"],
      ["src/core/a.ts", "const uncoveredOrders = 1;"],
      ["src/core/a.ts", "const tpProtections = 1;"],
      ["src/core/a.ts", "const parameterWords = 1;"],
      ["src/core/a.ts", "interface LedgerPlace {}"],
      ["src/core/a.ts", "const silenceMs = 1;"],
      ["src/core/a.ts", "const riskCells = 1;"],
      ["test/a.ts", "class HistoryDouble {}"],
      ["test/a.ts", "const lives = 1;"],
      ["test/a.ts", "class DevnetHands {}"],
      ["src/core/swap-desk.ts", ""],
      ["src/core/a.ts", `// The ${"sett"}ler waits.`],
      ["docs/a.md", `The front's ${"do"}or.`],
      ["src/core/a.ts", `const a = \`\${b}\`; // the ${"car"}rier's`],
    ],
    sound: [
      ["src/core/a.ts", "const bestAsk = book.asks[0]; const askPrice = 1;"],
      ["src/core/a.ts", "placeOrder(order); const pricePlaces = 2;"],
      ["src/core/a.ts", "wordAt(words, 1); const minorUnits = 1; const routeGroup = 1;"],
      ["src/core/a.ts", "const bell = new Doorbell(); const heartbeat = 1;"],
      ["src/core/a.ts", 'const a = "a desk and a door";'],
      ["src/core/a.ts", "const a = /desk|door/; // bids and asks, group commit"],
      ["docs/a.md", "Set `CORS_ORIGINS=https://desk.example`."],
    ],
  },
  {
    name: "every file, decision and clause that a comment or a document cites exists",
    rule: (file) => citationFaults(file, citable),
    broken: [
      ["src/core/a.ts", `// As no-such-${"page"}.md says.`],
      ["src/core/a.ts", `const a = 1; // see core/no-such-${"file"}.ts`],
      ["src/core/a.ts", `/**\n * See src/core/no-such-${"file"}.ts.\n */`],
      ["docs/a.md", `The reasons are in decision ${"9999"}.`],
      ["docs/a.md", `[why](decisions/${"9999"}-why.txt)`],
      ["src/core/a.ts", `// The clause is ORD-${"9999"}.`],
      ["ops/a.conf", `# see sql/no_such_${"table"}.sql`],
    ],
    sound: [
      [
        "src/core/a.ts",
        "// As docs/STYLE.md, STYLE.md and src/core/orders.ts say (ORD-3, decision 0001).",
      ],
      ["src/core/a.ts", `const a = "no-such-${"page"}.md";`],
      [
        "docs/a.md",
        "Decisions are docs/decisions/NNNN-title.md, tests *.test.ts; UTF-8 is no clause.",
      ],
      ["sql/0001_baseline.sql", `-- released: no-such-${"page"}.md`],
    ],
  },
];

for (const { name, rule, broken, sound } of checks) {
  test(`tidy: ${name}`, () => {
    assert.deepEqual(files.flatMap(rule), []);
  });
  test(`tidy can fail: ${name}`, () => {
    for (const [path, text] of broken) assert.equal(rule({ path, text }).length, 1, text);
    for (const [path, text] of sound) assert.deepEqual(rule({ path, text }), [], text);
  });
}

const decisionList = files.find(({ path }) => path === "docs/decisions/README.md")?.text ?? "";

test("tidy: every decision number has a record or a stated reason", () => {
  assert.deepEqual(decisionGaps(paths, decisionList), []);
});

test("tidy can fail: every decision number has a record or a stated reason", () => {
  const some = new Set(["docs/decisions/0001-a.md", "docs/decisions/0004-b.md"]);
  const fault = "docs/decisions/README.md: decision 0003 is missing";
  assert.deepEqual(decisionGaps(some, "| 0002 | reserved, never used |"), [fault]);
});

test("tidy: no files import each other in a circle", () => {
  assert.deepEqual(circleFaults(files), []);
});

test("tidy can fail: no files import each other in a circle", () => {
  const one = { path: "src/core/a.ts", text: 'import type { B } from "./b.ts";' };
  const other = { path: "src/core/b.ts", text: 'import { c } from "./c/c.ts";' };
  const third = { path: "src/core/c/c.ts", text: 'import { a } from "../a.ts";' };
  const user = { path: "src/engine/a.ts", text: 'import { a } from "../core/a.ts";' };
  const circle = "src/core/a.ts -> src/core/b.ts -> src/core/c/c.ts -> src/core/a.ts";
  assert.deepEqual(circleFaults([user, one, other, third]), [circle]);
  assert.deepEqual(circleFaults([user, one, other, { ...third, text: "" }]), []);
});

test("tidy: no folder holds more than 25 source files", () => {
  assert.deepEqual(folderFaults(files), []);
});

test("tidy can fail: no folder holds more than 25 source files", () => {
  const many = Array.from({ length: 26 }, (_, n) => ({ path: `src/core/a${n}.ts`, text: "" }));
  const tests = many.map(({ path }) => ({ path: path.replace(".ts", ".test.ts"), text: "" }));
  assert.deepEqual(folderFaults([...many, ...tests]), ["src/core: 26 files"]);
  assert.deepEqual(folderFaults([...many.slice(1), ...tests]), []);
});

test("tidy: every production file is used by another production file", () => {
  assert.deepEqual(orphanFaults([...files, ...generatedFiles()]), []);
});

test("tidy can fail: every production file is used by another production file", () => {
  const used = { path: "src/core/used.ts", text: "" };
  const orphan = { path: "src/core/orphan.ts", text: "" };
  const byTest = { path: "src/core/orphan.test.ts", text: 'import { a } from "./orphan.ts";' };
  const byUrl = { path: "src/venue/task.ts", text: "" };
  const main = {
    path: "src/venue/cli/main.ts",
    text: 'import { a } from "../../core/used.ts";\nnew URL("../task.js", import.meta.url);',
  };
  const findings = orphanFaults([used, orphan, byTest, byUrl, main]);
  assert.deepEqual(findings, ["src/core/orphan.ts: no production file uses this file"]);
});

test("tidy: core and engine assert at least 30 times per 1,000 lines", (t) => {
  const density = assertionDensity(files);
  t.diagnostic(`${density.toFixed(1)} assertions per 1,000 lines of code in core and engine`);
  assert(density >= 30);
});

test("tidy can fail: core and engine assert at least 30 times per 1,000 lines", () => {
  const file = { path: "src/core/a.ts", text: 'assert(true, "a");\n// words\n\nconst b = 1;\n' };
  assert.equal(assertionDensity([file]), 500);
  assert.equal(assertionDensity([{ path: "src/core/a.ts", text: "const a = 1;\n" }]), 0);
});
