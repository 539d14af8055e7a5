// Orders in flight: admitted, not yet journaled. Their holds count in the balances at once, so the next command sees
// them. The order's transaction passes the hold on to the open order; a refusal releases it. After a crash no trace of
// them remains, and no reply was sent.

import { assert, numberAt } from "../../../core/assert.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import { accountsMax, marketsMax } from "../../../core/limits.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { orderIdOfDerived, type Side } from "../../../core/orders.ts";
import type { RequestKey } from "../../../core/request-keys.ts";
import { reservedMemory } from "../../../core/reserved-memory.ts";
import { setHold } from "../../state/apply/holds.ts";
import { ClientIdIndex } from "../../state/orders/client-id-index.ts";
import { SlotState } from "../../state/orders/order-table.ts";
import type { KeysComing } from "../../state/orders/request-key-table.ts";
import { sideIndex } from "../../state/orders/side-lots.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { OrderTerms, PendingRequest, PlacedLeg } from "../matchers/request-lane.ts";

/** Whether orders of this kind may open a position, so that their lots need margin. */
function isMarginedKind(market: Market, { isReduceOnly }: PlaceOrder): boolean {
  return market.kind === MarketKind.perpetual && !isReduceOnly;
}

/** How a command identifies an order. */
interface OrderName {
  readonly account: number;
  readonly market: number;
  /** The venue's id, or 0 to find the order by `clientId`. */
  readonly orderId: number;
  readonly clientId: string;
}

function keyText(account: number, { high, low }: RequestKey): string {
  return `${account} ${high} ${low}`;
}

export class PendingOrders {
  readonly #state: VenueState;
  /**
   * Slot + 1 by client id. It is the same kind of index as that of open orders, so that of two ids with the same hash
   * the second is refused here already, before its order is journaled.
   */
  readonly #ids = new ClientIdIndex();
  /** For an order of a list in flight that is not at the matcher itself: the slot of the one that is. */
  readonly #sentSlots = new Map<number, number>();
  /** The account of each pending order with an idempotency key, by the text of account and key (`keyText`). */
  readonly #keys = new Map<string, number>();
  /** Lots in flight, by account, perpetual market and side. */
  readonly #lots = new Float64Array(reservedMemory(8 * accountsMax * marketsMax * 2));

  /** Lots in flight that would open positions, by perpetual market, both sides together. */
  readonly #opening = new Float64Array(marketsMax);

  /** By account: minor units that its orders in flight reserve for their losses at the mark; most have no entry. */
  readonly #losses = new Map<number, bigint>();

  constructor(state: VenueState) {
    this.#state = state;
  }

  /** Minor units that the account's orders in flight reserve for their losses at the mark. */
  lossOf(account: number): bigint {
    return this.#losses.get(account) ?? 0n;
  }

  /** Adds what an order in flight holds for its loss; a negative amount removes it. */
  countLoss(account: number, loss: bigint): void {
    if (loss === 0n) return;
    const sum = this.lossOf(account) + loss;
    assert(sum >= 0n, "a loss must not be removed twice");
    if (sum === 0n) this.#losses.delete(account);
    else this.#losses.set(account, sum);
  }

  /** The slot of the account's pending order with this client id, or −1. */
  slotOf(account: number, clientId: string): number {
    const slot = this.#ids.orderOf(account, clientId) - 1;
    return slot >= 0 && this.#state.orders.hasClientId(slot, clientId) ? slot : -1;
  }

  /** The slot of the account's open or pending order with this name in the market, or −1. */
  find(name: OrderName): number {
    const { orders, clientIds } = this.#state;
    const { account, clientId } = name;
    let { orderId } = name;
    let slot = -1;
    if (orderId === 0) {
      slot = this.slotOf(account, clientId);
      slot = this.#sentSlots.get(slot) ?? slot;
      orderId = orderIdOfDerived(clientId) || (clientIds?.orderOf(account, clientId) ?? 0);
    }
    if (slot < 0) {
      slot = orders.slotOf(orderId);
      if (slot < 0 || orders.account[slot] !== account) return -1;
      // Two client ids may share a hash, so the client id itself decides.
      if (name.orderId === 0 && !orders.isNamed(slot, clientId)) return -1;
    }
    return orders.market[slot] === name.market ? slot : -1;
  }

  /** Whether a pending order of the account uses this client id, or an id with the same hash. */
  usesClientId(account: number, clientId: string): boolean {
    return this.#ids.orderOf(account, clientId) > 0;
  }

  /** Whether a pending order of the account has this idempotency key. */
  usesKey(account: number, key: RequestKey): boolean {
    return this.#keys.has(keyText(account, key));
  }

