// Referral codes: eight characters that name an account. The account number is scrambled so that codes of adjacent
// numbers look unrelated. Few of the possible codes are in use, so a mistyped code hardly ever names another account.
// The account is computed from the code; nothing is stored. Codes are public and grant no rights.

import { firstCustomerAccount } from "../accounts.ts";
import { assert } from "../assert.ts";
import { accountNumbersMax } from "../limits.ts";

/** Crockford's alphabet: no I, L, O or U, which are misread as other characters or form words. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const length = 8;
const bits = 5n * BigInt(length);
/** Odd, so that multiplication by it modulo 2^40 can be inverted. */
const factor = 0x9e3779b97fn;
const inverse = inverseOf(factor);

/** The inverse of odd `value` modulo 2^40: each step doubles the number of correct bits. */
function inverseOf(value: bigint): bigint {
  let guess = value;
  for (let right = 3n; right < bits; right *= 2n) guess = mixed(guess, 2n - value * guess);
  assert(mixed(guess, value) === 1n, "the factor of referral codes must have an inverse");
  return guess;
}

function mixed(value: bigint, by: bigint): bigint {
  return BigInt.asUintN(Number(bits), value * by);
}

/** The code of a customer's account. */
export function referralCode(account: number): string {
  let rest = mixed(BigInt(account), factor);
  let code = "";
  for (let index = 0; index < length; index++) {
    code = (alphabet[Number(rest % 32n)] ?? "") + code;
    rest /= 32n;
  }
  return code;
}

/**
 * The account that a code names, whether its letters are upper or lower case; null for a malformed code. The caller
 * checks that the account exists.
 */
export function accountOfReferralCode(code: string): number | null {
  if (code.length !== length) return null;
  let value = 0n;
  for (const character of code.toUpperCase()) {
    const digit = alphabet.indexOf(character);
    if (digit < 0) return null;
    value = value * 32n + BigInt(digit);
  }
  const account = mixed(value, inverse);
  return account >= firstCustomerAccount && account < accountNumbersMax ? Number(account) : null;
}
