// Take profit and stop loss of positions that entries brought. Everything here follows from the events of
// orders, so there are none of its own:
//
//   entry trades and opens ──▶ owed ──leg accepted──▶ leg waits ──triggers──▶ spent: the other leg goes
//                               ▲                       └── cancelled by hand: the other stays
//                               └── another entry brings newer prices: they replace the leg
//
// A leg is a conditional order that closes the whole position on the mark. What has changed is noted for
// clearing to act on; that note is derived and no state.

import { byteAt, numberAt, wordAt } from "../../core/cells.ts";
import type { SpecialAccepted } from "../../core/events.ts";
import { marketsMax } from "../../core/limits.ts";
import { OrderType, opposite, type Side, WorkingPrice } from "../../core/orders.ts";
import { OrderFlag, type OrderTable } from "./order-table.ts";
import type { VenueState } from "./venue-state.ts";

/** What protects, or is to protect, one position. */
export interface Protection {
  readonly account: number;
  readonly market: number;
  /** The side of the entries, which is that of the position. */
  side: Side;
  /** Ticks at which a leg is still to be placed; 0 for none. */
  owedTakeProfit: number;
  owedStopLoss: number;
  /** Orders that wait; 0 for none. */
  takeProfitId: number;
  stopLossId: number;
  /** A leg has triggered: what is left of the pair is to go. */
  isSpent: boolean;
}

export class ProtectionState {
  readonly #all = new Map<number, Protection>();
  /** Keys of protections that have changed, or whose position has. */
  readonly changed = new Set<number>();

  get(account: number, market: number): Protection | undefined {
    return this.#all.size === 0 ? undefined : this.#all.get(account * marketsMax + market);
  }

  /** The protection behind an entry of `changed`. */
  at(key: number): Protection | undefined {
    return this.#all.get(key);
  }

  /** By account and market. */
  all(): Protection[] {
    const keys = [...this.#all.keys()].sort((a, b) => a - b);
    return keys.flatMap((key) => this.#all.get(key) ?? []);
  }

  /** Adds one, new or restored. */
  add(protection: Protection): void {
    const key = protection.account * marketsMax + protection.market;
    this.#all.set(key, protection);
    this.changed.add(key);
  }

  /** Notes a change; forgets a protection that protects nothing any more. */
  note(protection: Protection): void {
    const key = protection.account * marketsMax + protection.market;
    const { owedTakeProfit, owedStopLoss, takeProfitId, stopLossId } = protection;
    if (takeProfitId === 0 && stopLossId === 0) protection.isSpent = false;
    if (owedTakeProfit + owedStopLoss + takeProfitId + stopLossId > 0) this.changed.add(key);
    else {
      this.#all.delete(key);
      this.changed.delete(key);
    }
  }
}

/** Whether the order in `slot` is an entry that brings protection. */
function bringsProtection(orders: OrderTable, slot: number): boolean {
  if (!orders.has(slot, OrderFlag.special) || byteAt(orders.type, slot) >= OrderType.stop) {
    return false;
  }
  return orders.triggerPrice[slot] !== 0 || orders.activationPrice[slot] !== 0;
}

/** The trigger of a leg that waits for positions of `side`; 0 if there is none. */
function triggerOf({ orders }: VenueState, orderId: number, side: Side): number {
  const slot = orderId === 0 ? -1 : orders.slotOf(orderId);
  return slot >= 0 && orders.side[slot] === opposite(side) ? wordAt(orders.triggerPrice, slot) : 0;
}

/** An order has traded and its position is booked: an entry that opened is owed its legs. Spec NAT-49. */
export function protectFill(state: VenueState, slot: number): void {
  const { orders, protections, positions } = state;
  const account = wordAt(orders.account, slot);
  const market = byteAt(orders.market, slot);
  notePosition(state, account, market);
  if (!bringsProtection(orders, slot)) return;
  const side = byteAt(orders.side, slot) as Side;
  if (positions.closable(account, market, opposite(side)) === 0) return;
  const none = { owedTakeProfit: 0, owedStopLoss: 0, takeProfitId: 0, stopLossId: 0 };
  const protection = protections.get(account, market) ?? {
    ...{ account, market, side, isSpent: false },
    ...none,
  };
  protection.side = side;
  const takeProfit = wordAt(orders.activationPrice, slot);
  const stopLoss = wordAt(orders.triggerPrice, slot);
  // Every fill of an entry brings the same prices: a leg that has them stays.
  const hasTakeProfit = triggerOf(state, protection.takeProfitId, side) === takeProfit;
  const hasStopLoss = triggerOf(state, protection.stopLossId, side) === stopLoss;
  if (takeProfit !== 0) protection.owedTakeProfit = hasTakeProfit ? 0 : takeProfit;
  if (stopLoss !== 0) protection.owedStopLoss = hasStopLoss ? 0 : stopLoss;
  protections.add(protection);
  protections.note(protection);
}

/** A position has changed: one that is gone, or is on the other side now, is owed nothing. */
export function notePosition(state: VenueState, account: number, market: number): void {
  const protection = state.protections.get(account, market);
  if (protection === undefined) return;
  if (state.positions.closable(account, market, opposite(protection.side)) === 0) {
    protection.owedTakeProfit = 0;
    protection.owedStopLoss = 0;
  }
  state.protections.note(protection);
}

/** A conditional order has begun to wait: it is a leg if it is what is owed. */
export function linkLeg(state: VenueState, event: SpecialAccepted): void {
  const protection = state.protections.get(event.account, event.market);
  if (protection === undefined || !event.closesPosition || event.clientId !== "") return;
  if (event.workingPrice !== WorkingPrice.mark || event.side !== opposite(protection.side)) return;
  const { type, triggerPrice, orderId } = event;
  if (type === OrderType.takeProfitMarket && triggerPrice === protection.owedTakeProfit) {
    protection.takeProfitId = orderId;
    protection.owedTakeProfit = 0;
  } else if (type === OrderType.stopMarket && triggerPrice === protection.owedStopLoss) {
    protection.stopLossId = orderId;
    protection.owedStopLoss = 0;
  } else return;
  state.protections.note(protection);
}

/** The order in `slot` waits no more: a leg that triggered takes the other with it. */
export function unlinkLeg(state: VenueState, slot: number, hasTriggered: boolean): void {
  const { orders, protections } = state;
  const protection = protections.get(wordAt(orders.account, slot), byteAt(orders.market, slot));
  if (protection === undefined) return;
  const orderId = numberAt(orders.orderId, slot);
  if (protection.takeProfitId === orderId) protection.takeProfitId = 0;
  else if (protection.stopLossId === orderId) protection.stopLossId = 0;
  else return;
  protection.isSpent ||= hasTriggered;
  protections.note(protection);
}
