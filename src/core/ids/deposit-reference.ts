// The reference that credits a deposit to its account: the account number with two check digits, so that a
// typing error is detected instead of naming another account (ISO 7064, MOD 97-10).

import { assert } from "../assert.ts";

const form = /^R-(\d{4,9})-(\d{2})$/;

function digitsOf(account: number): string {
  return String(98 - ((account * 100) % 97)).padStart(2, "0");
}

/** The reference of an account. Spec DEP-1. */
export function depositReference(account: number): string {
  assert(Number.isInteger(account) && account > 0, "an account number must be an integer above 0");
  assert(account < 10 ** 9, "the account number must fit the deposit reference");
  return `R-${account}-${digitsOf(account)}`;
}

/** The account that a reference names; null for any other text. */
export function accountOfReference(text: string): number | null {
  const [, number = "", digits] = form.exec(text.trim().toUpperCase()) ?? [];
  const account = Number(number);
  return account > 0 && digits === digitsOf(account) ? account : null;
}
