// Turns the events of a commit into rows. The projection keeps a replica of the venue's state, changed only by `apply`,
// and records the rows that each event changes:
//
//   new orders, fills, candles, accounts, keys     in the batch of their event
//   later terms and states of orders, balances,
//   positions                                      coalesced: each row is written at most once per interval,
//                                                  when joining-rule.ts says
//
// The row of a new order has the order's state at the end of the batch. The projection knows no SQL, rings or clocks;
// time is passed in. Only the journal is authoritative: coalesced rows may be up to two intervals behind it, and those of
// open orders up to 32. They are completed before a snapshot and after a restart.

import {
  accountSlot,
  defaultKeyPermissions,
  RateTier,
  type Wallet,
  walletCount,
} from "../../core/accounts.ts";
import { assert } from "../../core/assert.ts";
import {
  EventKind,
  type Marked,
  type PremiumSampled,
  type Traded,
  type VenueEvent,
} from "../../core/generated/events.ts";
import { accountsMax, assetsMax, marketsMax, ordersOpenMax } from "../../core/limits.ts";
import { orderValue } from "../../core/markets.ts";
import type { PriceTicks, QtyLots } from "../../core/money/amounts.ts";
import { OrderStatus, Side, StpMode } from "../../core/orders.ts";
import { PriceSeries } from "../../core/price-series.ts";
import { reservedMemory } from "../../core/reserved-memory.ts";
import { digestOf } from "../../engine/epochs/statement-digest.ts";
import { apply } from "../../engine/state/apply/apply.ts";
import { OrderFlag } from "../../engine/state/orders/order-table.ts";
import type { StateObserver } from "../../engine/state/state-observer.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";
import type { CommitBatch, OrderStateColumns } from "../../ports/journal/event-store.ts";
import { emptyCommitBatch } from "./batch-records.ts";
import { CandleDeltas } from "./candle-deltas.ts";
import { ClosedOrders } from "./closed-orders.ts";
import { DueQueue } from "./due-queue.ts";
import { OrderDetails } from "./order-details.ts";
import { addOrderState } from "./order-states.ts";

/**
 * A batch contains at most `coalescedRowsMax` coalesced rows of each kind, plus `coalescedRowsPerEvent` for each of its
 * events. A steady load changes about one such row per event, so two per event suffice. `coalescedRowsMax` limits how
 * many of the rows that wait after a restart are written at once, so that each batch takes only a few milliseconds.
 */
const coalescedRowsMax = 512;
const coalescedRowsPerEvent = 2;
/**
 * Number of intervals after which the row of an open order is written. Fronts have open orders in memory and a start has
 * them from the journal, so nobody waits for these rows; makers amend the same orders several times a second.
 */
const openOrderIntervals = 16;

/** What a key's row contains. */
interface KeyRights {
  readonly tier: number;
  readonly permissions: number;
  readonly revokedUs: number | null;
}

const sessionKeyRights = { tier: RateTier.standard, permissions: defaultKeyPermissions };

/** In `#slotOfRow`: the order's slot is free again, and its final state is already in the row. */
const settled = -1;

const balanceStride = walletCount * assetsMax;

export class Projection implements StateObserver {
  readonly state: VenueState;
  readonly #candles: CandleDeltas;
  readonly #details: OrderDetails;
  readonly #orderRows: DueQueue;
  readonly #balanceRows: DueQueue;
  readonly #positionRows: DueQueue;
  /** The final states of orders that closed in a later batch than the one that created them. */
  readonly #closed: ClosedOrders;
  /** By slot: the batch that created the order, and its row there. */
  readonly #bornIn = new Int32Array(reservedMemory(4 * ordersOpenMax));
  readonly #bornRow = new Int32Array(reservedMemory(4 * ordersOpenMax));
  /** The slot of each new order in the batch, by row; `settled` if the order has closed. */
  #slotOfRow: number[] = [];
  readonly #accounts = new Set<number>();
  readonly #keys = new Map<number, KeyRights>();
  readonly #markets = new Set<number>();
  #batchNumber = 1;
  #isRefolding = false;
  #batch: CommitBatch;
  #nowMs = 0;

