// Whether an order may go to its matcher, and on which terms: gates, filters, client id, room and
// balance, in the order the surfaces document. Pure over the state: it refuses or answers terms,
// and changes nothing. Gates stand here and not at the edge, because only here is their order
// against other commands known.

import { AccountFlag, AccountType, Wallet } from "../../core/accounts.ts";
import { asPriceTicks, asQtyLots } from "../../core/amounts.ts";
import { numberAt, wordAt } from "../../core/cells.ts";
import { isReservedClientId } from "../../core/client-id.ts";
import type { PlaceOrder } from "../../core/commands.ts";
import {
  limitBandFactor,
  marketBandBps,
  ordersPerMarketPerAccountMax,
  positionLotsMax,
} from "../../core/limits.ts";
import { type Market, MarketKind, MarketStatus, orderValue } from "../../core/markets.ts";
import { OrderType, Side, StpMode, TimeInForce } from "../../core/orders.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { BestPrices } from "./best-prices.ts";
import { openingLots } from "./closing-lots.ts";
import { available } from "./margin.ts";
import { convertTicks, markOf, midOf } from "./mark-price.ts";
import type { PendingOrders } from "./pending-orders.ts";
import { heldAsset, marginHold, spotHold } from "./reservations.ts";
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
  const mid = midOf(wordAt(best.bid, market.id), wordAt(best.ask, market.id));
  let index = 0;
  if (market.indexMarket !== null) {
    const source = state.table.market(market.indexMarket);
    const sourceMid = midOf(wordAt(best.bid, source.id), wordAt(best.ask, source.id));
    index = convertTicks(sourceMid, source, market);
  }
  return markOf(index, numberAt(state.lastPrice, market.id), mid);
}

/**
 * Refuses accounts that may place no orders in markets of `kind`; `none` for the others. Fronts ask
 * too, for an early answer; what they are told here is final.
 */
export function accountGate(state: VenueState, account: number, kind: MarketKind): RejectReason {
  const accounts = state.accounts;
  if (!accounts.isCustomer(account)) return RejectReason.unknownAccount;
  if (accounts.has(account, AccountFlag.frozen)) return RejectReason.accountFrozen;
  const needsEnrollment =
    kind === MarketKind.spot &&
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

/** The limit, or for MARKET the protection price: 0 when there is nothing to trade with. */
function priceOf(market: Market, order: PlaceOrder, opposite: number): number {
  return order.type === OrderType.market
    ? protectionPrice(market, order.side, opposite)
    : order.price;
}

function isPlain(order: PlaceOrder): boolean {
  return (
    order.type < OrderType.stop &&
    order.timeInForce !== TimeInForce.gtd &&
    order.stpMode === StpMode.skip &&
    order.quoteQty === 0n &&
    !order.isReduceOnly
  );
}

export class Admission {
  readonly #state: VenueState;
  readonly #best: BestPrices;
  readonly #pending: PendingOrders;

  constructor(state: VenueState, best: BestPrices, pending: PendingOrders) {
    this.#state = state;
    this.#best = best;
    this.#pending = pending;
  }

  /** Decides about `order`; fills `terms` when it answers `none`, and changes nothing else. */
  admit(order: PlaceOrder, terms: OrderTerms): RejectReason {
    const state = this.#state;
    const market = state.table.markets[order.market];
    if (market === undefined) return RejectReason.unknownMarket;
    if (state.marketStatus[market.id] !== MarketStatus.trading) {
      return RejectReason.marketNotTrading;
    }
    const standing = accountGate(state, order.account, market.kind);
    if (standing !== RejectReason.none) return standing;
    if (!isPlain(order)) return RejectReason.unsupportedCombination;
    const filter = checkFilters(state, this.#best, market, order);
    if (filter !== RejectReason.none) return filter;
    const naming = this.#checkClientId(order);
    if (naming !== RejectReason.none) return naming;
    if (state.orders.countOf(order.account, market.id) >= ordersPerMarketPerAccountMax) {
      return RejectReason.tooManyOpenOrders;
    }
    if (!state.orders.hasRoom()) return RejectReason.venueFull;
    return market.kind === MarketKind.perpetual
      ? this.#checkMargin(market, order, terms)
      : this.#checkBalance(market, order, terms);
  }

  /** Refuses a client id in use, lately used or reserved; `none` for the others. Spec ORD-15. */
  #checkClientId(order: PlaceOrder): RejectReason {
    const { account, clientId } = order;
    if (clientId === "") return RejectReason.none;
    if (isReservedClientId(clientId)) return RejectReason.clientIdReserved;
    // The time the order's own event would have at the earliest, not that of whoever came before.
    const nowUs = Math.max(this.#state.tsUs + 1, order.atUs);
    const isUsed =
      (this.#state.clientIds?.isUsed(account, clientId, nowUs) ?? false) ||
      this.#pending.usesClientId(account, clientId);
    return isUsed ? RejectReason.duplicateClientId : RejectReason.none;
  }

  /** Terms of a spot order; refuses what the spot wallet does not cover. Spec ACC-2. */
  #checkBalance(market: Market, order: PlaceOrder, terms: OrderTerms): RejectReason {
    terms.price = priceOf(market, order, this.#best.opposite(market.id, order.side));
    terms.marginPrice = 0;
    terms.marginLots = 0;
    terms.hold = spotHold(market, order.side, asPriceTicks(terms.price), asQtyLots(order.qty));
    const asset = heldAsset(market, order.side);
    const free = this.#state.balances.free(order.account, Wallet.spot, asset);
    return free < terms.hold ? RejectReason.insufficientBalance : RejectReason.none;
  }

  /** Terms of a perpetual order; refuses what available USDC does not margin. Spec ACC-8, ACC-9. */
  #checkMargin(market: Market, order: PlaceOrder, terms: OrderTerms): RejectReason {
    const { account, side } = order;
    const state = this.#state;
    const pendingLots = this.#pending.lots(account, market.id, side);
    if (!this.#fitsPosition(order, pendingLots)) return RejectReason.qtyTooLarge;
    const opposite = this.#best.opposite(market.id, side);
    terms.price = priceOf(market, order, opposite);
    // A sell may trade at any price above its limit, and the short is then worth that much.
    terms.marginPrice = side === Side.sell ? Math.max(terms.price, opposite) : terms.price;
    terms.marginLots = openingLots(state, order, pendingLots);
    const leverage = state.positions.leverage(account, market.id);
    const marginPrice = asPriceTicks(terms.marginPrice);
    terms.hold = marginHold(market, marginPrice, asQtyLots(terms.marginLots), leverage);
    // A closing order passes even where losses have eaten what is available.
    const isShort = terms.hold > 0n && available(state, account) < terms.hold;
    return isShort ? RejectReason.insufficientBalance : RejectReason.none;
  }

  /** Whether the position stays within its bound if all orders of the side fill. */
  #fitsPosition({ account, market, side, qty }: PlaceOrder, pendingLots: number): boolean {
    const { positions, sideLots } = this.#state;
    const position = positions.qty(account, market);
    const open = sideLots.open(account, market, side) + pendingLots + qty;
    return (side === Side.buy ? position : -position) + open <= positionLotsMax;
  }
}
