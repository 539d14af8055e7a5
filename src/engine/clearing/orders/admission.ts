// Decides whether an order may go to its matcher or wait for its trigger, and on which terms. Checks whether account
// and market accept orders, then order filters, client id, capacity and balance, in the sequence that the API
// documents. Only reads the state. The result is a refusal, or the terms of the order. Only clearing can decide this,
// because only clearing knows the sequence of all commands.

import { AccountFlag, Wallet } from "../../../core/accounts.ts";
import { amountAt, numberAt } from "../../../core/assert.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import { ordersPerMarketPerAccountMax, positionLotsMax } from "../../../core/limits.ts";
import { LiquidationStage, TradingGate } from "../../../core/liquidation.ts";
import { type Market, MarketKind, MarketStatus } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots, wholeUnits } from "../../../core/money/amounts.ts";
import {
  isConditional,
  isPricedLater,
  isReservedClientId,
  OrderType,
  Peg,
  Side,
  tradedType,
} from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { LeverageTiers } from "../../risk/leverage-tiers.ts";
import { heldAsset, spotHold } from "../../state/apply/holds.ts";
import { closableLots, openingLots } from "../../state/apply/position-coverage.ts";
import { protectionPrice } from "../../state/apply/protection-price.ts";
import { OrderFlag } from "../../state/orders/order-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { BestPrices } from "../matchers/matcher-lanes.ts";
import type { OrderTerms, RequestLane } from "../matchers/request-lane.ts";
import { leverageExtra } from "../perpetuals/leverage-change.ts";
import type { MarginFloor } from "../perpetuals/margin-floor.ts";
import type { OpenInterest } from "../perpetuals/open-interest.ts";
import type { PerpetualTerms } from "../perpetuals/perpetual-terms.ts";
import { OpeningGate } from "./opening-gate.ts";
import {
  bringsTpSl,
  checkBounds,
  checkFilters,
  checkShape,
  checkTpSl,
  checkWaitingFilters,
  isPlain,
} from "./order-filters.ts";
import type { PendingOrders } from "./pending-orders.ts";
import {
  type AdmittedBefore,
  checkTrigger,
  checkWaitingCount,
  noneBefore,
  setWaitingTerms,
} from "./waiting-orders.ts";

/**
 * Refuses accounts that cannot place orders in markets of `kind`; `none` otherwise. Fronts also call it to refuse
 * early; the answer here is final.
 */
export function accountGate(state: VenueState, account: number, kind: MarketKind): RejectReason {
  const accounts = state.accounts;
  if (!accounts.isCustomer(account)) return RejectReason.unknownAccount;
  if (accounts.isFrozen(account)) return RejectReason.accountFrozen;
  const needsEnrollment =
    kind === MarketKind.spot &&
    accounts.isWallet(account) &&
    !accounts.has(account, AccountFlag.enrolled);
  return needsEnrollment ? RejectReason.notEnrolled : RejectReason.none;
}

/** The limit price, or for a market order its protection price; 0 when the other side is empty. */
function priceOf(market: Market, order: PlaceOrder, opposite: number): number {
  return tradedType(order.type) === OrderType.market
    ? protectionPrice(market, order.side, opposite)
    : order.price;
}

/** Whether an order may set this leverage; 0 keeps the account's current one. */
function isLeverage({ leverageMax }: Market, leverage: number): boolean {
  return Number.isInteger(leverage) && leverage >= 0 && leverage <= leverageMax;
}

/** A quantity on one side of a market for an account. */
type SideOfAccount = Pick<PlaceOrder, "account" | "market" | "side" | "qty">;

export interface AdmissionParts {
  readonly state: VenueState;
  readonly best: BestPrices;
  readonly pending: PendingOrders;
  readonly perpetual: PerpetualTerms;
  /** Returns the lane that holds a market's orders in flight. */
  readonly laneOf: (market: number) => RequestLane;
  readonly tiers: LeverageTiers;
  readonly interest: OpenInterest;
  readonly opensWithoutIndex: boolean;
  readonly floor: MarginFloor;
}

