// Referral codes: each is unique and gives its account; a random text is hardly ever a code.

import assert from "node:assert/strict";
import { test } from "node:test";
import { firstCustomerAccount } from "../accounts.ts";
import { accountNumbersMax, accountsMax } from "../limits.ts";
import { accountOfReferralCode, referralCode } from "./referral-code.ts";

test("REF-1 every account has a unique code that parses back to it, in either case", () => {
  const codes = new Set<string>();
  for (let account = firstCustomerAccount; account < accountsMax; account += 97) {
    const code = referralCode(account);
    assert.match(code, /^[0-9A-HJKMNP-TV-Z]{8}$/);
    assert.equal(accountOfReferralCode(code), account);
    assert.equal(accountOfReferralCode(code.toLowerCase()), account);
    codes.add(code);
  }
  assert.equal(codes.size, Math.ceil((accountsMax - firstCustomerAccount) / 97));
});

test("REF-1 an invalid code, or the code of one of the venue's own accounts, names no account", () => {
  for (const text of ["", "ABC", "ILOUILOU", "0000000é", "00000000", "123456789", "__proto_"]) {
    assert.equal(accountOfReferralCode(text), null, text);
  }
  assert.equal(accountOfReferralCode(referralCode(firstCustomerAccount - 1)), null);
  assert.equal(accountOfReferralCode(referralCode(accountNumbersMax)), null);
});
