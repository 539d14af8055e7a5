// The front's read model: the venue's state and market data, folded from committed events only. It also stores what
// answers need: closed orders, fills of orders being answered, and times of changes. It makes no decisions.

import { accountSlot, Wallet } from "../../core/accounts.ts";
import {
  EventKind,
  type MatchPrevented,
  type OrderClosed,
  type OrderReduced,
  type OrderTriggered,
  type Traded,
  type VenueEvent,
} from "../../core/generated/events.ts";
import { accountsMax, filledOrdersKept, marketsMax, ordersOpenMax } from "../../core/limits.ts";
import { type Market, MarketKind, orderValue } from "../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../core/money/amounts.ts";
import { closedListsKept } from "../../core/order-lists.ts";
import {
  OrderStatus,
  type OrderType,
  opposite,
  Side,
  type StpMode,
  type TimeInForce,
  WorkingPrice,
} from "../../core/orders.ts";
import { reservedMemory } from "../../core/reserved-memory.ts";
import { candleIntervals } from "../../core/unix-ms.ts";
import { RiskScan } from "../../engine/clearing/perpetuals/risk-scan.ts";
import { Candles } from "../../engine/market-data/candles.ts";
import { DepthBook, DepthMemory } from "../../engine/market-data/depth-book.ts";
import { TradeTape } from "../../engine/market-data/trade-tape.ts";
import { MarginStatuses } from "../../engine/risk/margin-status.ts";
import { convertTicks, markNow, midOf } from "../../engine/risk/mark-price.ts";
import { apply } from "../../engine/state/apply/apply.ts";
import {
  type AcceptedOrder,
  type Amendment,
  isAmendment,
} from "../../engine/state/apply/order-posting.ts";
import { legIdsOf, type OrderList } from "../../engine/state/orders/order-lists.ts";
import { OrderFlag } from "../../engine/state/orders/order-table.ts";
import type { StateObserver } from "../../engine/state/state-observer.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";
import type { HistoryStore, OrderRecord } from "../../ports/journal/history-store.ts";
import {
  type BookChange,
  noteJoined,
  noteLeft,
  noteReduced,
  noteTraded,
} from "./market-data/book-changes.ts";
import { recallView } from "./market-data/recalled-view.ts";
import { OpenOrderTexts } from "./orders/open-order-texts.ts";
import { CancelWatch, ClosedOrders, RecentMap } from "./orders/recent-orders.ts";

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

/** One fill of an order that is being answered. */
export interface OrderFill {
  readonly tradeId: number;
  readonly price: number;
  readonly qty: number;
  /** Fee in minor units of the asset received. */
  readonly fee: bigint;
}

/** Market data of one market. */
export interface MarketView {
  readonly market: Market;
  readonly depth: DepthBook;
  readonly tape: TradeTape;
  readonly candles: readonly Candles[];
  /** By interval: the last trade in the candles that storage had. Trades up to it are not added again. */
  readonly storedTradeIds: number[];
  /** Seq and time of the event that last changed the depth. */
  depthSeq: number;
  depthUs: number;
  /** Changes in the queues of the book that are not published yet; null while nobody follows its orders. */
  changes: BookChange[] | null;
}

export interface ReadModelOptions {
  /** Returns whether a request on this front waits for an answer about the account's orders. */
  isAwaited(account: number): boolean;
  /** Milliseconds between funding settlements. */
  readonly fundingIntervalMs: number;
}

export class ReadModel implements StateObserver {
  readonly state: VenueState;
  readonly closed = new ClosedOrders();
  readonly cancels = new CancelWatch();
  readonly views: readonly MarketView[];
  readonly openOrders: OpenOrderTexts;
  /** Ranks positions for deleveraging, over this model's state. */
  readonly riskScan: RiskScan;
  /** Milliseconds between funding settlements. */
  readonly fundingIntervalMs: number;
  readonly #options: ReadModelOptions;
  /** Lists, kept because the events after their end still show them. */
  readonly #lists = new RecentMap<number, OrderList>(closedListsKept);
  readonly #fills = new RecentMap<number, OrderFill[]>(filledOrdersKept);
  /**
   * Time of the last event before this model was created. Any earlier change, which this model did not see, happened at
   * this time or before.
   */
  readonly #startUs: number;
  readonly #balanceUs = new Float64Array(reservedMemory(8 * accountsMax));
  readonly #positionUs = new Float64Array(reservedMemory(8 * accountsMax * marketsMax));
  /**
   * The last match that self-trade prevention prevented. Later events of the same transaction report how many lots each
   * of the two orders lost.
   */
  prevented: MatchPrevented | null = null;
  /** Id of the order being placed by the current transaction: it enters the depth when the transaction ends. */
  incoming = 0;
  /** What the order of the current event showed in the depth before it, in lots. */
  #shownBefore = 0;

