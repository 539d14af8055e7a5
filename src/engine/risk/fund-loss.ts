// What the insurance fund has won and lost in a market: realised, and at the mark.

import { SystemAccount } from "../../core/accounts.ts";
import { amountAt } from "../../core/assert.ts";
import type { VenueState } from "../state/venue-state.ts";
import { unrealised } from "./margin.ts";

/** Minor units that the fund has realised in the market, and would at the mark. */
export function fundWorth(state: VenueState, market: number): bigint {
  const { insurance } = SystemAccount;
  const realised = state.positions.realisedPnl(insurance, market);
  return realised + unrealised(state, insurance, state.table.market(market));
}

/** Minor units that the fund has lost in the market in the hour of `atUs`; below 0n where it won. */
export function fundLoss(state: VenueState, market: number, atUs: number): bigint {
  const { fundHours } = state;
  if (!fundHours.isCurrent(market, atUs)) return 0n;
  const paid = amountAt(fundHours.paid, market);
  return amountAt(fundHours.worth, market) - fundWorth(state, market) + paid;
}
