// What the risk page says that an attack can gain at most, in figures of one that was run.

import { present } from "../../../src/core/assert.ts";
import { RiskTerm, riskTermRows } from "../../../src/core/perpetuals/risk-terms.ts";
import type { AttackResult } from "./attack.ts";
import { attackCoins } from "./attack-coins.ts";

/** How far from the mark the venue closes what is liquidated. */
const closingBand = 0.02;
const fundRow = present(riskTermRows[RiskTerm.fundLossPerHour], "a term has a row");

/**
 * Whole units of USDC: open interest × (the way the mark went and the band in which positions are closed), and
 * what the insurance fund may lose in an hour, in each market that is attacked.
 */
export function publishedBound({ openInterest, markMoved }: AttackResult): number {
  const reach = markMoved / 10_000 + closingBand;
  return openInterest * reach + fundRow.usual * attackCoins.length;
}