  /** Continues from `state`; its open orders become the depth. */
  constructor(state: VenueState, options: ReadModelOptions) {
    this.state = state;
    this.openOrders = new OpenOrderTexts(state, (slot) => this.record(slot, OrderStatus.open));
    this.riskScan = new RiskScan(state, new MarginStatuses(state));
    this.#startUs = state.tsUs;
    this.#options = options;
    this.fundingIntervalMs = options.fundingIntervalMs;
    // The depth needs at most one level for each open order.
    const depthMemory = new DepthMemory(ordersOpenMax);
    this.views = state.table.markets.map((market) => ({
      market,
      depth: new DepthBook(depthMemory),
      tape: new TradeTape(),
      candles: candleIntervals.map(({ ms }) => new Candles(ms)),
      storedTradeIds: candleIntervals.map(() => 0),
      depthSeq: state.seq,
      depthUs: state.tsUs,
      changes: null,
    }));
    for (const slot of state.orders.openSlots()) {
      if (state.orders.isOnBook(slot)) this.#addToDepth(slot);
    }
    for (const { listId } of state.orderLists.all()) this.#keepList(listId);
  }

  /** Loads trade history and candles from storage, before the first event is folded. */
  async recall(history: HistoryStore, nowMs: number): Promise<void> {
    await Promise.all(this.views.map((view) => recallView(view, history, nowMs)));
  }

  /** Folds the next committed event. */
  fold(event: VenueEvent): void {
    if (changesDepth(event) && event.orderId !== this.incoming) {
      this.#removeFromDepth(event);
    }
    apply(this.state, event, this);
    if (entersBook(event) && this.#isOnBook(event.orderId)) {
      this.#settleIncoming();
      this.incoming = event.orderId;
    } else if (event.kind === EventKind.traded) {
      this.#print(event);
    } else if (event.kind === EventKind.orderListAccepted) {
      this.#keepList(event.listId);
    } else if (event.kind === EventKind.matchPrevented) {
      this.prevented = event;
    } else if (staysQueued(event) && event.orderId !== this.incoming) {
      this.#loseShown(event);
    }
    if (event.isTransactionEnd) this.#settleIncoming();
  }

  /** The market's view; markets are never removed. */
  view(market: Market): MarketView {
    const view = this.views[market.id];
    if (view === undefined) throw new RangeError(`the read model has no market ${market.id}`);
    return view;
  }

