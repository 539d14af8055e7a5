// Proves how a number that a user types is understood: never as a thousandth of what was meant.

import assert from "node:assert/strict";
import { test } from "node:test";
import { amountFault, enteredNumber, notationFault } from "../../web/src/entered-number.ts";

test("WEB-113 commas that group digits by three, as the page writes them, are left out", () => {
  const meant = {
    "70,000": "70000",
    "23,278": "23278",
    "59,000.50": "59000.50",
    " 1,234,567.8 ": "1234567.8",
    "6,000.": "6000",
    ".008": "0.008",
    "0.5": "0.5",
    "": "",
  };
  for (const [typed, number] of Object.entries(meant)) {
    assert.equal(enteredNumber(typed), number, typed);
  }
});

test("WEB-113 any other comma stays, and is refused with its reason", () => {
  for (const typed of ["0,5", "6,25", "1234,5", "0,500", "1,23,456", "6,0000", "60.000,50", ",5"]) {
    assert.equal(enteredNumber(typed), typed);
    assert.equal(notationFault(typed), "use a point for decimals", typed);
    assert.equal(amountFault(typed), "Amount: use a point for decimals", typed);
  }
  assert.equal(notationFault("1 000"), "enter a number");
  for (const pasted of ["59,000.00 USDC", "$59,000"]) {
    assert.equal(notationFault(pasted), "enter a number", pasted);
  }
  assert.equal(notationFault("70000"), null);
  assert.equal(amountFault("0.0"), "Enter an amount above 0.");
  assert.equal(amountFault("0.01"), null);
});
