// Risk terms for random days. The index of one perpetual follows the best prices of all accounts, so that its mark
// jumps with prices. The index of another follows any depth at once, and that of the third has the usual terms. In
// addition to the house, two customers are designated makers.

import { AccountFlag } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { RiskTerm } from "../../src/core/perpetuals/risk-terms.ts";
import type { TestVenue } from "../support/machine/test-venue.ts";

const { indexDepth, indexWindowMs, indexMovePpm, indexJumpBps, bookDepth, markBandBps } = RiskTerm;
/**
 * Both terms are set to 0, because the margin model has neither a margin floor nor a cap on open interest. Other tests
 * cover the two terms.
 */
const { marginFloorBps, openInterestMax } = RiskTerm;
const loosened = [
  [4, marginFloorBps, 0],
  [5, marginFloorBps, 0],
  [6, marginFloorBps, 0],
  [4, openInterestMax, 0],
  [5, openInterestMax, 0],
  [6, openInterestMax, 0],
  [4, indexDepth, 0],
  [4, indexWindowMs, 0],
  [4, indexMovePpm, 0],
  [4, indexJumpBps, 0],
  [4, bookDepth, 0],
  [4, markBandBps, 0],
  [6, indexDepth, 500],
  [6, indexWindowMs, 0],
  [6, indexMovePpm, 0],
  [6, indexJumpBps, 0],
  [6, bookDepth, 500],
] as const;

export function loosenTerms(venue: TestVenue): void {
  for (const account of [1001, 1005]) {
    const mask = AccountFlag.designatedMaker;
    venue.done({ kind: CommandKind.setAccountFlags, account, flags: mask, mask });
  }
  for (const [market, term, value] of loosened) {
    venue.done({ kind: CommandKind.setRiskTerm, market, term, value });
  }
}
