// Liquidation orders: the venue's own reduce-only IOC limit orders that close positions. They skip admission, because
// they cannot open a position and need no hold. The value closed per market and interval is bounded.

import { assert, numberAt, wordAt } from "../../../core/assert.ts";
import { liquidationNotionalMax } from "../../../core/limits.ts";
import { autoclosePrefix } from "../../../core/liquidation.ts";
import { type Market, MarketStatus, orderValue } from "../../../core/markets.ts";
import { MatchLane, type MatchOutcome } from "../../../core/match-messages.ts";
import { asPriceTicks, asQtyLots, lotsWorth } from "../../../core/money/amounts.ts";
import { OrderType, Side, TimeInForce } from "../../../core/orders.ts";
import type { MarginPosition } from "../../risk/margin-status.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MatcherLanes } from "../matchers/matcher-lanes.ts";
import {
  emptyOrder,
  type FillBuffer,
  MatchKind,
  type PendingRequest,
  RequestKind,
} from "../matchers/request-lane.ts";
import { closeReasonOf, type OrderTransaction } from "../orders/order-transaction.ts";
import type { PendingOrders } from "../orders/pending-orders.ts";

export interface LiquidationOrdersParts {
  readonly state: VenueState;
  readonly lanes: MatcherLanes;
  readonly pending: PendingOrders;
  readonly orderTransaction: OrderTransaction;
}

/** A partial close of a position: at most `lots`, at `price` ticks or better. */
export interface LiquidationOrder {
  readonly account: number;
  readonly position: MarginPosition;
  readonly lots: number;
  readonly price: number;
}

export class LiquidationOrders {
  readonly #parts: LiquidationOrdersParts;
  /** By market: minor units of value that may still be closed in this interval. */
  readonly #left: bigint[];
  /** Accounts with a liquidation order in flight. */
  readonly #sent = new Set<number>();

  constructor(parts: LiquidationOrdersParts) {
    this.#parts = parts;
    this.#left = parts.state.table.markets.map(() => 0n);
  }

  /** Resets the allowance of each market. */
  beginInterval(): void {
    for (const { id, quote } of this.#parts.state.table.markets) {
      this.#left[id] = BigInt(liquidationNotionalMax) * 10n ** BigInt(quote.decimals);
    }
  }

  /** Whether an order of the account is in flight. */
  isSent(account: number): boolean {
    return this.#sent.has(account);
  }

  /**
   * Lots of the position that may be closed now; 0 if the market does not trade or has no mark, its allowance is used
   * up, or there is no room for another order.
   */
  allowance({ market, mark }: MarginPosition): number {
    const { state, lanes } = this.#parts;
    const isOpen = state.marketStatus[market.id] === MarketStatus.trading;
    const lane = lanes.lane(market.id, MatchLane.orders);
    if (!isOpen || mark === 0 || !lane.hasCredit() || !state.orders.hasRoom()) return 0;
    return Number(lotsWorth(this.#left[market.id] ?? 0n, mark, market.tickLot));
  }

  /** Sends an order; asserts that it is within the allowance of its market. */
  send({ account, position, lots, price }: LiquidationOrder, atUs: number): void {
    const { state, lanes, pending } = this.#parts;
    const { market, qty, mark } = position;
    assert(
      lots > 0 && price > 0 && lots <= Math.abs(qty),
      "a liquidation order must have a price and close at most the open position",
    );
    const value = orderValue(market, asPriceTicks(mark), asQtyLots(lots));
    this.#left[market.id] = (this.#left[market.id] ?? 0n) - value;
    assert(
      (this.#left[market.id] ?? 0n) >= 0n,
      "the closed value must stay within the allowance of the interval",
    );
    const order = emptyOrder();
    order.atUs = atUs;
    order.account = account;
    order.market = market.id;
    order.side = qty > 0 ? Side.sell : Side.buy;
    order.type = OrderType.limit;
    order.timeInForce = TimeInForce.ioc;
    order.price = price;
    order.qty = lots;
    order.isReduceOnly = true;
    // Unique within the account, because it has one liquidation order at a time and seq grows.
    order.clientId = `${autoclosePrefix}${state.seq}`;
    const { terms } = lanes;
    terms.price = price;
    terms.qty = lots;
    terms.marginPrice = price;
    terms.marginLots = 0;
    terms.budget = 0;
    terms.hold = 0n;
    terms.loss = 0n;
    const request = lanes.prepare(RequestKind.liquidate, state.orders.allocate(), order);
    pending.reserve(request);
    this.#sent.add(account);
    lanes.sendPlace(request);
  }

  /** Writes the transaction of an order its matcher has answered; returns the value traded. */
  finish(
    request: PendingRequest,
    fills: FillBuffer,
    outcome: MatchOutcome,
    remaining: number,
  ): bigint {
    const { state, pending, orderTransaction } = this.#parts;
    const { slot, order, terms } = request;
    assert(
      fills.qty + remaining === terms.qty,
      "the filled and the remaining quantity must add up to the quantity of the order",
    );
    pending.accept(request);
    orderTransaction.write(slot, order, terms, fills, closeReasonOf(outcome, remaining));
    assert(
      this.#sent.delete(order.account),
      "the answer must be for a liquidation order that was sent",
    );
    return tradedValue(fills, state.table.market(order.market));
  }
}

/** The value of all fills, in minor units of the quote. */
function tradedValue(fills: FillBuffer, market: Market): bigint {
  let value = 0n;
  for (let at = 0; at < fills.count; at++) {
    if (fills.kinds[at] !== MatchKind.filled) continue;
    const qty = asQtyLots(numberAt(fills.qtys, at));
    value += orderValue(market, asPriceTicks(wordAt(fills.prices, at)), qty);
  }
  return value;
}
