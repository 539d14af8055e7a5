// What a batch puts at stake: the payments it nets to, each at the price of the last fill that had its
// asset, in minor units of the quote. It only decides how soon a batch is sealed.

import type { FillTerms, NetLeg } from "./netting.ts";

/** Minor units of the quote, rounded down; all spot markets have the same quote. */
export function exposureOf(legs: readonly NetLeg[], fills: readonly FillTerms[]): bigint {
  return legs.reduce((sum, { asset, amount }) => {
    const last = fills.findLast(({ base }) => base === asset);
    // The quote itself, or an asset without a fill of its own: worth what it says.
    if (last === undefined) return sum + amount;
    return sum + (amount * last.quoteAmount) / last.baseAmount;
  }, 0n);
}
