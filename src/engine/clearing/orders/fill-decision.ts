// What one match means in money: fees of both sides and the profit each realises. Decided once,
// when the unit is written, and carried by the event.

import type { Traded } from "../../../core/generated/events.ts";
import { type Market, MarketKind, orderValue } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots, bigintOf } from "../../../core/money/amounts.ts";
import { feeOf } from "../../../core/money/fees.ts";
import { opposite, Side } from "../../../core/orders.ts";
import { changePosition, type PositionChange } from "../../state/tables/positions.ts";
import type { VenueState } from "../../state/venue-state.ts";

const before = { qty: 0, entryValue: 0n };
const change: PositionChange = { qty: 0, entryValue: 0n, pnl: 0n };

/** Fee of one side: of the asset received on spot, of the value on perpetuals; none for the house and the venue. */
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

/** Profit one side realises; none on spot. */
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

/** Fills in fees and profits of `event`, whose other fields are set. */
export function decideFill(state: VenueState, market: Market, event: Traded): void {
  const value = orderValue(market, asPriceTicks(event.price), asQtyLots(event.qty));
  const { qty, account, makerAccount, takerSide } = event;
  const makerSide = opposite(takerSide);
  // Two wallets pay each other on the ledger, where nobody of the venue's takes part who could charge.
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
