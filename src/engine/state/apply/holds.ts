// What an open order holds: always exactly the amount that its open lots need, so that Reserved is Σ holds (plus
// unsettled coins and coins held for swaps). Spot buys hold price × quantity or the rest of their budget, and spot
// sells hold the base quantity, without rounding. Perpetual orders hold initial margin for the lots that open or
// enlarge a position (notional ÷ leverage, rounded up), and their loss at the mark (`mark-losses.ts`).

import { Wallet } from "../../../core/accounts.ts";
import { amountAt, assert, byteAt, numberAt, present, wordAt } from "../../../core/assert.ts";
import { type Market, MarketKind, orderValue } from "../../../core/markets.ts";
import {
  asPriceTicks,
  asQtyLots,
  bigintOf,
  divCeil,
  type PriceTicks,
  type QtyLots,
} from "../../../core/money/amounts.ts";
import { Side } from "../../../core/orders.ts";
import { isLastOfPair, legIdsOf, partnerOf } from "../orders/order-lists.ts";
import { OrderFlag, type OrderTable, SlotState } from "../orders/order-table.ts";
import type { StateObserver } from "../state-observer.ts";
import type { VenueState } from "../venue-state.ts";
import { refreshLoss } from "./mark-losses.ts";
import { protectionPrice } from "./protection-price.ts";

/** The wallet that pays for orders in the market. */
export function walletOf(market: Market): Wallet {
  return market.kind === MarketKind.spot ? Wallet.spot : Wallet.perp;
}

/** Id of the asset an order of `side` holds. */
export function heldAsset(market: Market, side: Side): number {
  return market.base !== null && side === Side.sell ? market.base.id : market.quote.id;
}

/** What a spot order holds for its open lots, in minor units of `heldAsset`; never rounded. Spec ACC-2. */
export function spotHold(market: Market, side: Side, price: PriceTicks, qty: QtyLots): bigint {
  assert(market.kind === MarketKind.spot, "the market must be a spot market");
  // The price is 0 only for a MARKET order that found no opposite side, and such an order never trades. The quantity is
  // often 0, because most orders that trade have nothing open afterwards.
  if (price === 0 || qty === 0) return 0n;
  return side === Side.sell
    ? bigintOf(qty) * market.baseUnitsPerLot
    : orderValue(market, price, qty);
}

/**
 * What a perpetual order holds for its margined lots, in minor units of the quote: their value ÷
 * leverage, rounded up because the account provides it. Spec ACC-8.
 */
export function marginHold(
  market: Market,
  price: PriceTicks,
  lots: QtyLots,
  leverage: number,
): bigint {
  assert(
    market.kind === MarketKind.perpetual,
    "the market of an order with margin must be a perpetual",
  );
  return lots === 0 ? 0n : divCeil(orderValue(market, price, lots), bigintOf(leverage));
}

/** Sets the hold of the order in `slot` to the current need of its open part. */
export function refreshHold(state: VenueState, slot: number, observer: StateObserver | null): void {
  // A triggered order in flight keeps the hold that clearing reserved until its transaction is written.
  if (state.orders.state[slot] === SlotState.sent) return;
  const market = state.table.market(byteAt(state.orders.market, slot));
  const hold =
    market.kind === MarketKind.perpetual
      ? marginNow(state, slot, market)
      : spotHoldNow(state, slot, market);
  setHold(state, slot, market, hold, observer);
}

function spotHoldNow(state: VenueState, slot: number, market: Market): bigint {
  const { orders } = state;
  if (!orders.has(slot, OrderFlag.special)) {
    const side = byteAt(orders.side, slot) as Side;
    const lots = asQtyLots(orders.remaining(slot));
    return spotHold(market, side, asPriceTicks(wordAt(orders.price, slot)), lots);
  }
  const isListed = orders.has(slot, OrderFlag.listed);
  return isListed ? listedHold(state, slot, market) : specialHold(orders, slot, market);
}

/**
 * What an order of a list holds. A pending order holds nothing, except that the last one holds what the working order has
 * bought for it and its partner. Of two orders that cancel each other, only one can
 * trade, so while both are open the last one holds the larger of both costs and the other one nothing. From the first
 * fill of the last one on it holds only its own cost; the close of the other one follows in the transaction. Spec
 * SPT-86, SPT-105.
 */
function listedHold(state: VenueState, slot: number, market: Market): bigint {
  const { orders, orderLists, nextOrderId } = state;
  const orderId = numberAt(orders.orderId, slot);
  const list = present(orderLists.of(orderId), "the list of an open order must be open");
  if (orders.has(slot, OrderFlag.pending)) {
    return orderId === legIdsOf(list).at(-1) ? list.proceeds : 0n;
  }
  const partnerId = partnerOf(list, orderId);
  const partner = partnerId === 0 ? -1 : orders.slotOf(partnerId);
  const own = specialHold(orders, slot, market);
  // The last order of a list that opens is accepted after the others, and holds for them from then on.
  if (!isLastOfPair(list, orderId)) return partner >= 0 || partnerId >= nextOrderId ? 0n : own;
  if (partner < 0 || wordAt(orders.filledQty, slot) > 0) return own;
  const other = specialHold(orders, partner, market);
  if (other > own) return other;
  return own;
}

/** What an order with options needs for its open lots. */
function specialHold(orders: OrderTable, slot: number, market: Market): bigint {
  const side = byteAt(orders.side, slot) as Side;
  const lots = asQtyLots(orders.remaining(slot));
  const price = wordAt(orders.price, slot);
  const budget = amountAt(orders.quoteQty, slot);
  if (price > 0 && budget > 0n && side === Side.buy) {
    return budget - amountAt(orders.filledQuote, slot);
  }
  const waits = price === 0 && orders.isOffBook(slot);
  const held = waits ? protectionPrice(market, side, wordAt(orders.triggerPrice, slot)) : price;
  return spotHold(market, side, asPriceTicks(held), lots);
}

/** The current hold of a perpetual order: its margin and its loss at the mark. */
function marginNow(state: VenueState, slot: number, market: Market): bigint {
  const { orders, positions } = state;
  const price = asPriceTicks(wordAt(orders.marginPrice, slot));
  const lots = asQtyLots(wordAt(orders.marginLots, slot));
  assert(lots <= orders.remaining(slot), "the margined quantity must not exceed the open quantity");
  const leverage = positions.leverage(wordAt(orders.account, slot), market.id);
  const margin = marginHold(market, price, lots, leverage);
  return orders.lossTicks[slot] === 0 ? margin : margin + refreshLoss(state, slot, market);
}

/** Sets the hold of the order in `slot`, reserving or releasing the difference. */
export function setHold(
  state: VenueState,
  slot: number,
  market: Market,
  hold: bigint,
  observer: StateObserver | null,
): void {
  const orders = state.orders;
  const before = amountAt(orders.reserved, slot);
  if (hold === before) return;
  const account = wordAt(orders.account, slot);
  const wallet = walletOf(market);
  const asset = heldAsset(market, orders.side[slot] as Side);
  state.balances.reserve(account, wallet, asset, hold - before);
  orders.reserved[slot] = hold;
  observer?.balanceChanged(account, wallet, asset);
}

/** Reserves the hold of a restored order, computed like that of a live order. */
export function addHold(state: VenueState, slot: number): void {
  refreshHold(state, slot, null);
}
