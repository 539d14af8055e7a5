// Proves how rows become a table, and what a terminal that is too narrow leaves out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fittedLines, isFlat, tableLines } from "./table.ts";

test("OPS-98 a table has a column for each field that any row has, and numbers are aligned right", () => {
  const rows = [
    { wallet: "spot", free: "10.0" },
    { wallet: "perp", free: "5.0", total: "7.5" },
    { wallet: "perp", free: "100.0", total: null },
  ];
  assert.deepEqual(tableLines(rows), [
    "wallet   free  total",
    "spot     10.0      -",
    "perp      5.0    7.5",
    "perp    100.0      -",
  ]);
});

test("OPS-109 on a narrow terminal a table leaves out empty columns first, then the ends of long cells", () => {
  const key = "0123456789abcdef0123456789abcdef";
  const rows = [
    { key_id: 1, api_key: key, label: null, rights: ["READ", "TRADE"] },
    { key_id: 2, api_key: key, label: "", rights: [] },
  ];
  assert.ok(rows.every(isFlat));
  const of = (width: number) => fittedLines(rows, width);
  assert.equal(of(59)?.[1], `     1  ${key}  -      READ,TRADE`);
  assert.equal(of(58)?.[1], `     1  ${key}  READ,TRADE`);
  assert.deepEqual(of(36), [
    "key_id  api_key           rights",
    "     1  0123456789abcde…  READ,TRADE",
    "     2  0123456789abcde…  -",
  ]);
  assert.equal(of(26)?.[1], "     1  0123456…  READ,TR…");
  assert.equal(of(25), null, "less than that would say too little");
});

test("a row with an object inside does not fit into one line", () => {
  assert.equal(isFlat({ market: "CC-USDC", terms: [{ term: "index-depth" }] }), false);
  assert.equal(isFlat({ market: "CC-USDC", terms: {} }), false);
  assert.equal(isFlat("CC-USDC"), false);
});
