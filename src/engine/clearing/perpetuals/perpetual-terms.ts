// The terms on which a perpetual order may trade: its margin and its hold for losses at the mark; and whether the
// account covers margin and loss. For an order that opens a position, the available balance must cover their sum. An
// order that only closes may lose at most the account's equity, regardless of the margin it frees.

import { assert, numberAt } from "../../../core/assert.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import type { Market } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../core/money/amounts.ts";
import { OrderType, Side, tradedType } from "../../../core/orders.ts";
import { available, roomToClose } from "../../risk/margin.ts";
import { marginHold } from "../../state/apply/holds.ts";
import { lossTicks, lossValue } from "../../state/apply/mark-losses.ts";
import { protectionPrice } from "../../state/apply/protection-price.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { OrderTerms } from "../matchers/request-lane.ts";
import type { PendingOrders } from "../orders/pending-orders.ts";
import type { MarginFloor } from "./margin-floor.ts";

/** Lots of an order by their effect. */
export interface LotsAtRisk {
  /** Lots that open or enlarge a position. */
  readonly margined: number;
  /** Lots that may lose at the mark: all lots that can trade. */
  readonly losing: number;
  /** Best price on the other side, in ticks; 0 for none. */
  readonly opposite: number;
  /** Additional minor units for the account's existing position and orders, if the order changes the leverage. */
  readonly extra: bigint;
  /** Minor units that the margin floor requires beyond the margin, for the account's existing positions and orders. */
  readonly floor: bigint;
}

export class PerpetualTerms {
  readonly #state: VenueState;
  readonly #pending: PendingOrders;
  readonly #floor: MarginFloor;

  constructor(state: VenueState, pending: PendingOrders, floor: MarginFloor) {
    this.#state = state;
    this.#pending = pending;
    this.#floor = floor;
  }

  /**
   * Sets price and hold of `terms`; false if the account does not cover them. A MARKET order may trade up to its
   * protection price or, if the account does not cover that price, up to the last price that it covers. Until its
   * transaction is written, the order also holds `extra`, which belongs to the account's position and other orders.
   * Spec ACC-20, ACC-21.
   */
  cover(market: Market, order: PlaceOrder, terms: OrderTerms, lots: LotsAtRisk): boolean {
    const isCovered = this.#cover(market, order, terms, lots);
    if (isCovered && lots.extra > 0n) terms.hold += lots.extra;
    return isCovered;
  }

  #cover(market: Market, order: PlaceOrder, terms: OrderTerms, lots: LotsAtRisk): boolean {
    const { opposite } = lots;
    const isMarket = tradedType(order.type) === OrderType.market;
    const price = isMarket ? protectionPrice(market, order.side, opposite) : order.price;
    this.fill(market, order, terms, price, lots);
    if (this.#covers(market, order, terms, lots)) return true;
    if (!isMarket || price === opposite) return false;
    this.fill(market, order, terms, opposite, lots);
    if (!this.#covers(market, order, terms, lots)) return false;
    this.#reach(market, order, terms, price, lots);
    return true;
  }

  /** Sets the terms at `price`. */
  fill(
    market: Market,
    { account, side, attached }: PlaceOrder,
    terms: OrderTerms,
    price: number,
    { margined, losing, opposite }: Omit<LotsAtRisk, "extra" | "floor">,
  ): void {
    const leverage = attached?.leverage || this.#state.positions.leverage(account, market.id);
    terms.price = price;
    // A sell may trade above its limit, and the margin of the short then depends on that higher price.
    terms.marginPrice = side === Side.sell ? Math.max(price, opposite) : price;
    terms.marginLots = margined;
    const margin = marginHold(
      market,
      asPriceTicks(terms.marginPrice),
      asQtyLots(margined),
      leverage,
    );
    const ticks = price === 0 ? 0 : lossTicks(numberAt(this.#state.mark, market.id), side, price);
    terms.loss = ticks === 0 ? 0n : lossValue(market, ticks, losing);
    terms.hold = margin + terms.loss;
  }

  /**
   * Sets the terms at the price closest to `limit` that the account's balance covers. The balance covers the best
   * price, but not `limit`. The need only grows from the best price to `limit`, so bisection finds the last tick that
   * is covered.
   */
  #reach(
    market: Market,
    order: PlaceOrder,
    terms: OrderTerms,
    limit: number,
    lots: LotsAtRisk,
  ): void {
    const { opposite } = lots;
    assert(
      limit !== opposite && opposite > 0,
      "the limit must differ from the best opposite price, which must be known",
    );
    const way = limit > opposite ? 1 : -1;
    let covered = 0;
    let beyond = Math.abs(limit - opposite);
    while (covered + 1 < beyond) {
      const middle = Math.floor((covered + beyond) / 2);
      this.fill(market, order, terms, opposite + way * middle, lots);
      if (this.#covers(market, order, terms, lots)) covered = middle;
      else beyond = middle;
    }
    this.fill(market, order, terms, opposite + way * covered, lots);
  }

  #covers(
    market: Market,
    order: PlaceOrder,
    terms: OrderTerms,
    { margined, losing, extra, floor }: LotsAtRisk,
  ): boolean {
    const { account } = order;
    const { hold, loss } = terms;
    if (extra > 0n && available(this.#state, account) < hold + extra) return false;
    const beside = margined > 0 ? extra + floor + this.floorOf(market, order, terms) : 0n;
    return this.isCovered(market, account, { hold: hold + beside, loss, margined, losing });
  }

  /** Minor units that the floor requires for an order's own lots beyond their margin. Spec RSK-34. */
  floorOf(
    market: Market,
    { account, attached }: PlaceOrder,
    terms: Pick<OrderTerms, "marginPrice" | "marginLots">,
  ): bigint {
    const leverage = attached?.leverage || this.#state.positions.leverage(account, market.id);
    const most = this.#floor.leverageOf(market);
    if (most === 0 || leverage <= most) return 0n;
    const [price, lots] = [asPriceTicks(terms.marginPrice), asQtyLots(terms.marginLots)];
    return marginHold(market, price, lots, most) - marginHold(market, price, lots, leverage);
  }

  /**
   * Whether the account covers `hold`, of which `loss` is for the loss at the mark. A closing order whose
   * price is no worse than the mark passes even if losses have used up the balance.
   */
  isCovered(
    market: Market,
    account: number,
    {
      hold,
      loss,
      margined,
      losing,
    }: Pick<LotsAtRisk, "margined" | "losing"> & { hold: bigint; loss: bigint },
  ): boolean {
    if (hold === 0n && loss === 0n) return true;
    if (margined > 0) return available(this.#state, account) >= hold;
    const room = roomToClose(this.#state, account, market, losing);
    return room - this.#pending.lossOf(account) >= loss;
  }
}
