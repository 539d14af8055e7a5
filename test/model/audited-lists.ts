// The auditor's order lists. It checks that a list is accepted as a whole, that the two orders of an OCO reserve once,
// that pending orders sell no more than their working order has bought, and after every transaction that no list is half
// there.

import assert from "node:assert/strict";
import type {
  OrderClosed,
  OrderListAccepted,
  OrderReleased,
  Traded,
} from "../../src/core/generated/events.ts";
import {
  hasPair,
  hasWorkingOrder,
  isPaidByWorking,
  legCountOf,
} from "../../src/core/order-lists.ts";
import { CloseReason, isConditional, Side } from "../../src/core/orders.ts";
import type { AuditedOrder } from "./audited-book.ts";

interface AuditedList {
  readonly ids: readonly number[];
  /** 0 if the list has no working order. */
  readonly workingId: number;
  /** The two orders that cancel each other, or none. */
  readonly pair: readonly number[];
  /** Orders that wait for the working order. */
  readonly pending: Set<number>;
  /** Orders of the pair of which lots have traded, or whose partner has ended. */
  readonly decided: Set<number>;
  isWorkingFilled: boolean;
  readonly isPaid: boolean;
  /** Of a working order that pays for the pending ones: lots bought, and what the account may use of them. */
  bought: number;
  kept: bigint;
  baseUnitsPerLot: bigint;
}

/** What the buyer of a trade may use at once, in minor units of the base asset. */
interface Bought {
  readonly usable: bigint;
  readonly baseUnitsPerLot: bigint;
}

export class AuditedLists {
  readonly #orderOf: (orderId: number) => AuditedOrder | undefined;
  readonly #byOrder = new Map<number, AuditedList>();
  readonly #touched = new Set<AuditedList>();
  #lastId = 0;

  constructor(orderOf: (orderId: number) => AuditedOrder | undefined) {
    this.#orderOf = orderOf;
  }

  open({ listId, listType }: OrderListAccepted): void {
    const ids = Array.from({ length: legCountOf(listType) }, (_, place) => listId + place);
    const workingId = hasWorkingOrder(listType) ? listId : 0;
    const pending = new Set(workingId === 0 ? [] : ids.slice(1));
    const pair = hasPair(listType) ? ids.slice(-2) : [];
    const terms = { ids, workingId, pair, pending, decided: new Set<number>() };
    const isPaid = isPaidByWorking(listType);
    const nothing = { bought: 0, kept: 0n, baseUnitsPerLot: 1n };
    const list = { ...terms, isWorkingFilled: false, isPaid, ...nothing };
    for (const id of ids) this.#byOrder.set(id, list);
    this.#lastId = ids.at(-1) ?? 0;
    this.#touched.add(list);
  }

  /** Whether the acceptance of this order may follow, because its list has just been accepted. */
  isComing(orderId: number): boolean {
    return this.#byOrder.has(orderId) && orderId <= this.#lastId;
  }

  isListed(orderId: number): boolean {
    return this.#byOrder.has(orderId);
  }

  isPending(orderId: number): boolean {
    return this.#byOrder.get(orderId)?.pending.has(orderId) ?? false;
  }

  release({ orderId, qty }: OrderReleased): void {
    const order = this.#orderOf(orderId);
    assert(order !== undefined && isConditional(order.type), "only a trigger can be waited for");
    this.activate(orderId, qty);
    order.qty = qty;
    order.remaining = qty;
  }

  /** An order that waited for the working order becomes active with `qty` lots. */
  activate(orderId: number, qty: number): void {
    const list = this.#byOrder.get(orderId);
    if (list === undefined || !list.pending.delete(orderId)) return;
    if (list.isPaid) this.#judgePaid(list, qty);
    assert(list.isWorkingFilled, "a pending order must wait until the working order is filled");
    this.#touched.add(list);
  }

