// Places and removes the take-profit and stop-loss legs of positions, in separate transactions after the entry's
// transaction, a bounded number per step. Nothing is lost in a crash: legs to place and legs to remove both follow
// from the state. Spec NAT-49, NAT-52.

import { wordAt } from "../../../core/assert.ts";
import { marketsMax, ordersPerMarketPerAccountMax, ownStepsMax } from "../../../core/limits.ts";
import {
  CloseReason,
  OrderType,
  opposite,
  TimeInForce,
  WorkingPrice,
} from "../../../core/orders.ts";
import { SlotState } from "../../state/orders/order-table.ts";
import type { TpSlPair } from "../../state/tables/tp-sl-state.ts";
import type { VenueState } from "../../state/venue-state.ts";
import { emptyOrder, FillBuffer, OrderTerms } from "../matchers/request-lane.ts";
import type { ConditionalOrders } from "../orders/conditional-orders.ts";
import type { OrderTransaction } from "../orders/order-transaction.ts";

export interface TpSlOrdersParts {
  readonly state: VenueState;
  readonly orderTransaction: OrderTransaction;
  readonly conditional: ConditionalOrders;
  /** Called for each new waiting order. */
  readonly onWaiting: (market: number, orderId: number) => void;
}

type LegType = typeof OrderType.takeProfitMarket | typeof OrderType.stopMarket;

export class TpSlOrders {
  readonly #parts: TpSlOrdersParts;
  readonly #noFills = new FillBuffer();
  readonly #terms = new OrderTerms();
  /**
   * Keys (account × marketsMax + market) of TP/SL pairs whose legs cannot be placed yet. They are retried only on
   * ticks, so that they do not delay other pairs.
   */
  readonly #blocked = new Set<number>();

  constructor(parts: TpSlOrdersParts) {
    this.#parts = parts;
  }

  /** Number of TP/SL pairs that changed and may need an action. */
  get waiting(): number {
    return this.#parts.state.tpSl.changed.size;
  }

  /** Brings the legs of the account's position in the market up to date. */
  settle(account: number, market: number, atUs: number): void {
    const { changed } = this.#parts.state.tpSl;
    const key = account * marketsMax + market;
    if (changed.has(key)) this.#settle(key, atUs);
  }

  /** True while pairs are blocked, so that each tick retries them. */
  get hasBlocked(): boolean {
    return this.#blocked.size > 0;
  }

  /** Retries a bounded number of blocked pairs, in turn. */
  tick(): void {
    const { changed } = this.#parts.state.tpSl;
    let steps = 0;
    for (const key of this.#blocked) {
      if (steps === ownStepsMax) return;
      steps++;
      this.#blocked.delete(key);
      changed.add(key);
    }
  }

  /** Handles a bounded number of changed pairs. */
  pump(atUs: number): void {
    const { changed } = this.#parts.state.tpSl;
    if (changed.size === 0) return;
    let steps = 0;
    for (const key of changed) {
      if (steps === ownStepsMax) return;
      steps++;
      this.#settle(key, atUs);
    }
  }

  #settle(key: number, atUs: number): void {
    const { tpSl } = this.#parts.state;
    this.#closeReplaced(key, atUs);
    const pair = tpSl.at(key);
    if (pair !== undefined) this.#settleOne(pair, atUs);
    const left = tpSl.at(key);
    tpSl.changed.delete(key);
    if (left === undefined || left.owedTakeProfit + left.owedStopLoss === 0) {
      this.#blocked.delete(key);
    } else this.#blocked.add(key);
  }

  /** Closes the waiting legs that newer ones have replaced. */
  #closeReplaced(key: number, atUs: number): void {
    const { replaced } = this.#parts.state.tpSl;
    const owner = { account: Math.floor(key / marketsMax), market: key % marketsMax };
    for (const orderId of replaced.get(key) ?? [])
      this.#close(owner, orderId, CloseReason.linked, atUs);
    replaced.delete(key);
  }

  #settleOne(pair: TpSlPair, atUs: number): void {
    const { account, market, side } = pair;
    const isGone = this.#parts.state.positions.closable(account, market, opposite(side)) === 0;
    for (const orderId of [pair.takeProfitId, pair.stopLossId]) {
      const isTurned = this.#isOfSide(orderId, side);
      if (isGone || isTurned) this.#close(pair, orderId, CloseReason.reduceOnly, atUs);
      else if (pair.isSpent) this.#close(pair, orderId, CloseReason.linked, atUs);
    }
    if (!isGone && this.#mayPlace(pair)) this.#placeLegs(pair, atUs);
  }

  /** True for a leg on the position's own side, which cannot close it: the position has changed sides since. */
  #isOfSide(orderId: number, side: number): boolean {
    const { orders } = this.#parts.state;
    const slot = orderId === 0 ? -1 : orders.slotOf(orderId);
    return slot >= 0 && orders.side[slot] === side;
  }

  /** False while the account is in liquidation or has no room for both legs, or the venue has no room for orders. */
  #mayPlace({ account, market }: TpSlPair): boolean {
    const { orders, liquidations } = this.#parts.state;
    if (liquidations.of(account) !== undefined || !orders.hasRoom()) return false;
    return orders.countOf(account, market) + 2 <= ordersPerMarketPerAccountMax;
  }

  #placeLegs(pair: TpSlPair, atUs: number): void {
    const { takeProfitId, stopLossId, owedTakeProfit, owedStopLoss } = pair;
    if (owedTakeProfit !== 0 && this.#close(pair, takeProfitId, CloseReason.linked, atUs)) {
      this.#place(pair, OrderType.takeProfitMarket, owedTakeProfit, atUs);
    }
    if (owedStopLoss !== 0 && this.#close(pair, stopLossId, CloseReason.linked, atUs)) {
      this.#place(pair, OrderType.stopMarket, owedStopLoss, atUs);
    }
  }

  /** Closes a waiting leg; false for a leg in flight, whose matcher has to answer first. */
  #close(
    { account, market }: Pick<TpSlPair, "account" | "market">,
    orderId: number,
    reason: CloseReason,
    atUs: number,
  ): boolean {
    const { state, orderTransaction } = this.#parts;
    const slot = orderId === 0 ? -1 : state.orders.slotOf(orderId);
    if (slot < 0) return true;
    if (state.orders.state[slot] !== SlotState.waiting) return false;
    orderTransaction.close({ orderId, account, market, reason }, atUs);
    return true;
  }

  #place(pair: TpSlPair, type: LegType, triggerPrice: number, atUs: number): void {
    const { state, orderTransaction, conditional, onWaiting } = this.#parts;
    const { account, market, side } = pair;
    const slot = state.orders.allocate();
    const order = {
      ...emptyOrder(),
      ...{ account, market, side: opposite(side), type, timeInForce: TimeInForce.gte, atUs },
      ...{ triggerPrice, workingPrice: WorkingPrice.mark, closesPosition: true },
    };
    const orderId = orderTransaction.write(slot, order, this.#terms, this.#noFills, null);
    conditional.waitOrFire(slot, wordAt(state.orders.triggerPrice, slot));
    onWaiting(market, orderId);
  }
}
