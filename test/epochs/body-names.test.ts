// Proves that the names in sealed leaves (event kinds, their fields and codes) never change, because a changed name
// would alter leaves that are already sealed. The published list may only grow.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { EventKind } from "../../src/core/generated/events.ts";
import { codeNames } from "../../src/engine/epochs/body-writer.ts";
import { bodyKeys } from "../../src/engine/epochs/generated/event-body.ts";
import { projectRoot } from "../support/tidy/tree.ts";

interface BodyNames {
  readonly kinds: Readonly<Record<string, { name: string; keys: readonly string[] }>>;
  readonly codes: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const page = join(projectRoot, "test/vectors/body-names.json");

function namesOfToday(): BodyNames {
  const kinds = bodyKeys.map(({ kind, name, keys }) => [kind, { name, keys }]);
  const codes = Object.entries(codeNames).map(([set, names]) => [
    set,
    Object.fromEntries(Object.entries(names)),
  ]);
  return { kinds: Object.fromEntries(kinds), codes: Object.fromEntries(codes) };
}

/** Maps the path of each value in a nested object to the value as JSON. */
function flat(value: unknown, path = ""): Map<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return new Map([[path, JSON.stringify(value)]]);
  return new Map(Object.entries(value).flatMap(([key, one]) => [...flat(one, `${path}/${key}`)]));
}

test("EPO-10 every event kind has a body, and no name of a body ever changes", () => {
  const today = namesOfToday();
  assert.deepEqual(Object.keys(today.kinds), Object.values(EventKind).map(String));
  const published = JSON.parse(readFileSync(page, "utf8")) as BodyNames;
  const fresh = flat(today);
  for (const [path, name] of flat(published)) {
    assert.equal(fresh.get(path), name, `${path} is in sealed leaves and must not change`);
  }
  if (process.env["UPDATE_REFERENCE"] === "1")
    writeFileSync(page, `${JSON.stringify(today, null, 2)}\n`);
  const message = "publish a new name with `UPDATE_REFERENCE=1 make test ONLY=body-names`";
  assert.deepEqual(JSON.parse(readFileSync(page, "utf8")), today, message);
});
