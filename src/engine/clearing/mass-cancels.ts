// Mass cancels: one cancel for each of an account's orders in a market, the open ones and those
// still with their matcher. A lane has fewer credits than an account may have orders, so the rest
// waits here and follows as answers come in; meanwhile clearing takes no command, which bounds it.

import { assert } from "../../core/assert.ts";
import { byteAt, wordAt } from "../../core/cells.ts";
import type { CancelAllOrders } from "../../core/commands.ts";
import { MatchLane } from "../../core/match-messages.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { MatcherLanes } from "./matcher-lanes.ts";
import { type OrderTable, SlotState } from "./order-table.ts";
import type { Asker, ReplyWriter } from "./reply-writer.ts";

/** A mass cancel under way: answered when its last order has been. */
export interface MassCancel extends Asker {
  readonly atUs: number;
  /** Orders not yet dealt with. */
  remaining: number;
  cancelled: number;
}

interface WaitingCancel {
  readonly slot: number;
  readonly generation: number;
  readonly mass: MassCancel;
}

export class MassCancels {
  readonly #orders: OrderTable;
  readonly #lanes: MatcherLanes;
  readonly #replies: ReplyWriter;
  /** Cancels that wait for a credit, oldest first from #head on. */
  readonly #waiting: WaitingCancel[] = [];
  #head = 0;

  constructor(orders: OrderTable, lanes: MatcherLanes, replies: ReplyWriter) {
    this.#orders = orders;
    this.#lanes = lanes;
    this.#replies = replies;
  }

  /** Cancels not sent yet. */
  get waiting(): number {
    return this.#waiting.length - this.#head;
  }

  /** Cancels all orders of the account in the market; answers with their number once all are. */
  start(command: CancelAllOrders): void {
    assert(this.waiting === 0, "no command is taken while cancels wait");
    const { source, correlation, atUs, account, market } = command;
    const mass: MassCancel = { source, correlation, atUs, remaining: 0, cancelled: 0 };
    const orders = this.#orders;
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
      if (orders.market[slot] === market) this.#add(slot, mass);
    }
    if (orders.countOf(account, market) > mass.remaining) this.#addPending(account, market, mass);
    assert(mass.remaining === orders.countOf(account, market), "no order is left out");
    if (mass.remaining === 0) this.#replies.answer(mass, RejectReason.none, 0);
    else this.pump();
  }

  /** Sends what waits as far as the credits go. */
  pump(): void {
    if (this.#waiting.length === 0) return;
    const orders = this.#orders;
    for (let next = this.#waiting[this.#head]; next; next = this.#waiting[this.#head]) {
      const { slot, generation, mass } = next;
      if (orders.generation[slot] === generation) {
        const lane = laneOfCancel(orders, slot);
        if (!this.#lanes.lane(byteAt(orders.market, slot), lane).hasCredit()) return;
        this.#head++;
        this.#lanes.sendCancel(slot, lane, mass, mass.atUs, mass);
      } else {
        // Filled while its cancel waited.
        this.#head++;
        this.count(mass, false);
      }
    }
    this.#waiting.length = 0;
    this.#head = 0;
  }

  /** One order of a mass cancel has been dealt with. */
  count(mass: MassCancel, isCancelled: boolean): void {
    mass.remaining--;
    if (isCancelled) mass.cancelled++;
    assert(mass.remaining >= 0, "a mass cancel counts each order once");
    if (mass.remaining === 0) this.#replies.answer(mass, RejectReason.none, mass.cancelled);
  }

  #addPending(account: number, market: number, mass: MassCancel): void {
    const lane = this.#lanes.lane(market, MatchLane.orders);
    for (let place = 0; place < lane.inFlight; place++) {
      const { isPlace, order, slot } = lane.at(place);
      if (isPlace && order.account === account && order.market === market) this.#add(slot, mass);
    }
  }

  #add(slot: number, mass: MassCancel): void {
    mass.remaining++;
    this.#waiting.push({ slot, generation: wordAt(this.#orders.generation, slot), mass });
  }
}

/**
 * The lane a cancel takes: its own, past all waiting orders; but behind the order itself while that
 * is still with its matcher, because a cancel that overtook it would find nothing.
 */
export function laneOfCancel(orders: OrderTable, slot: number): MatchLane {
  return orders.state[slot] === SlotState.pending ? MatchLane.orders : MatchLane.cancels;
}
