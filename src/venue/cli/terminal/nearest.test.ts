// Tests which word is suggested for a mistyped one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "./nearest.ts";

const known = ["start", "status", "markets", "makers", "keys", "migrate"];

test("OPS-96 the nearest word is suggested, and none that is far away", () => {
  const cases = {
    strat: "start",
    statsu: "status",
    market: "markets",
    kesy: "keys",
    migrat: "migrate",
  };
  for (const [typed, meant] of Object.entries(cases)) assert.equal(nearest(typed, known), meant);
  for (const typed of ["", "x", "order", "completely"]) assert.equal(nearest(typed, known), null);
});
