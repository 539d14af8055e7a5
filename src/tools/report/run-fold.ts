// Folds the journal with the venue's own read model, and keeps what the accounts of the report did: their orders with the
// queue that each joined, their fills, and what each incoming order met. Decides nothing and asks no clock.

import { entersBook, ReadModel } from "../../adapters/gateway/read-model.ts";
import { AccountType } from "../../core/accounts.ts";
import { numberAt } from "../../core/assert.ts";
import { EventKind, type Traded, type VenueEvent } from "../../core/generated/events.ts";
import { LiquidationStage } from "../../core/liquidation.ts";
import { orderValue } from "../../core/markets.ts";
import { asPriceTicks, asQtyLots, bigintOf } from "../../core/money/amounts.ts";
import { opposite, type Side } from "../../core/orders.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";
import { AccountRun } from "./account-run.ts";
import { AccountValues } from "./account-value.ts";
import { LevelQueues } from "./level-queues.ts";
import { MarketWatch } from "./market-watch.ts";
import type { Sweep, TrackedOrder } from "./tracked-orders.ts";

/** Accounts that one report is about; of more, those that act first. */
export const accountsMax = 50;
/** Orders and fills that are kept: some hundred megabytes. */
const ordersMax = 300_000;
const fillsMax = 300_000;
const equityEveryUs = 1_000_000;

export interface RunOptions {
  /** The account of the report; null for every member. */
  readonly account: number | null;
  /** Events before this one are folded, and not reported. */
  readonly fromSeq: number;
  readonly fundingIntervalMs: number;
}

/** An order that joined a queue by the current event. */
interface Joined {
  readonly level: string;
  readonly lots: number;
}

export class RunFold {
  readonly state: VenueState;
  readonly values: AccountValues;
  readonly watches: readonly MarketWatch[];
  readonly runs = new Map<number, AccountRun>();
  /** Accounts that acted when `accountsMax` were kept already. */
  readonly others = new Set<number>();
  readonly #options: RunOptions;
  readonly #model: ReadModel;
  readonly #queues: LevelQueues;
  readonly #timed = new Set<MarketWatch>();
  readonly #sweeps = new Map<number, Sweep>();
  readonly #touched = new Set<MarketWatch>();
  readonly #changed = new Set<AccountRun>();
  /** Best prices that the order of the current event meets. */
  #bests = { bid: 0, ask: 0 };
  #nextEquityUs = 0;
  #orders = 0;
  #fills = 0;

  /** Continues from `state`. */
  constructor(state: VenueState, options: RunOptions) {
    this.state = state;
    this.#options = options;
    const { fundingIntervalMs } = options;
    this.#model = new ReadModel(state, { isAwaited: () => false, fundingIntervalMs });
    this.#queues = new LevelQueues(state);
    this.watches = this.#model.views.map(({ market, depth }) => new MarketWatch(market, depth));
    this.values = new AccountValues(state, this.watches);
  }