  /** Mark of a market in ticks; 0 if the market has no mark. */
  mark(market: Market): number {
    return markNow(this.state, market.id, this.#mid(market));
  }

  /**
   * Index of a market in ticks: the last journaled index or, if there is none, the middle of the base coin's spot book.
   * 0 if the index is unknown.
   */
  index(market: Market): number {
    const journaled = this.state.index[market.id] ?? 0;
    if (journaled > 0) return journaled;
    if (market.indexMarket === null) return 0;
    const spot = this.state.table.market(market.indexMarket);
    return convertTicks(this.#mid(spot), spot, market);
  }

  /** The account's order, if it is in memory: open or recently closed. */
  order(account: number, orderId: number): OrderRecord | undefined {
    const slot = this.state.orders.slotOf(orderId);
    const order = slot >= 0 ? this.record(slot, OrderStatus.open) : this.closed.find(orderId);
    return order?.account === account ? order : undefined;
  }

  /** The account's newest order in memory with that client id; an open order takes precedence over closed ones. */
  orderByClientId(account: number, clientId: string): OrderRecord | undefined {
    const { orders } = this.state;
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
      if (orders.clientId(slot) === clientId) return this.record(slot, OrderStatus.open);
    }
    return this.closed.findByClientId(account, clientId);
  }

  /** The account's list, if it is in memory: open, or accepted since this model was created. */
  list(account: number, listId: number): OrderList | undefined {
    const list = this.state.orderLists.byId(listId) ?? this.#lists.get(listId);
    return list?.account === account ? list : undefined;
  }

  /** The account's open list with that client id. */
  listByClientId(account: number, clientId: string): OrderList | undefined {
    return this.state.orderLists.byClientId(account, clientId);
  }

  /** The account's open lists, by id. */
  openLists(account: number): OrderList[] {
    const { orders, orderLists } = this.state;
    const found = new Map<number, OrderList>();
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
      if (!orders.has(slot, OrderFlag.listed)) continue;
      const list = orderLists.of(orders.orderId[slot] ?? 0);
      if (list !== undefined) found.set(list.listId, list);
    }
    return [...found.values()].sort((one, other) => one.listId - other.listId);
  }

  /** The orders of the account's list that are in memory. */
  listedOrders(account: number, listId: number): OrderRecord[] {
    const list = this.list(account, listId);
    if (list === undefined) return [];
    return legIdsOf(list).flatMap((orderId) => this.order(account, orderId) ?? []);
  }

  /** A copy of the order in `slot`. */
  record(slot: number, status: OrderStatus): OrderRecord {
    const { orders } = this.state;
    // Each field is copied separately, because spreading an object of options would take longer than everything else
    // here.
    const order: Writable<OrderRecord> = {
      orderId: orders.orderId[slot] ?? 0,
      account: orders.account[slot] ?? 0,
      market: orders.market[slot] ?? 0,
      side: (orders.side[slot] ?? 0) as Side,
      type: (orders.type[slot] ?? 0) as OrderType,
      timeInForce: (orders.timeInForce[slot] ?? 0) as TimeInForce,
      price: orders.price[slot] ?? 0,
      qty: orders.qty[slot] ?? 0,
      filledQty: orders.filledQty[slot] ?? 0,
      filledQuote: orders.filledQuote[slot] ?? 0n,
      status,
      clientId: orders.clientId(slot),
      isReduceOnly: orders.has(slot, OrderFlag.reduceOnly),
      stpMode: (orders.stpMode[slot] ?? 0) as StpMode,
      quoteQty: 0n,
      goodTillUs: 0,
      triggerPrice: 0,
      workingPrice: WorkingPrice.last,
      trailingBps: 0,
      activationPrice: 0,
      closesPosition: false,
      icebergQty: 0,
      triggeredUs: 0,
      listId: 0,
      isPending: false,
      isRefused: false,
      acceptedUs: orders.acceptedUs[slot] ?? 0,
      updatedUs: orders.updatedUs[slot] ?? 0,
    };
    if (orders.has(slot, OrderFlag.special)) addOptions(this.state, slot, order);
    return order;
  }

  /** Returns the fills of an order just placed, and removes them from memory. */
  takeFills(orderId: number): readonly OrderFill[] {
    const fills = this.#fills.get(orderId) ?? [];
    this.#fills.delete(orderId);
    return fills;
  }

  /** Time in microseconds of the account's last balance change that this model folded; 0 if it folded none. */
  balanceUs(account: number): number {
    return this.#sinceOpening(account, this.#balanceUs[accountSlot(account)] ?? 0);
  }

