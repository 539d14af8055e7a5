// What a change of leverage would need: the margin of the position and of the open orders in the
// market at the new leverage, against what the account has.

import { asPriceTicks, asQtyLots, divCeil } from "../../core/amounts.ts";
import { amountAt, numberAt, wordAt } from "../../core/cells.ts";
import { type Market, orderValue } from "../../core/markets.ts";
import { available, positionMargin } from "./margin.ts";
import type { VenueState } from "./venue-state.ts";

/** Minor units missing for the account to use `leverage` in the market; 0n if it may. */
export function leverageShortfall(
  state: VenueState,
  account: number,
  market: Market,
  leverage: number,
): bigint {
  if (leverage >= state.positions.leverage(account, market.id)) return 0n;
  const entry = state.positions.entryValue(account, market.id);
  let extra = divCeil(entry < 0n ? -entry : entry, BigInt(leverage));
  extra -= positionMargin(state, account, market.id);
  const orders = state.orders;
  for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
    if (orders.market[slot] !== market.id) continue;
    const lots = Math.min(numberAt(orders.marginLots, slot), orders.remaining(slot));
    const price = asPriceTicks(wordAt(orders.marginPrice, slot));
    extra += divCeil(orderValue(market, price, asQtyLots(lots)), BigInt(leverage));
    extra -= amountAt(orders.reserved, slot);
  }
  // What needs nothing more passes even where losses have eaten what is available.
  if (extra <= 0n) return 0n;
  const free = available(state, account);
  return extra > free ? extra - free : 0n;
}
