// Decides independently what an account's margin allows. For each command it recomputes sums over all orders and
// positions from the auditor's plain maps, in bigints, by the specification (ACC-8 to ACC-11, ACC-15, ACC-19 to
// ACC-22). It is slow on purpose and shares no code with clearing.

import assert from "node:assert/strict";
import { Wallet } from "../../src/core/accounts.ts";
import {
  type Command,
  CommandKind,
  type PlaceOrder,
  type SetLeverage,
  type Transfer,
} from "../../src/core/generated/commands.ts";
import { type Market, MarketKind, type MarketTable } from "../../src/core/markets.ts";
import { isConditional, OrderType, Side, tradedType } from "../../src/core/orders.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import type { AuditedOrder } from "./audited-book.ts";
import type { ClearingAuditor } from "./clearing-auditor.ts";
import { naiveWorth } from "./naive-worth.ts";

const { none, insufficientBalance, positionBeyondLeverage } = RejectReason;

/** The model's prediction for a command. */
export type Verdict = typeof none | typeof insufficientBalance | typeof positionBeyondLeverage;

function ceilDiv(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

function size(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export class MarginModel {
  readonly #table: MarketTable;
  readonly #auditor: ClearingAuditor;

  constructor(table: MarketTable, auditor: ClearingAuditor) {
    this.#table = table;
    this.#auditor = auditor;
  }

  /**
   * Predicts clearing's decision, or returns null if margin does not decide the command. No request may be in flight
   * to a matcher.
   */
  verdictOn(command: Command): Verdict | null {
    switch (command.kind) {
      case CommandKind.placeOrder:
        return this.#onOrder(command);
      case CommandKind.setLeverage:
        return this.#onLeverage(command);
      case CommandKind.transfer:
        return this.#onTransfer(command);
      default:
        return null;
    }
  }

  /**
   * Returns the free USDC of the perp wallet: what positions and orders do not bind, less the total loss of all
   * positions at their marks.
   */
  available(account: number): bigint {
    const { ledger } = this.#auditor;
    let sum =
      ledger.cash(account, Wallet.perp, 0) - this.#auditor.holds.heldBy(account, Wallet.perp, 0);
    for (const { id } of this.#perpetuals()) {
      const { entryValue } = ledger.position(account, id);
      sum -= ceilDiv(size(entryValue), this.#leverage(account, id));
    }
    return sum + least(this.#profit(account), 0n);
  }

  /**
   * Returns the collateral plus the profit of all positions at their marks; negative if the account owes more than
   * it has.
   */
  equity(account: number): bigint {
    return this.#auditor.ledger.cash(account, Wallet.perp, 0) + this.#profit(account);
  }

  #perpetuals(): Market[] {
    return this.#table.markets.filter(({ kind }) => kind === MarketKind.perpetual);
  }

  #leverage(account: number, market: number): bigint {
    return this.#auditor.ledger.leverage.get(`${account}/${market}`) ?? 10n;
  }

  #profitIn(account: number, market: Market): bigint {
    const mark = this.#auditor.prices.markOf(market.id);
    const { qty, entryValue } = this.#auditor.ledger.position(account, market.id);
    return mark === 0n ? 0n : naiveWorth(market, qty * mark) - entryValue;
  }

  #profit(account: number): bigint {
    return this.#perpetuals().reduce((sum, one) => sum + this.#profitIn(account, one), 0n);
  }

  /** Returns the lots of the account's open orders of a side that may enlarge a position. */
  #openLots(account: number, market: number, side: Side): bigint {
    const own = this.#auditor.ordersOf(account).filter((order) => {
      const mayOpen = !order.isReduceOnly && !this.#isWaiting(order);
      return order.market === market && order.side === side && mayOpen;
    });
    return own.reduce((sum, { remaining }) => sum + BigInt(remaining), 0n);
  }

  /** Returns whether an order is conditional and has not triggered; until it triggers, it has no margin price. */
  #isWaiting({ type, marginPrice }: AuditedOrder): boolean {
    return isConditional(type) && marginPrice === 0;
  }

  #onOrder(order: PlaceOrder): Verdict | null {
    const market = this.#table.markets[order.market];
    const isOther = market?.kind !== MarketKind.perpetual || isConditional(order.type);
    if (market === undefined || isOther) return null;
    const opposite = this.#auditor.bestPrice(market.id, order.side === Side.buy ? 1 : 0);
    const isMarket = tradedType(order.type) === OrderType.market;
    // A market order expires if the opposite side is empty, so margin does not decide it. Otherwise the account must
    // cover a market order at the best price, and a limit order at its own price.
    if (isMarket && opposite === 0n) return null;
    const price = isMarket ? opposite : BigInt(order.price);
    return this.covers(order, market, price, opposite)
      ? this.#fitsTier(order, market, price)
      : insufficientBalance;
  }

  /** Returns whether the account has the margin for an order that may trade up to `price`. */
  covers(order: PlaceOrder, market: Market, price: bigint, opposite: bigint): boolean {
    const { account, side } = order;
    const { closing, opening } = this.#lotsOf(order, market);
    const mark = this.#auditor.prices.markOf(market.id);
    const worse = mark === 0n ? 0n : most(side === Side.buy ? price - mark : mark - price, 0n);
    const marginPrice = side === Side.sell ? most(price, opposite) : price;
    const leverage = this.#leverageOf(order);
    const margin = ceilDiv(naiveWorth(market, marginPrice * opening), leverage);
    const lots = order.isReduceOnly ? closing : BigInt(order.qty);
    const loss = naiveWorth(market, worse * lots);
    // A leverage that is attached to the order changes the margin of everything the account has in the market.
    const extra = this.#extraAt(account, market.id, leverage);
    const need = margin + loss + extra;
    if (extra > 0n && this.available(account) < need) return false;
    if (opening > 0n) return need === 0n || this.available(account) >= need;
    return loss === 0n || this.#roomToClose(account, market, lots) >= loss;
  }

  #leverageOf({ account, market, attached }: PlaceOrder): bigint {
    const own = attached?.leverage ?? 0;
    return own > 0 ? BigInt(own) : this.#leverage(account, market);
  }

  /** Returns the additional margin that the account's position and orders need at a new leverage. */
  #extraAt(account: number, market: number, leverage: bigint): bigint {
    const before = this.#leverage(account, market);
    const entry = size(this.#auditor.ledger.position(account, market).entryValue);
    let extra = ceilDiv(entry, leverage) - ceilDiv(entry, before);
    for (const order of this.#auditor.ordersOf(account)) {
      const isOther = order.market !== market || this.#isWaiting(order);
      if (!isOther)
        extra += this.#auditor.holds.at(order, leverage) - this.#auditor.holds.of(order);
    }
    return extra;
  }

  /**
   * Returns `closing`, the lots that close the position if the order fills now, and `opening`, the lots that open or
   * enlarge a position if the open orders of this side fill first. A lot can count in both.
   */
  #lotsOf({ account, side, qty, isReduceOnly }: PlaceOrder, market: Market) {
    const position = this.#auditor.ledger.position(account, market.id).qty;
    const closable = most(side === Side.buy ? -position : position, 0n);
    const closing = least(BigInt(qty), closable);
    if (isReduceOnly) return { closing, opening: 0n };
    const spare = most(closable - this.#openLots(account, market.id, side), 0n);
    return { closing, opening: most(BigInt(qty) - spare, 0n) };
  }

  /**
   * Returns the loss that the account can bear when it closes `lots`. Profit counts only as far as these lots
   * realise it.
   */
  #roomToClose(account: number, market: Market, lots: bigint): bigint {
    const { ledger } = this.#auditor;
    const { qty } = ledger.position(account, market.id);
    const own = qty === 0n ? 0n : (this.#profitIn(account, market) * lots) / size(qty);
    const profit = least(this.#profit(account), most(own, 0n));
    const orders = this.#auditor.ordersOf(account);
    const held = orders.reduce((sum, order) => sum + this.#auditor.holds.lossOf(order), 0n);
    return ledger.cash(account, Wallet.perp, 0) + profit - held;
  }

  #fitsTier(order: PlaceOrder, market: Market, price: bigint): Verdict {
    const { account, side } = order;
    const leverage = this.#leverageOf(order);
    const isRaised = leverage > this.#leverage(account, market.id);
    if (isRaised && !this.#fitsRaise(account, market, leverage)) return positionBeyondLeverage;
    if (this.#lotsOf(order, market).opening === 0n) return none;
    const position = this.#auditor.ledger.position(account, market.id).qty;
    const open = this.#openLots(account, market.id, side) + BigInt(order.qty);
    const lots = (side === Side.buy ? position : -position) + open;
    const opposite = this.#auditor.bestPrice(market.id, side === Side.buy ? 1 : 0);
    const worth =
      this.#auditor.prices.markOf(market.id) ||
      (side === Side.sell ? most(price, opposite) : price);
    const isWithin = this.#isWithin(market, lots * worth, leverage);
    return isWithin ? none : positionBeyondLeverage;
  }

  /** Returns whether a position of this value in ticks × lots is in a tier that allows the leverage. */
  #isWithin(market: Market, value: bigint, leverage: bigint): boolean {
    const worth = naiveWorth(market, value);
    return market.marginTiers.some(
      ({ notionalMax, leverageMax }) =>
        BigInt(leverageMax) >= leverage && (notionalMax === null || worth <= notionalMax),
    );
  }

  #onLeverage({ account, market: id, leverage }: SetLeverage): Verdict | null {
    const market = this.#table.markets[id];
    if (market?.kind !== MarketKind.perpetual) return null;
    const before = this.#leverage(account, id);
    const now = BigInt(leverage);
    if (now < 1n || now > 100n) return null;
    if (now > before) return this.#fitsRaise(account, market, now) ? none : positionBeyondLeverage;
    const extra = this.#extraAt(account, id, now);
    return extra > 0n && extra > this.available(account) ? insufficientBalance : none;
  }

  /**
   * Returns whether the position would be in a tier that allows the leverage, even after all open orders of either
   * side have filled.
   */
  #fitsRaise(account: number, market: Market, leverage: bigint): boolean {
    const { id } = market;
    const { qty } = this.#auditor.ledger.position(account, id);
    const worth = this.#auditor.prices.markOf(id) || this.#auditor.prices.lastOf(id);
    const long = qty + this.#openLots(account, id, Side.buy);
    const short = this.#openLots(account, id, Side.sell) - qty;
    return this.#isWithin(market, most(long, short) * worth, leverage);
  }

  #onTransfer({ account, from, asset, amount }: Transfer): Verdict | null {
    if (from !== Wallet.perp || asset !== 0 || amount <= 0n) return null;
    return this.available(account) < amount ? insufficientBalance : none;
  }
}

/**
 * Compares the model's prediction with clearing's reply. A refusal for another reason is allowed, because clearing
 * checks it before the margin.
 */
export function assertVerdict(
  verdict: Verdict | null,
  reason: RejectReason,
  message: string,
): void {
  const isMargin = reason === insufficientBalance || reason === positionBeyondLeverage;
  if (verdict === null || (reason !== none && !isMargin)) return;
  assert.equal(reason, verdict, message);
}
