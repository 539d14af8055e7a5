// Proves what the documentation's search shows first, with the index that the build wrote.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Found, searched } from "../../web/src/portal/search.ts";
import { projectRoot } from "../support/tidy/tree.ts";

const index = JSON.parse(
  readFileSync(join(projectRoot, "dist/pages/docs/search.json"), "utf8"),
) as Found[];

/** What traders type, and the page that must come first. */
const wanted: ReadonlyArray<readonly [words: string, address: RegExp]> = [
  ["recvWindow", /^\/docs\/(rest|guides)\//],
  ["first order", /^\/docs\/(guides\/trade-|overview)/],
  ["leverage", /^\/docs\/rest\/perpetuals#postFapiV1Leverage$/],
  ["websocket ping", /^\/docs\/guides\//],
  ["cancel on disconnect", /^\/docs\/guides\//],
  ["klines", /^\/docs\/rest\//],
  ["depth", /^\/docs\/rest\//],
  ["listenKey", /^\/docs\/rest\//],
  ["withdrawals", /^\/docs\/rest\/native/],
  ["python", /^\/docs\/guides\/python/],
];

for (const [words, address] of wanted) {
  test(`DOC-15 the search for "${words}" begins with the page that a trader wants`, () => {
    const found = searched(index, words).map(({ a }) => a);
    assert.match(found[0] ?? "nothing", address, found.join(" "));
  });
}

test("DOC-15 of two entries with the same text, the one of a guide comes before the one about the design", () => {
  const entry = { page: "Page", title: "Margin", words: "" };
  const found = searched(
    [
      { ...entry, a: "/design", w: 1 },
      { ...entry, a: "/guide", w: 4 },
    ],
    "margin",
  );
  assert.deepEqual(
    found.map(({ a }) => a),
    ["/guide", "/design"],
  );
  assert.deepEqual(searched(found, "  "), []);
  assert.deepEqual(searched(found, "margin elsewhere"), []);
});
