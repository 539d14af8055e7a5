// Deadlines: GTD orders expire, countdowns cancel, sessions and API keys end. Each clock tick handles a bounded number of
// them; the rest follows with the next ticks.

import { byteAt, numberAt } from "../../../core/assert.ts";
import type { SetCountdown } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { countdownsPerTickMax, marketsMax, ownStepsMax } from "../../../core/limits.ts";
import { CloseReason } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { OrderFlag } from "../../state/orders/order-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import { endKey } from "../accounts/key-commands.ts";
import { endSession } from "../accounts/session-commands.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";
import { DueHeap } from "./due-heap.ts";
import type { MassCancels } from "./mass-cancels.ts";

export interface DeadlinesParts {
  readonly state: VenueState;
  readonly writer: TransactionWriter;
  readonly massCancels: MassCancels;
}

export class Deadlines {
  readonly #parts: DeadlinesParts;
  readonly #orders: DueHeap;
  /** Countdowns by expiry; an id is account × marketsMax + market. */
  readonly #countdowns: DueHeap;
  readonly #sessions: DueHeap;
  readonly #keys: DueHeap;

  /** Loads every deadline in the state. */
  constructor(parts: DeadlinesParts) {
    this.#parts = parts;
    const { orders, countdowns, sessions, keys } = parts.state;
    this.#orders = new DueHeap((atUs, orderId) => this.#expires(orderId, atUs));
    this.#countdowns = new DueHeap(
      (atUs, id) => countdowns.get(Math.floor(id / marketsMax), id % marketsMax) === atUs,
    );
    this.#sessions = new DueHeap((_, id) => sessions.get(id) !== undefined);
    this.#keys = new DueHeap((atUs, id) => keys.get(id)?.expiresUs === atUs);
    for (const slot of orders.openSlots()) this.watchOrder(slot);
    for (const one of countdowns.all()) {
      this.watchCountdown(one.account, one.market, one.cancelAtUs);
    }
    for (const one of sessions.all()) this.watchSession(one.sessionId, one.expiresUs);
    for (const { keyId, expiresUs } of keys.expiring()) this.watchKey(keyId, expiresUs);
  }

  /** Sets or clears a countdown, or refuses. */
  setCountdown({ account, market, cancelAtUs, atUs, identity }: SetCountdown): RejectReason {
    const { state, writer } = this.#parts;
    if (!state.accounts.isCustomer(account)) return RejectReason.unknownAccount;
    if (state.table.markets[market] === undefined) return RejectReason.unknownMarket;
    if (cancelAtUs < 0) return RejectReason.goodTillOutOfRange;
    if (cancelAtUs !== state.countdowns.get(account, market)) {
      const event = { kind: EventKind.countdownSet, account, market, cancelAtUs };
      writer.records(identity, 0);
      writer.nonOrder({ ...event, seq: 0, tsUs: 0, isTransactionEnd: true }, atUs);
      this.watchCountdown(account, market, cancelAtUs);
    }
    return RejectReason.none;
  }

  /** Watches a newly opened order, if it has a deadline. */
  watchOrder(slot: number): void {
    const { orders } = this.#parts.state;
    if (!orders.has(slot, OrderFlag.special)) return;
    const atUs = numberAt(orders.goodTillUs, slot);
    if (atUs > 0) this.#orders.push(atUs, numberAt(orders.orderId, slot));
  }

  /** Watches a new countdown. */
  watchCountdown(account: number, market: number, cancelAtUs: number): void {
    if (cancelAtUs > 0) this.#countdowns.push(cancelAtUs, account * marketsMax + market);
  }

  /** Watches a new session. */
  watchSession(sessionId: number, expiresUs: number): void {
    this.#sessions.push(expiresUs, sessionId);
  }

  /** Watches a key whose expiry was set. */
  watchKey(keyId: number, expiresUs: number): void {
    if (expiresUs > 0) this.#keys.push(expiresUs, keyId);
  }

  /** The earliest deadline of orders and countdowns, possibly one that no longer applies; +∞ for none. */
  get nextUs(): number {
    return Math.min(this.#orders.firstKey, this.#countdowns.firstKey);
  }

  /** The earliest end of a session or a key, by the edge's time; +∞ for none. */
  get nextEdgeUs(): number {
    return Math.min(this.#sessions.firstKey, this.#keys.firstKey);
  }

  /**
   * Handles what is due, up to a limit of each kind: orders and countdowns at `nowUs`, sessions and keys at `edgeUs`, the
   * edge's time, which is another only in a venue that can be rewound.
   */
  tick(nowUs: number, edgeUs: number): void {
    for (let count = 0; count < ownStepsMax; count++) {
      const orderId = this.#orders.popUpTo(nowUs);
      if (orderId < 0) break;
      const slot = this.#parts.state.orders.slotOf(orderId);
      this.#parts.massCancels.cancelOne(slot, CloseReason.goodTillDate, nowUs);
    }
    for (let count = 0; count < countdownsPerTickMax; count++) {
      const id = this.#countdowns.popUpTo(nowUs);
      if (id < 0) break;
      this.#runOut(Math.floor(id / marketsMax), id % marketsMax, nowUs);
    }
    const { state, writer } = this.#parts;
    for (let count = 0; count < ownStepsMax; count++) {
      const session = state.sessions.get(this.#sessions.popUpTo(edgeUs));
      if (session === undefined) break;
      endSession(writer, session, nowUs);
    }
    for (let count = 0; count < ownStepsMax; count++) {
      const key = state.keys.get(this.#keys.popUpTo(edgeUs));
      if (key === undefined) break;
      endKey(writer, key, nowUs);
    }
  }

  /** Cancels the orders, then clears the countdown. After a crash between the two, the countdown runs out again. */
  #runOut(account: number, market: number, nowUs: number): void {
    const { state, writer, massCancels } = this.#parts;
    const atUs = state.countdowns.get(account, market);
    const done = () => {
      if (state.countdowns.get(account, market) !== atUs) return;
      const event = { kind: EventKind.countdownSet, account, market, cancelAtUs: 0 };
      writer.nonOrder({ ...event, seq: 0, tsUs: 0, isTransactionEnd: true }, nowUs);
    };
    const { countdown: reason } = CloseReason;
    massCancels.cancelAll({ account, markets: 1 << market, atUs: nowUs, reason, done });
  }

  #expires(orderId: number, atUs: number): boolean {
    const { orders } = this.#parts.state;
    const slot = orders.slotOf(orderId);
    if (slot < 0 || byteAt(orders.flags, slot) === 0) return false;
    return orders.has(slot, OrderFlag.special) && orders.goodTillUs[slot] === atUs;
  }
}
