// Fees in basis points of what an account receives (spot) or of the traded value (perpetuals).

import { assert } from "../assert.ts";
import type { Amount } from "./amounts.ts";
import { asAmount, bigintOf, mulDivFloor } from "./amounts.ts";

const bpsPerWhole = 10_000n;

/** `bps` of a non-negative `amount`, rounded down: the customer keeps the fraction. */
export function feeOf(amount: bigint, bps: number): Amount {
  assert(amount >= 0n, "a fee is taken from something received");
  if (bps === 0) return asAmount(0n);
  return asAmount(mulDivFloor(amount, bigintOf(bps), bpsPerWhole));
}