  /**
   * Time in milliseconds of the account's last balance change. If this model folded no change, it is the time of the
   * account's opening or of the last event before this model was created, whichever is later. Never 0.
   */
  balanceMs(account: number): number {
    const openedUs = this.state.accounts.openedUsOf(account);
    const us = this.balanceUs(account) || Math.max(openedUs, this.#startUs);
    return Math.floor((us || this.state.tsUs) / 1000);
  }

  /**
   * Time in milliseconds of a position's last change; 0 if the position is flat and this model folded no change of it.
   */
  positionMs(account: number, market: Market): number {
    const changedUs = this.#positionUs[accountSlot(account) * marketsMax + market.id] ?? 0;
    const seenUs = this.#sinceOpening(account, changedUs);
    const isOpen = this.state.positions.qty(account, market.id) !== 0;
    return Math.floor((seenUs || (isOpen ? this.#startUs : 0)) / 1000);
  }

  orderOpened(slot: number): void {
    if (this.openOrders.isUsed) this.openOrders.forget(slot);
  }

  orderChanged(slot: number): void {
    if (this.openOrders.isUsed) this.openOrders.forget(slot);
  }

  sliceShown(slot: number): void {
    this.#addToDepth(slot);
  }

  orderClosed(slot: number, status: OrderStatus): void {
    if (this.openOrders.isUsed) this.openOrders.forget(slot);
    const order = this.record(slot, status);
    this.closed.add(order);
    if (status === OrderStatus.cancelled) this.cancels.add(this.state.seq, order);
  }

  balanceChanged(account: number, wallet: Wallet, _asset: number): void {
    if (wallet === Wallet.perp) this.riskScan.balanceChanged(account, wallet);
    this.#balanceUs[accountSlot(account)] = this.state.tsUs;
  }

  positionChanged(account: number, market: number): void {
    this.riskScan.positionChanged(account);
    this.#positionUs[accountSlot(account) * marketsMax + market] = this.state.tsUs;
  }

  /**
   * Returns `us`, the time stored in the account's slot, or 0 if that time belongs to a previous account in the
   * slot.
   */
  #sinceOpening(account: number, us: number): number {
    return us >= this.state.accounts.openedUsOf(account) ? us : 0;
  }

  #mid(market: Market): number {
    const { depth } = this.view(market);
    return midOf(depth.best(Side.buy), depth.best(Side.sell));
  }

  #print(event: Traded): void {
    const view = this.view(this.state.table.market(event.market));
    view.depth.remove(opposite(event.takerSide), event.price, event.qty);
    view.depthSeq = event.seq;
    view.depthUs = event.tsUs;
    if (view.changes !== null) noteTraded(view.changes, this.state.orders, event);
    const { tradeId, tsUs, takerOrderId, price, qty, takerSide } = event;
    const quote = orderValue(view.market, asPriceTicks(price), asQtyLots(qty));
    // In a gateway, storage may already have trades that are later than the state with which this model began.
    if (tradeId > (view.tape.newest()?.tradeId ?? 0))
      view.tape.add({ tradeId, tsUs, takerOrderId, price, qty, takerSide });
    for (let index = 0; index < view.candles.length; index++) {
      if (tradeId > (view.storedTradeIds[index] ?? 0))
        view.candles[index]?.add({ tsUs, price, qty, quote, takerSide });
    }
    if (view.market.kind !== MarketKind.spot || !this.#options.isAwaited(event.account)) return;
    const fills = this.#fills.get(event.takerOrderId);
    const fill = { tradeId, price, qty, fee: event.takerFee };
    if (fills !== undefined) fills.push(fill);
    else this.#fills.set(event.takerOrderId, [fill]);
  }

  #keepList(listId: number): void {
    const list = this.state.orderLists.byId(listId);
    if (list !== undefined) this.#lists.set(listId, list);
  }

  #isOnBook(orderId: number): boolean {
    const { orders } = this.state;
    const slot = orders.slotOf(orderId);
    return slot >= 0 && orders.isOnBook(slot);
  }