  /** Numbers of idempotency keys of pending orders: of the account, and of all accounts. Lane credits bound both. */
  keysOf(account: number): KeysComing {
    let own = 0;
    for (const owner of this.#keys.values()) if (owner === account) own++;
    return { own, all: this.#keys.size };
  }

  /** Lots that the account has in flight on this side of a perpetual market; spot: 0. */
  lots(account: number, market: number, side: Side): number {
    return numberAt(this.#lots, sideIndex(account, market, side));
  }

  /** Lots in flight in a perpetual that would open or enlarge positions. */
  opening(market: number): number {
    return numberAt(this.#opening, market);
  }

  /** Adds lots that an order in flight may open; a negative number removes them. */
  countOpening(market: number, lots: number): void {
    const sum = this.opening(market) + lots;
    assert(
      market >= 0 && market < marketsMax,
      "the market id must be below the maximum number of markets",
    );
    assert(sum >= 0, "an opening quantity must not be removed twice");
    this.#opening[market] = sum;
  }

  /**
   * Counts the order and its hold; sets the fields of its slot that a cancel of the order reads. `sentSlot` is the slot
   * of the order that is at the matcher: another one for the other orders of a list.
   */
  reserve({ slot, order, terms }: PlacedLeg, sentSlot = slot): void {
    if (sentSlot !== slot) this.#sentSlots.set(slot, sentSlot);
    const { orders, table } = this.#state;
    const market = table.market(order.market);
    orders.market[slot] = order.market;
    orders.account[slot] = order.account;
    orders.side[slot] = order.side;
    orders.setClientId(slot, order.clientId);
    orders.count(order.account, order.market, 1);
    if (market.kind === MarketKind.perpetual) this.#countRisk(order, terms, 1);
    setHold(this.#state, slot, market, terms.hold, null);
    if (order.clientId !== "") this.#ids.open(order.account, order.clientId, slot + 1);
    const key = order.attached?.key ?? null;
    if (key !== null) this.#keys.set(keyText(order.account, key), order.account);
  }

  /**
   * Removes an order from the counts of orders in flight just before its transaction is written. Its hold stays with
   * the slot and becomes the open order's own.
   */
  accept({ slot, order, terms }: PlacedLeg): void {
    if (this.#sentSlots.size > 0) this.#sentSlots.delete(slot);
    const { orders, table } = this.#state;
    assert(orders.account[slot] === order.account, "the slot must still hold the pending order");
    orders.count(order.account, order.market, -1);
    if (table.market(order.market).kind === MarketKind.perpetual) this.#countRisk(order, terms, -1);
    if (order.clientId !== "") this.#ids.forget(order.account, order.clientId);
    const key = order.attached?.key ?? null;
    if (key !== null) this.#keys.delete(keyText(order.account, key));
  }

  /** Undoes `reserve`, for an order its matcher has refused. Spec ORD-7. */
  refuse(request: PlacedLeg): void {
    this.accept(request);
    const market = this.#state.table.market(request.order.market);
    setHold(this.#state, request.slot, market, 0n, null);
  }

  /** Counts the lots and the hold of a waiting order that has triggered. */
  reserveTriggered({ slot, order, terms }: PendingRequest): void {
    const { orders, table } = this.#state;
    const market = table.market(order.market);
    assert(
      orders.state[slot] === SlotState.waiting,
      "a triggered order must still be waiting when it is sent to its matcher",
    );
    orders.state[slot] = SlotState.sent;
    if (market.kind === MarketKind.perpetual) this.#countRisk(order, terms, 1);
    setHold(this.#state, slot, market, terms.hold, null);
  }

  /** Counts the lots an amend in flight adds; negative `lots` removes them. */
  countAmended(order: PlaceOrder, lots: number): void {
    if (isMarginedKind(this.#state.table.market(order.market), order)) this.#countLots(order, lots);
  }

  /** Removes a triggered order from the counts of orders in flight just before its transaction is written. */
  acceptTriggered({ order, terms }: PendingRequest): void {
    const market = this.#state.table.market(order.market);
    if (market.kind === MarketKind.perpetual) this.#countRisk(order, terms, -1);
  }

  /** Counts an order in a perpetual market and its hold for losses: sign 1 adds, −1 removes. */
  #countRisk(order: PlaceOrder, { qty, marginLots, loss }: OrderTerms, sign: 1 | -1): void {
    if (!order.isReduceOnly) this.#countLots(order, sign * qty);
    this.countOpening(order.market, sign * marginLots);
    this.countLoss(order.account, BigInt(sign) * loss);
  }

  #countLots(order: { account: number; market: number; side: Side }, change: number): void {
    const index = sideIndex(order.account, order.market, order.side);
    const lots = numberAt(this.#lots, index) + change;
    assert(lots >= 0, "a pending order must not be removed twice");
    this.#lots[index] = lots;
  }
}
