// Deposit references: each names its account, and a mistyped reference names none.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accountOfReference, depositReference } from "./deposit-reference.ts";

test("DEP-1 a deposit reference names its account, and a mistyped digit never gives another account", () => {
  for (const account of [1001, 1002, 4711, 99_999, 1_000_000]) {
    const reference = depositReference(account);
    assert.equal(accountOfReference(reference), account);
    assert.equal(accountOfReference(` ${reference.toLowerCase()}\n`), account);
    for (let index = 2; index < reference.length; index++) {
      for (const digit of "0123456789") {
        if (digit === reference[index] || reference[index] === "-") continue;
        const slipped = reference.slice(0, index) + digit + reference.slice(index + 1);
        assert.equal(accountOfReference(slipped), null, slipped);
      }
    }
  }
  for (const text of ["", "R-1001", "1001", "R--01", "R-0000-98", "R-1001-9x"])
    assert.equal(accountOfReference(text), null);
});