export class Admission {
  readonly #parts: AdmissionParts;
  readonly #state: VenueState;
  readonly #best: BestPrices;
  readonly #pending: PendingOrders;
  readonly #gate: OpeningGate;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
    this.#state = parts.state;
    this.#best = parts.best;
    this.#pending = parts.pending;
    this.#gate = new OpeningGate(parts);
  }

  /**
   * Decides whether `order` is accepted. Fills `terms` when it answers `none`; changes nothing else. `before` counts
   * orders of its list that were admitted before it and count against the same limits. `isQuote`: it is of a mass quote,
   * so its client order id is the venue's.
   */
  admit(
    order: PlaceOrder,
    terms: OrderTerms,
    before: AdmittedBefore = noneBefore,
    isQuote = false,
  ): RejectReason {
    const state = this.#state;
    const market = state.table.markets[order.market];
    if (market === undefined) return RejectReason.unknownMarket;
    const gate = this.#checkGates(market, order);
    if (gate !== RejectReason.none) return gate;
    // The earliest time that the order's event can have: event time only increases.
    const nowUs = Math.max(state.tsUs + 1, order.atUs);
    if (!isPlain(order)) {
      const shape = checkShape(market, order, nowUs);
      if (shape !== RejectReason.none) return shape;
    }
    const waits = isConditional(order.type);
    // An order that goes to its book at once comes with its price.
    if (order.peg !== Peg.none && !waits) return RejectReason.unsupportedCombination;
    const filter = waits
      ? checkWaitingFilters(state, market, order)
      : checkFilters(state, this.#best, market, order);
    if (filter !== RejectReason.none) return filter;
    if (bringsTpSl(order)) {
      const entry = order.price || this.#best.opposite(market.id, order.side);
      const tpSlReason = checkTpSl(market, order, entry);
      if (tpSlReason !== RejectReason.none) return tpSlReason;
    }
    const counted = this.#checkNameAndCounts(order, nowUs, before, isQuote);
    if (counted !== RejectReason.none) return counted;
    if (waits) return this.#checkWaiting(market, order, terms, before);
    return this.#termsOf(market, order, terms, 0n);
  }

  /**
   * Decides whether `order` may wait for the working order of its list. It holds nothing, so balance and trigger are
   * checked when the working order is filled. Fills `terms` when it answers `none`.
   */
  admitPending(
    market: Market,
    order: PlaceOrder,
    terms: OrderTerms,
    before: AdmittedBefore,
  ): RejectReason {
    const state = this.#state;
    const nowUs = Math.max(state.tsUs + 1, order.atUs);
    const shape = isPlain(order) ? RejectReason.none : checkShape(market, order, nowUs);
    if (shape !== RejectReason.none) return shape;
    const filter = isConditional(order.type)
      ? checkWaitingFilters(state, market, order)
      : checkFilters(state, this.#best, market, order);
    if (filter !== RejectReason.none) return filter;
    setWaitingTerms(order, terms);
    const counted = this.#checkNameAndCounts(order, nowUs, before);
    if (counted !== RejectReason.none || !isConditional(order.type)) return counted;
    return checkWaitingCount(this.#state, order, before);
  }

  /**
   * Decides whether the pending conditional order `order` may wait for its trigger now that the working order of its
   * list is filled; `held` is what the orders of its list hold together. Checks the gates, trigger, price, quantity and
   * balance. Fills `terms` with its hold.
   */
  release(order: PlaceOrder, held: bigint, terms: OrderTerms): RejectReason {
    const market = this.#state.table.market(order.market);
    const gate = this.#checkGates(market, order);
    if (gate !== RejectReason.none) return gate;
    const filter = checkWaitingFilters(this.#state, market, order);
    if (filter !== RejectReason.none) return filter;
    const trigger = checkTrigger(this.#state, market, order);
    if (trigger !== RejectReason.none) return trigger;
    setWaitingTerms(order, terms);
    const price = terms.price || protectionPrice(market, order.side, order.triggerPrice);
    return this.#checkFree(market, order, terms, price, held);
  }

  /** Refuses a client id that is in use, and an order beyond a limit on open orders. */
  #checkNameAndCounts(
    order: PlaceOrder,
    nowUs: number,
    before: AdmittedBefore,
    isQuote = false,
  ): RejectReason {
    const { orders } = this.#state;
    const { account, market } = order;
    const naming = this.#checkClientId(order, nowUs, isQuote);
    if (naming !== RejectReason.none) return naming;
    if (orders.countOf(account, market) + before.orders >= ordersPerMarketPerAccountMax) {
      return RejectReason.tooManyOpenOrders;
    }
    return orders.hasRoom() ? RejectReason.none : RejectReason.venueFull;
  }

  /**
   * Decides whether the waiting order in `slot`, which has triggered, may go to its matcher; `order` is that order as a
   * command. Checks the gates, price, quantity and balance again, and of an order that got its quantity just now also its
   * value. The other checks of admission passed when the order was placed. Fills `terms`.
   */
  readmit(order: PlaceOrder, slot: number, terms: OrderTerms): RejectReason {
    const market = this.#state.table.market(order.market);
    const gate = this.#checkGates(market, order);
    if (gate !== RejectReason.none) return gate;
    if (isPricedLater(order)) return RejectReason.priceNotPositive;
    const { orders } = this.#state;
    const isNew = orders.has(slot, OrderFlag.pending) && orders.qty[slot] === 0;
    const check = isNew ? checkFilters : checkBounds;
    const bound = check(this.#state, this.#best, market, order);
    if (bound !== RejectReason.none) return bound;
    return this.#termsOf(market, order, terms, amountAt(orders.reserved, slot));
  }

  /**
   * Checks the new price and quantity of an open order, whose quantity changes by `more` lots (negative: fewer).
   * Quantity and value are checked of `checked` lots. The caller checks the filled quantity and the cost.
   */
  checkAmended(order: PlaceOrder, more: number, checked: number): RejectReason {
    const market = this.#state.table.market(order.market);
    const gate = this.#checkGates(market, order);
    if (gate !== RejectReason.none) return gate;
    const figures = checked === order.qty ? order : { ...order, qty: checked };
    const filter = checkFilters(this.#state, this.#best, market, figures);
    if (filter !== RejectReason.none || market.kind === MarketKind.spot) return filter;
    const pendingLots = this.#pending.lots(order.account, market.id, order.side);
    if (order.isReduceOnly) return RejectReason.none;
    const added = { ...order, qty: more };
    const lots = Math.min(this.#lotsIfFilled(added, pendingLots), order.qty);
    const opening = lots > 0 ? this.#checkOpening(market, order, lots) : RejectReason.none;
    if (opening !== RejectReason.none || more <= 0) return opening;
    if (!this.#fitsPosition(added, pendingLots)) return RejectReason.qtyTooLarge;
    const isAllowed = this.#fitsLeverage(added, pendingLots, order.price);
    return isAllowed ? RejectReason.none : RejectReason.positionBeyondLeverage;
  }

  /**
   * Whether the account may set this leverage. Lowering it is always allowed; raising it requires that the
   * position including open orders fits the tier, on either side. Spec ACC-22.
   */
  allowsLeverage(account: number, market: number, leverage: number): boolean {
    const { positions, mark, lastPrice } = this.#state;
    if (leverage <= positions.leverage(account, market)) return true;
    const price = numberAt(mark, market) || numberAt(lastPrice, market);
    const allows = (side: Side) => {
      const pendingLots = this.#pending.lots(account, market, side);
      const lots = this.#lotsIfFilled({ account, market, side, qty: 0 }, pendingLots);
      return this.#parts.tiers.allow(market, leverage, lots, price);
    };
    return allows(Side.buy) && allows(Side.sell);
  }

  /** Lots of the position that an order of this side can close. */
  closable({ account, market, side }: PlaceOrder): number {
    return closableLots(this.#state, account, market, side);
  }

  #checkGates(market: Market, order: PlaceOrder): RejectReason {
    if (this.#state.marketStatus[market.id] !== MarketStatus.trading) {
      return RejectReason.marketNotTrading;
    }
    const gate = accountGate(this.#state, order.account, market.kind);
    if (gate !== RejectReason.none) return gate;
    if (this.#isBarred(order)) return RejectReason.groupTriggered;
    return this.#checkRisk(market, order);
  }

  /** Whether the order is in a maker group that is triggered; reduce-only orders are in none. Spec MMP-4. */
  #isBarred({ account, market, isReduceOnly, closesPosition }: PlaceOrder): boolean {
    const { makerGroups } = this.#state;
    if (makerGroups.count === 0 || isReduceOnly || closesPosition) return false;
    return (makerGroups.of(account, market)?.triggeredUs ?? 0) > 0;
  }

  /**
   * While trading is paused, because the insurance fund is below its threshold, refuses all orders except those that
   * only reduce a position. An account in liquidation may likewise place only such orders on perpetuals, and none while
   * its positions are being taken over. Spec RSK-3, RSK-10.
   */
  #checkRisk(market: Market, order: PlaceOrder): RejectReason {
    const { liquidations } = this.#state;
    const reduces = order.isReduceOnly || order.closesPosition;
    if (liquidations.gate === TradingGate.paused && !reduces) return RejectReason.tradingPaused;
    if (liquidations.count === 0 || market.kind === MarketKind.spot) return RejectReason.none;
    const stage = liquidations.of(order.account)?.stage ?? LiquidationStage.none;
    const isRefused = stage >= LiquidationStage.takeover || (stage > 0 && !reduces);
    return isRefused ? RejectReason.accountInLiquidation : RejectReason.none;
  }

  /**
   * Refuses a client id that is in use, recently used or reserved; `none` otherwise. A replacement may have the id of
   * the order that was cancelled for it. Spec ORD-15.
   */
  #checkClientId(order: PlaceOrder, nowUs: number, isQuote: boolean): RejectReason {
    const { account, clientId } = order;
    if (clientId === "") return RejectReason.none;
    if (!isQuote && isReservedClientId(clientId)) return RejectReason.clientIdReserved;
    const { clientIds } = this.#state;
    const isTaken = order.reusesClientId
      ? clientIds?.isOpen(account, clientId)
      : clientIds?.isUsed(account, clientId, nowUs);
    const isUsed = isTaken === true || this.#pending.usesClientId(account, clientId);
    return isUsed ? RejectReason.duplicateClientId : RejectReason.none;
  }

  /** Refuses a conditional order, or sets its terms: a spot order holds its funds, a perpetual order nothing yet. */
  #checkWaiting(
    market: Market,
    order: PlaceOrder,
    terms: OrderTerms,
    before: AdmittedBefore,
  ): RejectReason {
    const state = this.#state;
    const trigger = checkTrigger(this.#state, market, order);
    if (trigger !== RejectReason.none) return trigger;
    const counted = checkWaitingCount(this.#state, order, before);
    if (counted !== RejectReason.none) return counted;
    if (order.isReduceOnly || order.closesPosition) {
      if (this.closable(order) === 0) return RejectReason.nothingToReduce;
    }
    setWaitingTerms(order, terms);
    if (market.kind === MarketKind.perpetual) {
      // A waiting perpetual order needs no money. Without this check, an account that never had money could place one
      // just to avoid being closed. Spec ACC-32.
      const hasHadMoney = state.accounts.hasHadMoney(order.account);
      return hasHadMoney ? RejectReason.none : RejectReason.insufficientBalance;
    }
    const held = terms.price || protectionPrice(market, order.side, order.triggerPrice);
    return this.#checkFree(market, order, terms, held, 0n);
  }

  /** Computes the order's terms; `held` is the amount that the order already holds. */
  #termsOf(market: Market, order: PlaceOrder, terms: OrderTerms, held: bigint): RejectReason {
    terms.qty = order.qty;
    terms.budget = 0;
    terms.loss = 0n;
    if (market.kind === MarketKind.perpetual) return this.#checkMargin(market, order, terms);
    if (order.type === OrderType.market && order.quoteQty > 0n) {
      return this.#checkAmount(market, order, terms);
    }
    const price = priceOf(market, order, this.#best.opposite(market.id, order.side));
    terms.price = price;
    terms.marginPrice = 0;
    terms.marginLots = 0;
    return this.#checkFree(market, order, terms, price, held);
  }

  /** Refuses what the spot wallet cannot cover at `price`; sets the hold. Spec ACC-2. */
  #checkFree(
    market: Market,
    order: PlaceOrder,
    terms: OrderTerms,
    price: number,
    held: bigint,
  ): RejectReason {
    terms.hold = spotHold(market, order.side, asPriceTicks(price), asQtyLots(order.qty));
    const free = this.#freeFor(market, order) + held;
    return free < terms.hold ? RejectReason.insufficientBalance : RejectReason.none;
  }

  #freeFor(market: Market, { account, side }: PlaceOrder): bigint {
    return this.#state.balances.free(account, Wallet.spot, heldAsset(market, side));
  }

  /**
   * Terms of a spot MARKET order with a quote amount. A buy holds its amount, and its quantity is the lots that the
   * amount pays for at the best price. A sell holds the lots needed to raise the amount at the protection price. If the
   * account has fewer lots, it holds all of them, provided that they suffice at the best price.
   */
  #checkAmount(market: Market, order: PlaceOrder, terms: OrderTerms): RejectReason {
    const opposite = this.#best.opposite(market.id, order.side);
    terms.price = protectionPrice(market, order.side, opposite);
    terms.marginPrice = 0;
    terms.marginLots = 0;
    terms.hold = 0n;
    terms.qty = 0;
    if (terms.price === 0) return RejectReason.none;
    terms.budget = Number(order.quoteQty / wholeUnits(market.tickLot));
    const needed = Math.floor(terms.budget / opposite);
    if (needed === 0) return RejectReason.notionalTooSmall;
    if (needed > market.qtyLotsMax) return RejectReason.qtyTooLarge;
    const free = this.#freeFor(market, order);
    if (order.side === Side.buy) {
      terms.qty = needed;
      terms.hold = order.quoteQty;
      return free < terms.hold ? RejectReason.insufficientBalance : RejectReason.none;
    }
    const freeLots = free / market.baseUnitsPerLot;
    if (freeLots < needed) return RejectReason.insufficientBalance;
    const atWorst = Math.floor(terms.budget / terms.price);
    terms.qty = Math.min(atWorst, market.qtyLotsMax, Number(freeLots));
    terms.hold = spotHold(market, order.side, asPriceTicks(terms.price), asQtyLots(terms.qty));
    return RejectReason.none;
  }

  /** Terms of a perpetual order; refuses what the account does not cover. Spec ACC-8, ACC-9. */
  #checkMargin(market: Market, order: PlaceOrder, terms: OrderTerms): RejectReason {
    const { account, side } = order;
    const opposite = this.#best.opposite(market.id, side);
    const pendingLots = this.#pending.lots(account, market.id, side);
    let margined = 0;
    let losing = order.qty;
    if (order.isReduceOnly) {
      losing = Math.min(losing, this.closable(order));
      if (losing === 0) return RejectReason.nothingToReduce;
    } else {
      if (!this.#fitsPosition(order, pendingLots)) return RejectReason.qtyTooLarge;
      margined = openingLots(this.#state, order, pendingLots);
    }
    const leverage = order.attached?.leverage ?? 0;
    if (!isLeverage(market, leverage)) return RejectReason.leverageOutOfRange;
    const gate = margined > 0 ? this.#gate.check(market, order) : RejectReason.none;
    if (gate !== RejectReason.none) return gate;
    const extra = this.#extraOf(market, account, leverage);
    const floor = this.#parts.floor.extraOf(account, market.id, leverage);
    const lots = { margined, losing, opposite, extra, floor };
    const isCovered = this.#parts.perpetual.cover(market, order, terms, lots);
    if (!isCovered) return RejectReason.insufficientBalance;
    const isAllowed = leverage === 0 || this.allowsLeverage(account, market.id, leverage);
    if (!isAllowed) return RejectReason.positionBeyondLeverage;
    if (margined === 0) return RejectReason.none;
    const fits = this.#fitsLeverage(order, pendingLots, terms.marginPrice);
    if (!fits) return RejectReason.positionBeyondLeverage;
    // Checked last, so that an account with too little money gets that reason even if the market is full.
    return this.#gate.checkInterest(order, margined);
  }

  #checkOpening(market: Market, order: PlaceOrder, lots: number): RejectReason {
    const gate = this.#gate.check(market, order);
    return gate === RejectReason.none ? this.#gate.checkInterest(order, lots) : gate;
  }

  /** Extra margin for everything the account has in the market at a new leverage; 0n if the leverage stays the same. */
  #extraOf(market: Market, account: number, leverage: number): bigint {
    const { positions } = this.#state;
    if (leverage === 0 || leverage === positions.leverage(account, market.id)) return 0n;
    return leverageExtra(this.#state, this.#parts.laneOf(market.id), account, market, leverage);
  }

  /** Whether the position stays within its limit if all orders of the side fill. */
  #fitsPosition(order: PlaceOrder, pendingLots: number): boolean {
    return this.#lotsIfFilled(order, pendingLots) <= positionLotsMax;
  }

  /** Whether the leverage allows the position if all orders of the side fill, at the mark or, without one, `price`. */
  #fitsLeverage(order: PlaceOrder, pendingLots: number, price: number): boolean {
    const { account, market } = order;
    const { positions, mark } = this.#state;
    const lots = this.#lotsIfFilled(order, pendingLots);
    const leverage = order.attached?.leverage || positions.leverage(account, market);
    return this.#parts.tiers.allow(market, leverage, lots, numberAt(mark, market) || price);
  }

  /**
   * Lots of the position that the account would have on the order's side if the order and all its other orders of that
   * side filled; negative if they would only close a part of the opposite position.
   */
  #lotsIfFilled(order: SideOfAccount, pendingLots: number): number {
    const { account, market, side, qty } = order;
    const { positions, sideLots } = this.#state;
    const position = positions.qty(account, market);
    const open = sideLots.open(account, market, side) + pendingLots + qty;
    return (side === Side.buy ? position : -position) + open;
  }
}
