// Tests that the faults of an unsuitable server are reported as sentences on which an operator can act.

import assert from "node:assert/strict";
import { test } from "node:test";
import { missingOf } from "./connection.ts";

const fit = {
  version: "15.4",
  version_number: "150004",
  database: "rialto",
  login: "desk",
  encoding: "UTF8",
  is_standby: false,
  can_create_tables: true,
  foreign_owner: null,
};

test("OPS-3 a server of version 15 or newer with every right passes the check", () => {
  assert.deepEqual(missingOf(fit), []);
});

test("OPS-3 the check names an older server, a missing right, a standby and a foreign owner", () => {
  const cases: readonly (readonly [Partial<typeof fit> | { foreign_owner: string }, RegExp])[] = [
    [{ version_number: "140012" }, /^version 15 or newer is needed$/],
    [{ encoding: "LATIN1" }, /^encoding UTF8 is needed, the database has LATIN1$/],
    [{ is_standby: true, can_create_tables: false }, /^this is a standby/],
    [{ can_create_tables: false }, /GRANT CREATE ON SCHEMA public TO "desk"$/],
    [{ foreign_owner: "rialto" }, /^the venue's tables belong to "rialto"/],
  ];
  for (const [change, sentence] of cases) {
    const missing = missingOf({ ...fit, ...change });
    assert.equal(missing.length, 1);
    assert.match(missing[0] ?? "", sentence);
  }
});
