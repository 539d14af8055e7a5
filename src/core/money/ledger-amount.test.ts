// Ledger decimals: which texts are valid, which are not, and that widening loses nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { formatLedgerAmount, parseLedgerAmount, toLedgerAmount } from "./ledger-amount.ts";

test("a ledger decimal is read as an integer with ten decimals, and is formatted back unchanged", () => {
  for (const [text, units] of [
    ["0", 0n],
    ["1", 10_000_000_000n],
    ["0.0000000001", 1n],
    ["-2.5", -25_000_000_000n],
    ["0012.30", 123_000_000_000n],
    ["1.00000000000000", 10_000_000_000n],
  ] as const) {
    assert.equal(parseLedgerAmount(text), units, text);
    assert.equal(parseLedgerAmount(formatLedgerAmount(units)), units, text);
  }
  assert.equal(formatLedgerAmount(1n), "0.0000000001");
});

test("an invalid ledger decimal is refused", () => {
  for (const text of ["", ".5", "1.", "1e3", " 1", "+1", "0.00000000001", "1".repeat(29)]) {
    assert.equal(parseLedgerAmount(text), null, text);
  }
});

test("an amount in an asset's minor units is converted exactly to a ledger amount", () => {
  assert.equal(toLedgerAmount(1n, 6), 10_000n);
  assert.equal(toLedgerAmount(5n, 10), 5n);
  assert.throws(() => toLedgerAmount(1n, 11));
});