  /** A projection that continues after `state.seq`. Coalesced rows become due after `intervalMs`. */
  constructor(state: VenueState, intervalMs: number) {
    this.state = state;
    this.#candles = new CandleDeltas();
    this.#details = new OrderDetails(state);
    this.#orderRows = new DueQueue(ordersOpenMax, openOrderIntervals * intervalMs);
    this.#balanceRows = new DueQueue(accountsMax * balanceStride, intervalMs);
    this.#positionRows = new DueQueue(accountsMax * marketsMax, intervalMs);
    this.#closed = new ClosedOrders(intervalMs);
    this.#batch = emptyCommitBatch(state.seq + 1);
  }

  /** Number of events in the open batch. */
  get events(): number {
    return this.#batch.count;
  }

  /** Folds the next event, whose encoding has `length` bytes, into the open batch. */
  fold(event: VenueEvent, length: number, nowMs: number): void {
    this.#nowMs = nowMs;
    const batch = this.#batch;
    batch.lengths.push(length);
    batch.tsUs.push(event.tsUs);
    batch.kinds.push(event.kind);
    batch.accounts.push(event.account);
    batch.count++;
    apply(this.state, event, this);
    this.#note(event);
  }

  /**
   * Folds an event that is already in the journal, after a restart. Rows that were written together with the event
   * exist. Coalesced rows may have been lost, so they are marked again, except for an order that changed in the
   * transaction that created it: the row of the new order already has that state.
   */
  refold(event: VenueEvent): void {
    this.#isRefolding = true;
    apply(this.state, event, this);
    if (event.isTransactionEnd) this.#batchNumber++;
    this.#isRefolding = false;
    this.#batch.firstSeq = event.seq + 1;
  }

  /** A copy of the unwritten rows, for the thread that will write them. */
  unwritten(): UnwrittenRows {
    return {
      orders: this.#orderRows.pending().map((slot) => this.state.orders.orderId[slot] ?? 0),
      balances: this.#balanceRows.pending(),
      positions: this.#positionRows.pending(),
      closed: this.#closed.pending(),
    };
  }

  /** Takes over the rows that another projection of the same state had not written. */
  takeOver(rows: TakenOverRows, nowMs: number): void {
    for (const orderId of rows.orders) {
      const slot = this.state.orders.slotOf(orderId);
      assert(slot >= 0, "an order whose row is unwritten must be open");
      this.#orderRows.mark(slot, nowMs);
    }
    for (const key of rows.balances) this.#balanceRows.mark(key, nowMs);
    for (const key of rows.positions) this.#positionRows.mark(key, nowMs);
    if (rows.closed !== undefined) this.takeOverCloses(rows.closed, nowMs);
  }

  /** Takes over final states of closed orders that are not written. */
  takeOverCloses(closed: OrderStateColumns, nowMs: number): void {
    this.#closed.append(closed, nowMs);
  }

  /** True if coalesced rows justify a commit without events at `nowMs`. */
  hasOverdueRows(nowMs: number): boolean {
    return (
      this.#orderRows.isOverdue(nowMs) ||
      this.#balanceRows.isOverdue(nowMs) ||
      this.#positionRows.isOverdue(nowMs) ||
      this.#closed.isOverdue(nowMs)
    );
  }

  /** The time at which the oldest unwritten coalesced row changed, in ms; 0 if all are written. */
  get laggingSinceMs(): number {
    const oldestMs = Math.min(
      this.#orderRows.oldestMs,
      this.#balanceRows.oldestMs,
      this.#positionRows.oldestMs,
      this.#closed.oldestMs,
    );
    return Number.isFinite(oldestMs) ? oldestMs : 0;
  }

  /** True if any coalesced row is unwritten, due or not. */
  get hasPendingRows(): boolean {
    return this.hasOverdueRows(Number.POSITIVE_INFINITY);
  }

