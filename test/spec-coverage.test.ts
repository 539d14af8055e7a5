// Proves that a test cites every clause of docs/spec that claims to be tested, that every citation names an existing
// clause, and that no clause is too long to check at one reading. Whether a test proves its clause is left to the
// reader.

import assert from "node:assert/strict";
import { test } from "node:test";
import { citationsIn, clauseFaults, clausesOf } from "./support/tidy/spec-clauses.ts";
import { projectFiles } from "./support/tidy/tree.ts";

// Leave out this file, because its samples look like citations.
const files = projectFiles().filter(({ path }) => path !== "test/spec-coverage.test.ts");

test("a test cites every clause that is marked tested, and every citation names an existing clause", (t) => {
  const clauses = clausesOf(files);
  assert(clauses.length > 0);
  assert.deepEqual(clauseFaults(files), []);
  const cited = citationsIn(files, new Set(clauses.map(({ id }) => id.slice(0, 3))));
  const late = clauses.filter(({ id, status }) => status === "open" && cited.has(id));
  const open = clauses.filter(({ status }) => status === "open");
  t.diagnostic(`${clauses.length} clauses, ${open.length} open`);
  if (late.length > 0) t.diagnostic(`cited, still open: ${late.map(({ id }) => id).join(" ")}`);
});

test("the check finds a clause without a test, a clause that is too long, a wrong mark, a duplicate number and a dead citation", () => {
  const spec = [
    "| ORD-1 | An order has an id. | given | tested |",
    "| ORD-2 | An order has a side. | given | tested |",
    "| ORD-2 | An order has a price. | given | open |",
    "| ORD-3 | An order has a colour. | guessed | perhaps |",
    `| ORD-4 | ${"a".repeat(400)} | given | open |`,
    `| ORD-5 | ${"a".repeat(401)} | given | open |`,
  ].join("\n");
  const findings = clauseFaults([
    { path: "docs/spec/orders.md", text: spec },
    { path: "src/core/orders.test.ts", text: 'test("ORD-1 …"); test("ORD-9 …"); test("UTF-8 …");' },
  ]);
  assert.deepEqual(findings, [
    "ORD-2: marked as tested, but no test cites it",
    "ORD-2: two clauses have this id",
    "docs/spec/orders.md: ORD-3 is marked guessed",
    "docs/spec/orders.md: ORD-3 has status perhaps",
    "ORD-5: 401 characters, split it",
    "ORD-9: cited, but not a clause",
  ]);
});
