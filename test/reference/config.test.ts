// Proves that docs/reference/config.md has a row for every setting in the code and no other, with the code's
// defaults.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { configSchema } from "../../schemas/config.ts";
import { projectRoot } from "../support/tidy/tree.ts";

const page = readFileSync(join(projectRoot, "docs/reference/config.md"), "utf8");
const rows = new Map(
  [...page.matchAll(/^\| `([A-Z_]+)` \| ([^|]+) \|/gm)].map(([, name = "", value = ""]) => [
    name,
    value.trim(),
  ]),
);

test("docs/reference/config.md lists every setting and no other", () => {
  assert.deepEqual([...rows.keys()].sort(), Object.keys(configSchema.shape).sort());
});

test("docs/reference/config.md states the default values of the code", () => {
  const defaults: Record<string, unknown> = configSchema.parse({});
  for (const [name, value] of Object.entries(defaults)) {
    if (typeof value === "number") assert.equal(rows.get(name), String(value), name);
  }
});

test("LIM-11 settings can change only two limits, and cannot turn either of them off", () => {
  const limits = Object.keys(configSchema.shape).filter((name) =>
    /LIMIT|RATE|MAX|WEIGHT/.test(name),
  );
  assert.deepEqual(limits.sort(), ["RATE_LIMIT_WS_CONNS_PER_IP", "SWAP_UNKEPT_MAX"]);
  for (const off of ["0", "-1", "off", "none", "false", "Infinity"]) {
    for (const name of limits) {
      assert.equal(configSchema.safeParse({ [name]: off }).success, false, `${name}=${off}`);
    }
  }
});