  /**
   * Closes the open batch, whose concatenated events are `bytes`. Rows due at `nowMs` may join, up to a limit for each
   * kind. If `nowMs` is infinite, the oldest rows join, whether they are due or not.
   */
  close(bytes: Uint8Array, nowMs: number): CommitBatch {
    const batch = this.#batch;
    batch.bytes = bytes;
    this.#settleNewOrders(batch);
    this.#takeCoalesced(batch, nowMs);
    this.#takeAccess(batch);
    this.#batch = emptyCommitBatch(this.state.seq + 1);
    this.#slotOfRow = [];
    this.#batchNumber++;
    this.#candles.reset();
    this.#details.reset();
    return batch;
  }

  /** Marks everything that is pending now. `isWritten` is true once all of it has been put into batches. */
  pendingMark(): PendingMark {
    return {
      orders: this.#orderRows.queued,
      balances: this.#balanceRows.queued,
      positions: this.#positionRows.queued,
      closed: this.#closed.queued,
    };
  }

  isWritten(mark: PendingMark): boolean {
    return (
      this.#orderRows.taken >= mark.orders &&
      this.#balanceRows.taken >= mark.balances &&
      this.#positionRows.taken >= mark.positions &&
      this.#closed.taken >= mark.closed
    );
  }

  orderOpened(slot: number): void {
    const orders = this.state.orders;
    const columns = this.#batch.orders;
    this.#bornIn[slot] = this.#batchNumber;
    if (this.#isRefolding) return;
    this.#bornRow[slot] = columns.orderId.push(orders.orderId[slot] ?? 0) - 1;
    columns.account.push(orders.account[slot] ?? 0);
    columns.market.push(orders.market[slot] ?? 0);
    columns.clientId.push(orders.chosenClientId(slot) || null);
    columns.side.push(orders.side[slot] ?? 0);
    columns.type.push(orders.type[slot] ?? 0);
    columns.timeInForce.push(orders.timeInForce[slot] ?? 0);
    columns.createdUs.push(orders.acceptedUs[slot] ?? 0);
    // These columns get their final values when the order or the batch closes, whichever comes first.
    columns.price.push(0);
    columns.qty.push(0);
    columns.filledQty.push(0);
    columns.filledQuote.push(0n);
    columns.status.push(OrderStatus.open);
    columns.updatedUs.push(0);
    this.#slotOfRow.push(slot);
  }

  orderChanged(slot: number): void {
    if (this.#bornIn[slot] !== this.#batchNumber) this.#orderRows.mark(slot, this.#nowMs);
  }

  orderClosed(slot: number, status: OrderStatus): void {
    const isRefused = this.state.orders.has(slot, OrderFlag.refused);
    if (isRefused && !this.#isRefolding) this.#details.note(slot, this.#batch.orderDetails);
    if (this.#bornIn[slot] === this.#batchNumber) {
      if (this.#isRefolding) return;
      const row = this.#bornRow[slot] ?? 0;
      this.#settleNewOrder(this.#batch, row, slot, status);
      this.#slotOfRow[row] = settled;
      return;
    }
    this.#orderRows.forget(slot);
    addOrderState(this.#closed.open(this.#nowMs), this.state.orders, slot, status);
  }

  balanceChanged(account: number, wallet: Wallet, asset: number): void {
    const place = accountSlot(account) * balanceStride + wallet * assetsMax + asset;
    this.#balanceRows.mark(place, this.#nowMs);
  }

  positionChanged(account: number, market: number): void {
    this.#positionRows.mark(accountSlot(account) * marketsMax + market, this.#nowMs);
  }

  /** Records the rows that are written in the batch of their event. */
  #note(event: VenueEvent): void {
    switch (event.kind) {
      case EventKind.traded:
        this.#noteTrade(event);
        break;
      case EventKind.orderAccepted:
        if (event.isReduceOnly || event.stpMode !== StpMode.skip) this.#noteDetails(event);
        break;
      case EventKind.specialAccepted:
      case EventKind.icebergAccepted:
      case EventKind.orderReleased:
      case EventKind.orderTriggered:
        this.#noteDetails(event);
        break;
      case EventKind.marked:
        if (event.mark > 0) this.#notePrice(event, PriceSeries.mark, event.mark);
        if (event.index > 0) this.#notePrice(event, PriceSeries.index, event.index);
        break;
      case EventKind.premiumSampled:
        this.#notePrice(event, PriceSeries.premium, Number(event.premium));
        break;
      case EventKind.accountOpened:
      case EventKind.subAccountOpened:
      case EventKind.accountFlagsSet:
      case EventKind.accountTypeSet:
      case EventKind.walletBound:
        this.#accounts.add(event.account);
        break;
      case EventKind.keyRegistered:
        this.#keys.set(event.keyId, { ...event, revokedUs: null });
        break;
      case EventKind.keyChanged:
        this.#keys.set(event.keyId, { ...event, revokedUs: event.isRevoked ? event.tsUs : null });
        break;
      case EventKind.keyRestricted:
        this.#keys.set(event.keyId, { ...event, revokedUs: null });
        break;
      case EventKind.sessionKeySet:
        this.#keys.set(event.keyId, { ...sessionKeyRights, revokedUs: null });
        this.#noteSessionKeyEnd(event.replacedKeyId, event.tsUs);
        break;
      case EventKind.sessionClosed:
        this.#noteSessionKeyEnd(event.keyId, event.tsUs);
        break;
      case EventKind.marketStatusSet:
      case EventKind.marketAdded:
        this.#markets.add(event.market);
        break;
      case EventKind.liabilitiesStated:
        this.#batch.stated.epoch.push(event.epoch);
        this.#batch.stated.digest.push(digestOf(event));
        this.#batch.stated.entrySeq.push(event.seq);
        break;
      default:
        break;
    }
  }

  #noteSessionKeyEnd(keyId: number, revokedUs: number): void {
    if (keyId !== 0) this.#keys.set(keyId, { ...sessionKeyRights, revokedUs });
  }

  #noteDetails({ orderId }: { orderId: number }): void {
    this.#details.note(this.state.orders.slotOf(orderId), this.#batch.orderDetails);
  }

  /** Adds a mark, index or premium value to its candles, which have no volume. */
  #notePrice({ market, tsUs }: Marked | PremiumSampled, series: PriceSeries, price: number): void {
    const sample = { market: market + series, tsUs, price, qty: 0, takerSide: Side.sell };
    this.#candles.add(this.#batch.candles, sample, 0n);
  }

  #noteTrade(event: Traded): void {
    const fills = this.#batch.fills;
    const market = this.state.table.market(event.market);
    const quote = orderValue(market, event.price as PriceTicks, event.qty as QtyLots);
    fills.tradeId.push(event.tradeId);
    fills.tsUs.push(event.tsUs);
    fills.market.push(event.market);
    fills.takerSide.push(event.takerSide);
    fills.price.push(event.price);
    fills.qty.push(event.qty);
    fills.quote.push(quote);
    fills.takerOrderId.push(event.takerOrderId);
    fills.makerOrderId.push(event.makerOrderId);
    fills.takerAccount.push(event.account);
    fills.makerAccount.push(event.makerAccount);
    fills.takerFee.push(event.takerFee);
    fills.makerFee.push(event.makerFee);
    fills.takerPnl.push(event.takerPnl);
    fills.makerPnl.push(event.makerPnl);
    this.#candles.add(this.#batch.candles, event, quote);
  }

