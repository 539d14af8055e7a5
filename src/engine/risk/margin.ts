// Initial margin of perpetual positions, and the available USDC of the perp wallet. Cross margin: one balance
// per account backs all its positions and open orders.

import { accountSlot, Wallet } from "../../core/accounts.ts";
import { amountAt, assert } from "../../core/assert.ts";
import { type Market, MarketKind, orderValue } from "../../core/markets.ts";
import { asPriceTicks, asQtyLots, bigintOf, divCeil } from "../../core/money/amounts.ts";
import { RiskTerm } from "../../core/perpetuals/risk-terms.ts";
import type { VenueState } from "../state/venue-state.ts";

/** Initial margin of a position: |entry value| ÷ leverage, rounded up, because the account provides it. */
export function positionMargin(state: VenueState, account: number, market: number): bigint {
  const value = state.positions.entryValue(account, market);
  if (value === 0n) return 0n;
  return divCeil(value < 0n ? -value : value, bigintOf(state.positions.leverage(account, market)));
}

/** Profit of a position at the journaled mark, signed; 0 without a mark. */
export function unrealised(state: VenueState, account: number, market: Market): bigint {
  const { id } = market;
  const qty = state.positions.qty(account, id);
  const mark = state.mark[id] ?? 0;
  if (qty === 0 || mark === 0) return 0n;
  const value = orderValue(market, asPriceTicks(mark), asQtyLots(qty));
  return value - state.positions.entryValue(account, id);
}

/**
 * Minor units of the perp wallet available for new orders and transfers: the balance minus what positions and
 * open orders need, minus the net unrealised loss at the marks. Unrealised profit does not count. Negative if
 * losses have used up margin.
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

/**
 * The loss the account can take by closing `lots` of its position in `market`: its collateral less the unrealised
 * losses of all positions and the possible losses of its open orders. Margin is not subtracted, because it is there to
 * cover such losses. Of an unrealised profit, only the part that these lots realise counts.
 */
export function roomToClose(
  state: VenueState,
  account: number,
  market: Market,
  lots: number,
): bigint {
  let profit = 0n;
  for (const one of state.table.markets) {
    if (one.kind === MarketKind.perpetual) profit += unrealised(state, account, one);
  }
  if (profit > 0n) {
    const size = BigInt(Math.abs(state.positions.qty(account, market.id)));
    const own = size === 0n ? 0n : (unrealised(state, account, market) * BigInt(lots)) / size;
    const realised = own > 0n ? own : 0n;
    if (profit > realised) profit = realised;
  }
  const total = state.balances.total(account, Wallet.perp, market.quote.id);
  assert(lots >= 0, "the quantity to close must not be negative");
  return total + profit - amountAt(state.lossHeld, accountSlot(account));
}

/**
 * The margin, in basis points of the value, that opening an order in the perpetual needs at least: the term `margin-floor`
 * while the market has no outside price; 0 for no floor. Spec RSK-34.
 */
export function marginFloorBps({ riskTerms, references }: VenueState, { id }: Market): number {
  return references.best(id) > 0 ? 0 : riskTerms.of(id, RiskTerm.marginFloorBps);
}