  fold(event: VenueEvent): void {
    for (const watch of this.#timed) watch.passTime(event.tsUs);
    const isReported = event.seq >= this.#options.fromSeq;
    if (isReported) this.#noteBefore(event);
    const { incoming } = this.#model;
    this.#model.fold(event);
    this.#count(event, incoming);
    if (isReported) {
      this.#noteAfter(event);
      this.#noteArrivals(event, incoming);
    }
    if ("market" in event) this.#touch(event.market);
    if (event.isTransactionEnd) this.#endTransaction(event.tsUs, isReported);
  }

  /** Brings orders that are still open, and all equities, up to the end. */
  end(): void {
    const { orders } = this.state;
    for (const run of this.runs.values()) {
      const { account } = run;
      for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot))
        this.#refresh(account, numberAt(orders.orderId, slot));
      run.equity.add(this.state.tsUs, this.values.of(account));
    }
  }

  /** The run of an account that the report is about; null for others. */
  #runOf(account: number): AccountRun | null {
    const run = this.runs.get(account);
    if (run !== undefined) return run;
    if (!this.#isWanted(account)) return null;
    if (this.runs.size >= accountsMax) {
      this.others.add(account);
      return null;
    }
    const equity = this.values.of(account);
    const made = new AccountRun(account, this.state.tsUs, equity);
    made.equity.add(this.state.tsUs, equity);
    this.runs.set(account, made);
    return made;
  }

  #isWanted(account: number): boolean {
    const { account: wanted } = this.#options;
    if (wanted !== null) return account === wanted && this.state.accounts.exists(account);
    const type = this.state.accounts.typeOf(account);
    return type === AccountType.standard || type === AccountType.wallet;
  }

  /** Opens the runs of those whose orders the event is about, and sees the book that an incoming order meets. */
  #noteBefore(event: VenueEvent): void {
    if ("orderId" in event || event.kind === EventKind.traded) this.#runOf(event.account);
    if (event.kind === EventKind.traded) this.#runOf(event.makerAccount);
    if (!entersBook(event) || !this.runs.has(event.account)) return;
    const watch = this.watches[event.market];
    if (watch !== undefined) this.#bests = { bid: watch.bid, ask: watch.ask };
  }

  #noteAfter(event: VenueEvent): void {
    if (event.kind === EventKind.traded) {
      this.#noteTrade(event);
      return;
    }
    const run = this.runs.get(event.account);
    if (event.kind === EventKind.movedBetweenAccounts) {
      const value = this.values.priced(event.asset, event.amount);
      this.#deposit(run, -value);
      this.#deposit(this.runs.get(event.receiver), value);
    }
    if (run === undefined) return;
    this.#changed.add(run);
    if ("orderId" in event) this.#noteOrder(event, run);
    else this.#noteMoney(event, run);
  }

  #noteOrder(event: VenueEvent & { readonly orderId: number }, run: AccountRun): void {
    const order = this.#refresh(run.account, event.orderId);
    if (order === null) return;
    if (event.kind === EventKind.orderClosed) order.reason = event.reason;
    if (!entersBook(event)) return;
    const { record } = order;
    const book = { side: record.side, atUs: event.tsUs, ...this.#bests };
    const traded = { lots: 0, priceLots: 0n, value: 0n, after1s: null, after10s: null };
    this.#sweeps.set(event.orderId, { order, ...book, ...traded });
  }

  #noteMoney(event: VenueEvent, run: AccountRun): void {
    if (event.kind === EventKind.credited || event.kind === EventKind.granted)
      this.#deposit(run, this.values.priced(event.asset, event.amount));
    else if (event.kind === EventKind.withdrawalRequested)
      this.#deposit(run, -this.values.priced(event.asset, event.amount));
    else if (event.kind === EventKind.fundingPaid)
      run.addFunding(this.state.table.market(event.market), event.amount);
    else if (event.kind === EventKind.positionMoved) this.#noteMoved(run, event.market, event.tsUs);
    else if (event.kind === EventKind.liquidationStaged && event.stage !== LiquidationStage.none)
      run.liquidations.push({ atUs: event.tsUs, stage: event.stage });
  }

  #noteMoved(run: AccountRun, market: number, atUs: number): void {
    const position = this.state.positions.qty(run.account, market);
    run.notePosition(this.state.table.market(market), atUs, position);
  }

  #deposit(run: AccountRun | undefined, value: bigint): void {
    if (run === undefined) return;
    run.deposits += value;
    this.#changed.add(run);
  }

  #noteTrade(event: Traded): void {
    const taker = this.runs.get(event.account);
    if (taker !== undefined) {
      const sweep = this.#sweeps.get(event.takerOrderId);
      if (sweep !== undefined) this.#addToSweep(sweep, event, taker);
      this.#addFill(event, taker, true);
    }
    const maker = this.runs.get(event.makerAccount);
    if (maker !== undefined) this.#addFill(event, maker, false);
  }

  #addToSweep(sweep: Sweep, event: Traded, run: AccountRun): void {
    const watch = this.watches[event.market];
    if (sweep.lots === 0 && watch !== undefined) {
      run.sweeps.push(sweep);
      watch.follow(sweep);
      this.#timed.add(watch);
    }
    sweep.lots += event.qty;
    sweep.priceLots += bigintOf(event.price) * bigintOf(event.qty);
    sweep.value += tradeValue(event, sweep.order);
  }

  #addFill(event: Traded, run: AccountRun, isTaker: boolean): void {
    this.#changed.add(run);
    const order = this.#refresh(run.account, isTaker ? event.takerOrderId : event.makerOrderId);
    if (order === null || this.#fills >= fillsMax) {
      run.fillsLeft++;
      return;
    }
    this.#fills++;
    if (!isTaker) order.firstMadeUs ??= event.tsUs;
    const side: Side = isTaker ? event.takerSide : opposite(event.takerSide);
    const fill = {
      ...{ tradeId: event.tradeId, order, atUs: event.tsUs, isMaker: !isTaker, side },
      ...{ price: event.price, lots: event.qty, value: tradeValue(event, order) },
      fee: isTaker ? event.takerFee : event.makerFee,
      pnl: isTaker ? event.takerPnl : event.makerPnl,
      arrival: isTaker ? null : order.arrival,
    };
    run.addFill(fill, this.state.positions.qty(run.account, event.market));
  }

  /** Takes the order as it is now; keeps it if it was not kept yet. Null if it is one too many. */
  #refresh(account: number, orderId: number): TrackedOrder | null {
    const run = this.runs.get(account);
    const record = this.#model.order(account, orderId);
    const kept = run?.orders.get(orderId);
    if (kept !== undefined) {
      if (record !== undefined) kept.record = record;
      return kept;
    }
    if (run === undefined || record === undefined) return null;
    if (this.#orders >= ordersMax) {
      run.ordersLeft++;
      return null;
    }
    this.#orders++;
    const market = this.state.table.market(record.market);
    const order = { market, record, reason: null, arrival: null, joins: 0, firstMadeUs: null };
    run.orders.set(orderId, order);
    return order;
  }

  /** Counts the orders of the event, and the one that was incoming before, at their levels. */
  #count(event: VenueEvent, before: number): void {
    const { incoming } = this.#model;
    if (before !== 0) this.#queues.update(before, incoming);
    if (event.kind === EventKind.traded) {
      this.#queues.update(event.takerOrderId, incoming);
      this.#queues.update(event.makerOrderId, incoming);
    } else if ("orderId" in event) this.#queues.update(event.orderId, incoming);
  }

  /** Orders that have joined their queues by this event, in order: the one incoming before, and that of the event. */
  #noteArrivals(event: VenueEvent, before: number): void {
    const { incoming } = this.#model;
    const joined: number[] = [];
    if (before !== 0 && before !== incoming) joined.push(before);
    if (entersBook(event) && incoming === 0 && event.orderId !== before) joined.push(event.orderId);
    let behind: Joined = { level: "", lots: 0 };
    for (const orderId of joined.reverse())
      behind = this.#noteArrival(orderId, event.tsUs, behind) ?? behind;
  }

  /** Notes the queue that an order has joined, if it rests; `behind` is what joined its level after it. */
  #noteArrival(orderId: number, atUs: number, behind: Joined): Joined | null {
    const { orders } = this.state;
    const slot = orders.slotOf(orderId);
    if (slot < 0 || !orders.isOnBook(slot)) return null;
    const [side, price] = [(orders.side[slot] ?? 0) as Side, orders.price[slot] ?? 0];
    const level = `${orders.market[slot]} ${side} ${price}`;
    const shown = orders.shownLots(slot);
    const order = this.#refresh(orders.account[slot] ?? 0, orderId);
    if (order !== null) {
      const isBehind = level === behind.level;
      const { depth } = this.#model.view(order.market);
      const lots = shown + (isBehind ? behind.lots : 0);
      order.joins++;
      order.arrival = {
        ...{ atUs, price },
        aheadLots: depth.qtyAt(side, price) - lots,
        aheadOrders: this.#queues.ordersWith(orderId) - (isBehind ? 2 : 1),
      };
    }
    return { level, lots: shown };
  }

  #touch(market: number): void {
    const watch = this.watches[market];
    if (watch !== undefined) this.#touched.add(watch);
  }

  #endTransaction(tsUs: number, isReported: boolean): void {
    this.#sweeps.clear();
    if (isReported) {
      for (const watch of this.#touched)
        watch.note(tsUs, this.state.lastPrice[watch.market.id] ?? 0);
      const isDue = tsUs >= this.#nextEquityUs;
      if (isDue) this.#nextEquityUs = tsUs + equityEveryUs;
      for (const run of isDue ? this.runs.values() : this.#changed)
        run.equity.add(tsUs, this.values.of(run.account));
    }
    this.#touched.clear();
    this.#changed.clear();
  }
}

function tradeValue({ price, qty }: Traded, { market }: TrackedOrder): bigint {
  return orderValue(market, asPriceTicks(price), asQtyLots(qty));
}
