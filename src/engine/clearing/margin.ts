// Margin of perpetual positions and what is left of the USDC in the perp wallet. Cross margin:
// one pool of cash per account stands behind all its positions and open orders.

import { Wallet } from "../../core/accounts.ts";
import { divCeil } from "../../core/amounts.ts";
import { type Market, MarketKind } from "../../core/markets.ts";
import type { VenueState } from "./venue-state.ts";

/** Initial margin of a position: |entry value| ÷ leverage, rounded up (the account provides). */
export function positionMargin(state: VenueState, account: number, market: number): bigint {
  const value = state.positions.entryValue(account, market);
  if (value === 0n) return 0n;
  return divCeil(value < 0n ? -value : value, BigInt(state.positions.leverage(account, market)));
}

/** Profit of a position at the journaled mark, signed; 0 while there is none. */
function unrealised(state: VenueState, account: number, { id, unitsPerTickLot }: Market): bigint {
  const qty = state.positions.qty(account, id);
  const mark = state.mark[id] ?? 0;
  if (qty === 0 || mark === 0) return 0n;
  const value = BigInt(qty) * BigInt(mark) * BigInt(unitsPerTickLot);
  return value - state.positions.entryValue(account, id);
}

/**
 * Margin-asset units of the perp wallet that neither positions nor open orders need, less what the
 * positions together have lost at their marks: what new orders may use and what may be transferred
 * away. Profit that is not realised counts for nothing. Negative when losses have eaten into margin.
 */
export function available(state: VenueState, account: number): bigint {
  let free: bigint | null = null;
  let profit = 0n;
  for (const market of state.table.markets) {
    if (market.kind !== MarketKind.perpetual) continue;
    free ??= state.balances.free(account, Wallet.perp, market.quote.id);
    free -= positionMargin(state, account, market.id);
    profit += unrealised(state, account, market);
  }
  return (free ?? 0n) + (profit < 0n ? profit : 0n);
}