  /** Called after a trade, when orders that are filled are open no more. */
  trade(event: Traded, { usable, baseUnitsPerLot }: Bought): void {
    const { takerOrderId, makerOrderId, takerSide, qty } = event;
    const paying = this.#byOrder.get(takerSide === Side.buy ? takerOrderId : makerOrderId);
    if (paying?.isPaid && paying.pending.size > 0) {
      paying.bought += qty;
      paying.kept += usable;
      paying.baseUnitsPerLot = baseUnitsPerLot;
    }
    for (const orderId of [takerOrderId, makerOrderId]) {
      const list = this.#byOrder.get(orderId);
      if (list === undefined) continue;
      this.#touched.add(list);
      if (list.pair.includes(orderId)) list.decided.add(orderId);
      if (orderId === list.workingId && this.#orderOf(orderId) === undefined) {
        list.isWorkingFilled = true;
      }
    }
  }

  /** Judges the reason of a close; returns whether it is one that only orders of lists have. */
  close({ orderId, reason }: OrderClosed): boolean {
    const list = this.#byOrder.get(orderId);
    const isOfList = reason === CloseReason.ocoPartner || reason === CloseReason.workingEnded;
    if (list === undefined) {
      assert(!isOfList, "only an order of a list may end because of another one");
      return false;
    }
    this.#touched.add(list);
    if (reason === CloseReason.ocoPartner) {
      const partner = list.pair.find((id) => id !== orderId && list.pair.includes(orderId));
      assert(partner !== undefined, "only an order of an OCO may end because of its partner");
      list.decided.add(partner);
    }
    return isOfList;
  }

  /** The hold of an order of a list, of which `plain` returns the cost. */
  holdOf(order: AuditedOrder, plain: (order: AuditedOrder) => bigint): bigint {
    const list = this.#byOrder.get(order.orderId);
    if (list === undefined) return plain(order);
    if (list.pending.has(order.orderId)) return order.orderId === list.ids.at(-1) ? list.kept : 0n;
    const partnerId = list.pair.includes(order.orderId)
      ? list.pair.find((id) => id !== order.orderId)
      : undefined;
    const partner = partnerId === undefined ? undefined : this.#orderOf(partnerId);
    if (partner === undefined) return plain(order);
    if (order.orderId < partner.orderId) return 0n;
    const [own, other] = [plain(order), plain(partner)];
    if (own < other) return other;
    return own;
  }

  /** Asserts that an order sells what the working order has bought, less a fee at most, and its partner as much. */
  #judgePaid(list: AuditedList, qty: number): void {
    assert(qty > 0 && qty <= list.bought, "a pending order must sell what its list has bought");
    const least = list.kept / list.baseUnitsPerLot;
    assert(BigInt(qty) >= least, "a pending order must sell all that its list may use");
    list.bought = qty;
  }

  /** Asserts of every list that the transaction touched that its orders are open together or have ended together. */
  endTransaction(): void {
    for (const list of this.#touched) this.#judge(list);
    this.#touched.clear();
  }

  #judge({ ids, workingId, pair, pending, decided, isWorkingFilled }: AuditedList): void {
    const open = ids.filter((id) => this.#orderOf(id) !== undefined);
    const isWorking = workingId > 0 && open.includes(workingId);
    if (isWorking) assert.equal(open.length, ids.length, "a working order must have its list");
    else if (workingId > 0 && !isWorkingFilled) {
      assert.equal(open.length, 0, "no order may outlive a working order that was not filled");
    }
    const openPair = pair.filter((id) => open.includes(id));
    if (openPair.length === 1) {
      assert(decided.has(openPair[0] ?? 0), "an order of an OCO must not lose its partner unasked");
    }
    if (openPair.length === 2) {
      assert.equal(decided.size, 0, "an OCO must end with the first trade of one of its orders");
      const waiting = openPair.filter((id) => pending.has(id));
      assert(waiting.length !== 1, "the two orders of an OCO must become active together");
    }
    if (open.length === 0) for (const id of ids) this.#byOrder.delete(id);
  }
}
