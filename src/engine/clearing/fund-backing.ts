// How much of a position somebody would take off the insurance fund at once, so that it takes over no more: the
// orders of designated makers on the perpetual's own book, at the price it would pay or better. Accounts are
// free, so without a price from outside nobody else's orders back anything.

import { assert } from "../../core/assert.ts";
import { byteAt, wordAt } from "../../core/cells.ts";
import type { Market } from "../../core/markets.ts";
import { Side } from "../../core/orders.ts";
import { RiskTerm } from "../../core/risk-terms.ts";
import { fundAccount } from "./insurance-fund.ts";
import type { VenueState } from "./venue-state.ts";

/**
 * Of `qty` signed lots worth `value` signed minor units to the fund, the lots that it could sell, or buy back,
 * at that price or better now, beside what it has already; all of them where the index is a price from outside,
 * or where the market goes without this defence. Spec RSK-29.
 */
export function backedLots(
  state: VenueState,
  { id, unitsPerTickLot }: Market,
  { qty, value }: { qty: number; value: bigint },
): number {
  assert(qty !== 0, "something is to be backed");
  const size = Math.abs(qty);
  const isTrusted = state.references.best(id) > 0;
  if (isTrusted || state.riskTerms.of(id, RiskTerm.fundBacked) === 0) return size;
  const isLong = qty > 0;
  const held = state.positions.qty(fundAccount, id);
  let backed = isLong ? -Math.max(held, 0) : Math.min(held, 0);
  const { accounts, orders } = state;
  const worth = value < 0n ? -value : value;
  for (let account = 1; account < accounts.next; account++) {
    if (!accounts.isDesignatedMaker(account)) continue;
    let slot = orders.firstOfAccount(account);
    for (; slot >= 0; slot = orders.nextOfAccount(slot)) {
      if (byteAt(orders.market, slot) !== id || !orders.isOnBook(slot)) continue;
      if ((orders.side[slot] === Side.buy) !== isLong) continue;
      const price = BigInt(wordAt(orders.price, slot)) * BigInt(size) * BigInt(unitsPerTickLot);
      if (isLong ? price >= worth : price <= worth) backed += orders.remaining(slot);
    }
  }
  return Math.min(Math.max(backed, 0), size);
}
