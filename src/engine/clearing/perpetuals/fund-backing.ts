// Limits takeovers by the insurance fund to the lots that it could sell on immediately: to orders of designated makers
// on the perpetual's own book, at the fund's price or better. Other orders do not count, because anybody can open
// accounts and place orders from them. With an outside price there is no such limit.

import { assert, byteAt, wordAt } from "../../../core/assert.ts";
import { type Market, orderValue } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../core/money/amounts.ts";
import { Side } from "../../../core/orders.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";
import type { VenueState } from "../../state/venue-state.ts";
import { fundAccount } from "./insurance-fund.ts";

/**
 * Lots of a position that the fund may take over. The whole position has `qty` signed lots and would cost `value`
 * signed minor units. The fund may take the lots that it could immediately sell or buy back at that price or better, in
 * addition to the lots it already holds. All lots if the index is an outside price, or if the market has this limit
 * switched off. Spec RSK-27.
 */
export function backedLots(
  state: VenueState,
  market: Market,
  { qty, value }: { qty: number; value: bigint },
): number {
  assert(qty !== 0, "the quantity must not be 0");
  const size = Math.abs(qty);
  const isTrusted = state.references.best(market.id) > 0;
  if (isTrusted || state.riskTerms.of(market.id, RiskTerm.fundBacked) === 0) return size;
  const side = qty > 0 ? Side.buy : Side.sell;
  const worth = value < 0n ? -value : value;
  let lots = 0;
  for (const slot of designatedOrders(state, market.id, side)) {
    const price = orderValue(
      market,
      asPriceTicks(wordAt(state.orders.price, slot)),
      asQtyLots(size),
    );
    if (side === Side.buy ? price >= worth : price <= worth) lots += state.orders.remaining(slot);
  }
  const held = state.positions.qty(fundAccount, market.id);
  const spoken = qty > 0 ? Math.max(held, 0) : Math.max(-held, 0);
  return Math.min(Math.max(lots - spoken, 0), size);
}

/** Slots of designated makers' orders resting on one side of a book. */
function* designatedOrders(
  { accounts, orders }: VenueState,
  market: number,
  side: Side,
): Generator<number> {
  for (let index = 1; index < accounts.next; index++) {
    const account = accounts.at(index);
    if (!accounts.isDesignatedMaker(account)) continue;
    let slot = orders.firstOfAccount(account);
    for (; slot >= 0; slot = orders.nextOfAccount(slot)) {
      const isHere = byteAt(orders.market, slot) === market && orders.side[slot] === side;
      if (isHere && orders.isOnBook(slot)) yield slot;
    }
  }
}