  /** Adds the order just placed to the depth if it is still open. */
  #settleIncoming(): void {
    if (this.incoming === 0) return;
    const { orders, seq } = this.state;
    const slot = orders.slotOf(this.incoming);
    this.incoming = 0;
    if (slot < 0 || !orders.isOnBook(slot)) return;
    const { changes } = this.#addToDepth(slot);
    if (changes !== null) noteJoined(changes, orders, slot, seq);
  }

  /** Takes from the depth what an order that keeps its place has lost of its shown lots. */
  #loseShown(event: StaysQueued): void {
    const { orders } = this.state;
    const slot = orders.slotOf(event.orderId);
    const lost = this.#shownBefore - orders.shownLots(slot);
    // An iceberg order loses hidden lots first, which nobody may notice: not even the update id of the depth.
    if (lost === 0) return;
    const view = this.view(this.state.table.market(orders.market[slot] ?? 0));
    view.depth.remove((orders.side[slot] ?? 0) as Side, orders.price[slot] ?? 0, lost);
    view.depthSeq = event.seq;
    view.depthUs = event.tsUs;
    if (view.changes !== null) noteReduced(view.changes, orders, slot, event);
  }

  #addToDepth(slot: number): MarketView {
    const { orders, seq, tsUs } = this.state;
    const view = this.view(this.state.table.market(orders.market[slot] ?? 0));
    view.depth.add(
      (orders.side[slot] ?? 0) as Side,
      orders.price[slot] ?? 0,
      orders.shownLots(slot),
    );
    view.depthSeq = seq;
    view.depthUs = tsUs;
    return view;
  }

  /**
   * Removes an order that leaves its place from the depth, if it is in the book, before the event is applied. Of one that
   * keeps its place it notes what it shows.
   */
  #removeFromDepth(event: OrderClosed | Amendment | OrderReduced): void {
    const { orders } = this.state;
    const slot = orders.slotOf(event.orderId);
    if (!orders.isOnBook(slot)) return;
    this.#shownBefore = orders.shownLots(slot);
    if (staysQueued(event)) return;
    const view = this.view(this.state.table.market(orders.market[slot] ?? 0));
    const side = (orders.side[slot] ?? 0) as Side;
    view.depth.remove(side, orders.price[slot] ?? 0, this.#shownBefore);
    view.depthSeq = event.seq;
    view.depthUs = event.tsUs;
    if (view.changes !== null) noteLeft(view.changes, orders, slot, event);
  }
}

/** Adds the fields that only special orders use. */
function addOptions(state: VenueState, slot: number, order: Writable<OrderRecord>): void {
  const { orders, orderLists } = state;
  if (orders.has(slot, OrderFlag.listed)) {
    order.listId = orderLists.of(order.orderId)?.listId ?? 0;
    order.isPending = orders.has(slot, OrderFlag.pending);
  }
  order.isRefused = orders.has(slot, OrderFlag.refused);
  order.quoteQty = orders.quoteQty[slot] ?? 0n;
  order.goodTillUs = orders.goodTillUs[slot] ?? 0;
  order.triggerPrice = orders.triggerPrice[slot] ?? 0;
  order.workingPrice = (orders.workingPrice[slot] ?? 0) as WorkingPrice;
  order.trailingBps = orders.trailingBps[slot] ?? 0;
  order.activationPrice = orders.activationPrice[slot] ?? 0;
  order.closesPosition = orders.has(slot, OrderFlag.closesPosition);
  order.icebergQty = orders.icebergQtyOf(slot);
  order.triggeredUs = orders.triggeredUs[slot] ?? 0;
}

/**
 * Returns whether the event closes, amends or reduces an order. Such an order must leave the depth before the event is
 * folded.
 */
function changesDepth(event: VenueEvent): event is OrderClosed | Amendment | OrderReduced {
  return (
    event.kind === EventKind.orderClosed ||
    event.kind === EventKind.orderReduced ||
    isAmendment(event)
  );
}

type StaysQueued = OrderReduced | (Amendment & { readonly isRequeued: false });

/** Returns whether the event takes lots from an order in a book that keeps its place in the queue. */
function staysQueued(event: VenueEvent): event is StaysQueued {
  if (isAmendment(event)) return !event.isRequeued;
  return event.kind === EventKind.orderReduced;
}

/**
 * Returns whether the event places or triggers an order, or amends it so that it joins a queue again. If the order then
 * rests in the book, it enters the depth when the transaction ends.
 */
export function entersBook(event: VenueEvent): event is AcceptedOrder | OrderTriggered | Amendment {
  return (
    event.kind === EventKind.orderAccepted ||
    event.kind === EventKind.specialAccepted ||
    event.kind === EventKind.icebergAccepted ||
    event.kind === EventKind.orderTriggered ||
    (isAmendment(event) && event.isRequeued)
  );
}
