// The insurance fund's profit or loss in a market: realised, and unrealised at the mark.

import { SystemAccount, Wallet } from "../../core/accounts.ts";
import { amountAt } from "../../core/assert.ts";
import { isPerpetual } from "../../core/markets.ts";
import type { VenueState } from "../state/venue-state.ts";
import { unrealised } from "./margin.ts";

/** Minor units of the fund's realised and unrealised result in the market. */
export function fundWorth(state: VenueState, market: number): bigint {
  const { insurance } = SystemAccount;
  const realised = state.positions.realisedPnl(insurance, market);
  return realised + unrealised(state, insurance, state.table.market(market));
}

/** Minor units that the fund owns in perpetuals: its perp wallet in `quote`, and its positions at the mark. */
export function fundEquity(state: VenueState, quote: number): bigint {
  const { insurance } = SystemAccount;
  const cash = state.balances.total(insurance, Wallet.perp, quote);
  return state.table.markets
    .filter(isPerpetual)
    .reduce((sum, market) => sum + unrealised(state, insurance, market), cash);
}

/**
 * Minor units that the fund has lost in the market in the clock hour of `atUs`: negative for a gain, 0 if the count of
 * that hour has not begun.
 */
export function fundLoss(state: VenueState, market: number, atUs: number): bigint {
  const { fundHours } = state;
  if (!fundHours.isCurrent(market, atUs)) return 0n;
  const paid = amountAt(fundHours.paid, market);
  return amountAt(fundHours.worth, market) - fundWorth(state, market) + paid;
}
