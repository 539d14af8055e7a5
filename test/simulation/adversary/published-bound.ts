// The most that one attack may gain according to the published risk page, computed from the attack's results.

import { present } from "../../../src/core/assert.ts";
import { RiskTerm, riskTermRows } from "../../../src/core/perpetuals/risk-terms.ts";
import type { AttackResult } from "./attack.ts";
import { attackCoins } from "./attack-coins.ts";

/** Largest distance from the mark at which the venue closes liquidated positions. */
const closingBand = 0.02;
const fundRow = present(riskTermRows[RiskTerm.fundLossPerHour], "A risk term must have a row");

/**
 * Returns the limit in whole units of USDC: open interest × (move of the mark + band in which positions are closed),
 * plus the fund's loss limit per hour in each attacked market.
 */
export function publishedBound({ openInterest, markMoved }: AttackResult): number {
  const reach = markMoved / 10_000 + closingBand;
  return openInterest * reach + fundRow.usual * attackCoins.length;
}
