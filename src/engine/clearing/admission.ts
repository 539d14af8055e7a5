// Whether an order may go to its matcher, and on which terms: gates, filters, client id, room and
// balance, in the order the surfaces document. Pure over the state: it refuses or answers terms,
// and changes nothing. Gates stand here and not at the edge, because only here is their order
// against other commands known.

import { AccountFlag, AccountType, Wallet } from "../../core/accounts.ts";
import { asPriceTicks, asQtyLots } from "../../core/amounts.ts";
import { isReservedClientId } from "../../core/client-id.ts";
import type { PlaceOrder } from "../../core/commands.ts";
import { limitBandFactor, marketBandBps, ordersPerMarketPerAccountMax } from "../../core/limits.ts";
import { type Market, MarketKind, MarketStatus, orderValue } from "../../core/markets.ts";
import { OrderType, Side } from "../../core/orders.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { BestPrices } from "./best-prices.ts";
import { available, openingLots } from "./margin.ts";
import { convertTicks, markOf, midOf } from "./mark-price.ts";
import { heldAsset, holdOf } from "./reservations.ts";
import type { VenueState } from "./venue-state.ts";

/** Terms of an admitted order. */
export interface OrderTerms {
  /** Ticks; for MARKET the protection price, 0 when there is nothing to trade with. */
  price: number;
  marginPrice: number;
  marginLots: number;
  /** What to reserve, in minor units of the held asset. */
  hold: bigint;
}

/** The mark of a market now, in ticks; 0 if there is none. */
export function markNow(state: VenueState, best: BestPrices, market: Market): number {
  const mid = midOf(best.bid[market.id] ?? 0, best.ask[market.id] ?? 0);
  let index = 0;
  if (market.indexMarket !== null) {
    const source = state.table.market(market.indexMarket);
    const sourceMid = midOf(best.bid[source.id] ?? 0, best.ask[source.id] ?? 0);
    index = convertTicks(sourceMid, source, market);
  }
  return markOf({ index, last: state.lastPrice[market.id] ?? 0, mid });
}

/** Refuses accounts that may not place orders in the market; `none` for the others. */
function checkAccount(state: VenueState, account: number, market: Market): RejectReason {
  const accounts = state.accounts;
  if (!accounts.isCustomer(account)) return RejectReason.unknownAccount;
  if (accounts.has(account, AccountFlag.frozen)) return RejectReason.accountFrozen;
  const needsEnrollment =
    market.kind === MarketKind.spot &&
    accounts.type[account] === AccountType.wallet &&
    !accounts.has(account, AccountFlag.enrolled);
  return needsEnrollment ? RejectReason.notEnrolled : RejectReason.none;
}

/** Refuses figures outside the market's filters; `none` for the others. */
function checkFilters(
  state: VenueState,
  best: BestPrices,
  market: Market,
  order: PlaceOrder,
): RejectReason {
  if (!(order.qty > 0)) return RejectReason.qtyNotPositive;
  if (order.qty > market.qtyLotsMax) return RejectReason.qtyTooLarge;
  let price = order.price;
  if (order.type === OrderType.market) {
    price = best.opposite(market.id, order.side);
    if (price === 0) return RejectReason.none;
  } else {
    if (!(price > 0)) return RejectReason.priceNotPositive;
    if (price > market.priceTicksMax) return RejectReason.priceTooHigh;
    const mark = markNow(state, best, market);
    const isOutside = price > mark * limitBandFactor || price * limitBandFactor < mark;
    if (mark > 0 && isOutside) return RejectReason.priceOutsideBand;
  }
  const value = orderValue(market, asPriceTicks(price), asQtyLots(order.qty));
  return value < market.minNotional ? RejectReason.notionalTooSmall : RejectReason.none;
}

/** Best price × (1 ± band), toward the order's disadvantage, rounded inside the band. */
function protectionPrice(market: Market, side: Side, best: number): number {
  if (best === 0) return 0;
  if (side === Side.buy) {
    const price = Math.floor((best * (10_000 + marketBandBps)) / 10_000);
    return Math.min(Math.max(price, best), market.priceTicksMax);
  }
  return Math.min(Math.max(Math.ceil((best * (10_000 - marketBandBps)) / 10_000), 1), best);
}

/** Fills `terms` for an order that passed the filters. */
function priceTerms(
  state: VenueState,
  best: BestPrices,
  market: Market,
  order: PlaceOrder,
  pendingLots: number,
  terms: OrderTerms,
): void {
  const opposite = best.opposite(market.id, order.side);
  const isMarket = order.type === OrderType.market;
  terms.price = isMarket ? protectionPrice(market, order.side, opposite) : order.price;
  terms.marginPrice = 0;
  terms.marginLots = 0;
  if (market.kind === MarketKind.perpetual && terms.price > 0) {
    terms.marginLots = openingLots(state, order, pendingLots);
    if (isMarket) terms.marginPrice = opposite;
    else
      terms.marginPrice = order.side === Side.sell ? Math.max(order.price, opposite) : order.price;
  }
  terms.hold =
    terms.price === 0
      ? 0n
      : holdOf(market, {
          side: order.side,
          price: terms.price,
          qty: order.qty,
          marginPrice: terms.marginPrice,
          marginLots: terms.marginLots,
          leverage: state.positions.leverage(order.account, market.id),
        });
}

/** What clearing knows beside the state when it admits. */
export interface AdmissionContext {
  readonly best: BestPrices;
  /** Lots of the account on this side of the market that are still with a matcher. */
  pendingLots(order: PlaceOrder): number;
  /** Whether an order still with a matcher uses the client id. */
  isPendingClientId(account: number, clientId: string): boolean;
}

/** Refuses a client id in use, lately used or reserved; `none` for the others. */
function checkClientId(
  state: VenueState,
  context: AdmissionContext,
  order: PlaceOrder,
): RejectReason {
  const { account, clientId } = order;
  if (clientId === "") return RejectReason.none;
  if (isReservedClientId(clientId)) return RejectReason.clientIdReserved;
  const isRemembered = (state.clientIds?.orderOf(account, clientId) ?? 0) > 0;
  const isUsed = isRemembered || context.isPendingClientId(account, clientId);
  return isUsed ? RejectReason.duplicateClientId : RejectReason.none;
}

/** Decides about `order`; fills `terms` when it answers `none`. */
export function admit(
  state: VenueState,
  context: AdmissionContext,
  order: PlaceOrder,
  terms: OrderTerms,
): RejectReason {
  const market = state.table.markets[order.market];
  if (market === undefined) return RejectReason.unknownMarket;
  if (state.marketStatus[market.id] !== MarketStatus.trading) return RejectReason.marketNotTrading;
  const standing = checkAccount(state, order.account, market);
  if (standing !== RejectReason.none) return standing;
  const filter = checkFilters(state, context.best, market, order);
  if (filter !== RejectReason.none) return filter;
  const naming = checkClientId(state, context, order);
  if (naming !== RejectReason.none) return naming;
  if (state.orders.countOf(order.account, market.id) >= ordersPerMarketPerAccountMax) {
    return RejectReason.tooManyOpenOrders;
  }
  if (!state.orders.hasRoom()) return RejectReason.venueFull;
  priceTerms(state, context.best, market, order, context.pendingLots(order), terms);
  const free =
    market.kind === MarketKind.perpetual
      ? available(state, order.account)
      : state.balances.free(order.account, Wallet.spot, heldAsset(market, order.side));
  const isShort = terms.hold > 0n && free < terms.hold;
  return isShort ? RejectReason.insufficientBalance : RejectReason.none;
}
