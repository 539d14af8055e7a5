// What a fill charges and realises: the fees and the realised profits of both sides. They are computed once, when the
// transaction is written; `apply` only books them.

import type { Traded } from "../../../core/generated/events.ts";
import { type Market, MarketKind, orderValue } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots, bigintOf, feeOf } from "../../../core/money/amounts.ts";
import { opposite, Side } from "../../../core/orders.ts";
import { changePosition, type PositionChange } from "../../state/tables/positions.ts";
import type { VenueState } from "../../state/venue-state.ts";

const before = { qty: 0, entryValue: 0n };
const change: PositionChange = { qty: 0, entryValue: 0n, pnl: 0n };

/**
 * Fee of one side: from the asset received on spot, from the value on perpetuals; none for house and system
 * accounts.
 */
function feeFor(
  state: VenueState,
  market: Market,
  account: number,
  side: Side,
  value: bigint,
  qty: number,
  bps: number,
): bigint {
  if (state.accounts.isFeeFree(account)) return 0n;
  const isBaseReceived = market.kind === MarketKind.spot && side === Side.buy;
  return feeOf(isBaseReceived ? bigintOf(qty) * market.baseUnitsPerLot : value, bps);
}

/** Realised profit of one side; none on spot. */
function pnlFor(
  state: VenueState,
  market: Market,
  account: number,
  side: Side,
  value: bigint,
  qty: number,
): bigint {
  if (market.kind === MarketKind.spot) return 0n;
  before.qty = state.positions.qty(account, market.id);
  before.entryValue = state.positions.entryValue(account, market.id);
  changePosition(before, side === Side.buy ? qty : -qty, value, change);
  return change.pnl;
}

/** Sets the fees and realised profits of both sides in `event`, whose other fields are set. */
export function decideFill(state: VenueState, market: Market, event: Traded): void {
  const value = orderValue(market, asPriceTicks(event.price), asQtyLots(event.qty));
  const { qty, account, makerAccount, takerSide } = event;
  const makerSide = opposite(takerSide);
  // Two wallet-funded accounts pay each other directly on the ledger, in a transfer from which the venue cannot take a
  // fee.
  const { accounts } = state;
  const isSpot = market.kind === MarketKind.spot;
  const isUncharged = isSpot && accounts.isWallet(account) && accounts.isWallet(makerAccount);
  const takerBps = isUncharged ? 0 : market.takerFeeBps;
  const makerBps = isUncharged ? 0 : market.makerFeeBps;
  event.takerFee = feeFor(state, market, account, takerSide, value, qty, takerBps);
  event.makerFee = feeFor(state, market, makerAccount, makerSide, value, qty, makerBps);
  event.takerPnl = pnlFor(state, market, account, takerSide, value, qty);
  event.makerPnl = pnlFor(state, market, makerAccount, makerSide, value, qty);
}
