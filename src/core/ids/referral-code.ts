// Referral codes: eight characters that name an account. They are its number, mixed so that neighbours
// do not look alike and so few texts are codes that a mistyped one is hardly ever another's. Nothing
// has to be stored to find whose a code is; a code is public and gives no right.

import { firstCustomerAccount } from "../accounts.ts";
import { assert } from "../assert.ts";
import { accountNumbersMax } from "../limits.ts";

/** Crockford's: no I, L, O or U, which are read as other characters or as words. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const length = 8;
const bits = 5n * BigInt(length);
/** Odd, so that multiplying by it can be undone among numbers of 40 bits. */
const factor = 0x9e3779b97fn;
const inverse = inverseOf(factor);

/** The number whose product with odd `value` is 1: each step doubles the bits that are right. */
function inverseOf(value: bigint): bigint {
  let guess = value;
  for (let right = 3n; right < bits; right *= 2n) guess = mixed(guess, 2n - value * guess);
  assert(mixed(guess, value) === 1n, "the factor can be undone");
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

/** The account a code names, in either case; null for what is no code. Whether it exists is asked later. */
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