  #settleNewOrders(batch: CommitBatch): void {
    for (const [row, slot] of this.#slotOfRow.entries()) {
      if (slot !== settled) this.#settleNewOrder(batch, row, slot, OrderStatus.open);
    }
  }

  #settleNewOrder(batch: CommitBatch, row: number, slot: number, status: OrderStatus): void {
    const orders = this.state.orders;
    const columns = batch.orders;
    columns.price[row] = orders.price[slot] ?? 0;
    columns.qty[row] = orders.qty[slot] ?? 0;
    columns.filledQty[row] = orders.filledQty[slot] ?? 0;
    columns.filledQuote[row] = orders.filledQuote[slot] ?? 0n;
    columns.updatedUs[row] = orders.updatedUs[slot] ?? 0;
    columns.status[row] = status;
  }

  #takeCoalesced(batch: CommitBatch, nowMs: number): void {
    const limit = coalescedRowsMax + coalescedRowsPerEvent * batch.count;
    // Both kinds of rows share one statement, so if one kind justifies the statement, the other joins it.
    if (this.#closed.mayJoin(nowMs) || this.#orderRows.mayJoin(nowMs)) {
      this.#closed.take(nowMs, limit, batch.orderStates);
      const { orders } = this.state;
      this.#orderRows.take(nowMs, limit, (slot) =>
        addOrderState(batch.orderStates, orders, slot, OrderStatus.open),
      );
    }
    if (this.#balanceRows.mayJoin(nowMs)) {
      this.#balanceRows.take(nowMs, limit, (key) => this.#writeBalance(batch, key));
    }
    if (this.#positionRows.mayJoin(nowMs)) {
      this.#positionRows.take(nowMs, limit, (key) => this.#writePosition(batch, key));
    }
  }

  #writeBalance(batch: CommitBatch, key: number): void {
    const account = this.state.accounts.at(Math.floor(key / balanceStride));
    // If the account in the slot was closed meanwhile, all its rows are zero and need not be written.
    if (account === 0) return;
    const wallet = Math.floor((key % balanceStride) / assetsMax) as Wallet;
    const asset = key % assetsMax;
    const columns = batch.balances;
    columns.account.push(account);
    columns.wallet.push(wallet);
    columns.asset.push(asset);
    columns.total.push(this.state.balances.total(account, wallet, asset));
    columns.reserved.push(this.state.balances.reserved(account, wallet, asset));
  }

  #writePosition(batch: CommitBatch, key: number): void {
    const account = this.state.accounts.at(Math.floor(key / marketsMax));
    if (account === 0) return;
    const market = key % marketsMax;
    const positions = this.state.positions;
    const columns = batch.positions;
    columns.account.push(account);
    columns.market.push(market);
    columns.qty.push(positions.qty(account, market));
    columns.entryValue.push(positions.entryValue(account, market));
    columns.realisedPnl.push(positions.realisedPnl(account, market));
    columns.leverage.push(positions.leverage(account, market));
  }

  /** Adds one row for each changed account, key and market, with its current state. */
  #takeAccess(batch: CommitBatch): void {
    const { accounts, marketStatus } = this.state;
    for (const account of this.#accounts) {
      batch.accountRows.account.push(account);
      batch.accountRows.type.push(accounts.typeOf(account) ?? 0);
      batch.accountRows.flags.push(accounts.flagsOf(account));
      batch.accountRows.openedUs.push(accounts.openedUsOf(account));
    }
    for (const [keyId, { tier, permissions, revokedUs }] of this.#keys) {
      batch.keyStates.keyId.push(keyId);
      batch.keyStates.tier.push(tier);
      batch.keyStates.permissions.push(permissions);
      batch.keyStates.revokedUs.push(revokedUs);
    }
    for (const market of this.#markets) {
      batch.marketStates.market.push(market);
      batch.marketStates.status.push(marketStatus[market] ?? 0);
    }
    this.#accounts.clear();
    this.#keys.clear();
    this.#markets.clear();
  }
}

/**
 * Coalesced rows that a recovery found unwritten. `orders` are order ids; `balances` and `positions` are the keys by
 * which the projection's queues identify rows.
 */
export interface UnwrittenRows {
  readonly orders: readonly number[];
  readonly balances: readonly number[];
  readonly positions: readonly number[];
  readonly closed: OrderStateColumns;
}

/** Unwritten rows, possibly without the closed orders, if those were written separately. */
type TakenOverRows = Omit<UnwrittenRows, "closed"> & Partial<Pick<UnwrittenRows, "closed">>;

/** For each kind of coalesced row: how many rows had been queued when the mark was set. */
export interface PendingMark {
  readonly orders: number;
  readonly balances: number;
  readonly positions: number;
  readonly closed: number;
}
