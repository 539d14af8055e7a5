// The history that SQL would have, for a front under test: rows in memory, made from events.

import { Wallet } from "../../src/core/accounts.ts";
import {
  type Credited,
  EventKind,
  type FundingPaid,
  type Granted,
  type MovedBetweenAccounts,
  type PositionMoved,
  type Traded,
  type Transferred,
  type VenueEvent,
} from "../../src/core/generated/events.ts";
import { marketsMax } from "../../src/core/limits.ts";
import { autoclosePrefix, MoveCause } from "../../src/core/liquidation.ts";
import type { MarketTable } from "../../src/core/markets.ts";
import { isConditional, OrderStatus, opposite, Side } from "../../src/core/orders.ts";
import { allJoined, Candles } from "../../src/engine/market-data/candles.ts";
import type { AcceptedOrder, Amendment } from "../../src/engine/state/apply/order-posting.ts";
import {
  type AmendmentQuery,
  type AmendmentRecord,
  type CandleQuery,
  type CandleRecord,
  type FillQuery,
  type FillRecord,
  type FoldedCandleQuery,
  type FundingQuery,
  type FundingRecord,
  type HistoryStore,
  type IncomeQuery,
  type IncomeRecord,
  IncomeType,
  type LiquidationQuery,
  type MoveQuery,
  type MoveRecord,
  type NewestCandleQuery,
  type OrderListQuery,
  type OrderListRecord,
  type OrderQuery,
  type OrderRecord,
  type PaymentQuery,
  type PaymentRecord,
  type PreventedQuery,
  type PreventedRecord,
  type RecalledCandles,
  type TapeRecord,
  type TradeQuery,
  type TransferQuery,
  type TransferRecord,
} from "../../src/ports/journal/history-store.ts";
import { naiveWorth } from "../model/naive-worth.ts";
import { FakeOrderLists } from "./fake-order-lists.ts";
import { FakeOrderTraces } from "./fake-order-traces.ts";
import { changeOfClose, closed, orderOf } from "./fake-rows.ts";
import { type PriceSample, priceSamplesOf } from "./price-samples.ts";

interface OwnedFill extends FillRecord {
  readonly account: number;
}

export class FakeHistory implements HistoryStore {
  readonly #table: MarketTable;
  readonly #orders = new Map<number, OrderRecord>();
  readonly #fills: OwnedFill[] = [];
  readonly #tapes = new Map<number, TapeRecord[]>();
  /** Income that belongs to no market, by account: transfers and claimed commission. */
  readonly #transfers = new Map<number, IncomeRecord[]>();
  /** While true, every read fails. */
  isBroken = false;
  /** Error with which every read fails; null for none. */
  fault: Error | null = null;
  reads = 0;
  readonly #lists = new FakeOrderLists();
  readonly #traces = new FakeOrderTraces();
  readonly #moves = new Map<number, Transferred>();
  readonly #fundings: FundingRecord[] = [];
  readonly #payments: { readonly account: number; readonly row: IncomeRecord }[] = [];
  readonly #paid: FundingPaid[] = [];
  readonly #moved: PositionMoved[] = [];

  constructor(table: MarketTable) {
    this.#table = table;
  }

  fold(event: VenueEvent): void {
    this.#foldOrder(event);
    for (const sample of priceSamplesOf(event)) this.#sample(event, sample);
    if (event.kind === EventKind.traded) {
      this.#trade(event);
    } else if (event.kind === EventKind.fundingStarted) {
      const { market, tsUs, rate, mark } = event;
      this.#fundings.push({ market, tsUs, rate, mark });
    } else if (event.kind === EventKind.fundingPaid) {
      const { account, market, tsUs, amount, seq: id } = event;
      this.#paid.push({ ...event });
      const type = IncomeType.funding;
      this.#payments.push({ account, row: { type, tsUs, market, asset: null, id, amount } });
    } else if (event.kind === EventKind.insuranceSettled) {
      const { account, market, tsUs, amount, seq: id } = event;
      const type = IncomeType.insurance;
      this.#payments.push({ account, row: { type, tsUs, market, asset: null, id, amount } });
    } else if (event.kind === EventKind.positionMoved) {
      this.#noteMoved(event);
    } else if (event.kind === EventKind.transferred) {
      this.#move(event);
    } else if (event.kind === EventKind.movedBetweenAccounts) {
      this.#moveInFamily(event);
    } else if (event.kind === EventKind.credited || event.kind === EventKind.granted) {
      this.#move(event);
    } else if (event.kind === EventKind.rewardClaimed) {
      const { account, tsUs, amount, seq: id } = event;
      const type = IncomeType.rebate;
      this.#addTransfer(account, { type, tsUs, market: null, asset: null, id, amount });
    }
  }

  #foldOrder(event: VenueEvent): void {
    switch (event.kind) {
      case EventKind.orderAccepted:
      case EventKind.specialAccepted:
      case EventKind.icebergAccepted:
        this.#accept(event);
        break;
      case EventKind.orderListAccepted:
        this.#lists.accept(event);
        break;
      case EventKind.orderReleased:
        this.#update(event.orderId, { isPending: false, qty: event.qty, updatedUs: event.tsUs });
        break;
      case EventKind.orderTriggered: {
        const { orderId, price, qty, tsUs } = event;
        const isPending = false;
        this.#update(orderId, { price, qty, isPending, triggeredUs: tsUs, updatedUs: tsUs });
        break;
      }
      case EventKind.orderAmended:
      case EventKind.quoteAmended:
        this.#amend(event);
        break;
      case EventKind.matchPrevented:
        this.#traces.prevent(event);
        break;
      case EventKind.orderReduced: {
        const { orderId, tsUs } = event;
        const qty = (this.#orders.get(orderId)?.qty ?? 0) - event.qty;
        this.#update(orderId, { qty, updatedUs: tsUs });
        break;
      }
      case EventKind.orderClosed:
        this.#traces.close(event);
        this.#update(event.orderId, changeOfClose(event));
        break;
      default:
        break;
    }
  }

  async orderLists(query: OrderListQuery): Promise<OrderListRecord[]> {
    this.#read();
    return this.#lists.select(query);
  }

  async ordersByIds(account: number, orderIds: readonly number[]): Promise<OrderRecord[]> {
    const all = await Promise.all(orderIds.map((orderId) => this.orderById(account, orderId)));
    return all.filter((order) => order !== null);
  }

  async transferAt(account: number, seq: number): Promise<TransferRecord | null> {
    this.#read();
    const event = this.#moves.get(seq);
    if (event?.account !== account) return null;
    const { tsUs, from, to, asset, amount } = event;
    return { seq, tsUs, from, to, asset, amount };
  }

  async transfers({ account, startUs, endUs, limit }: TransferQuery): Promise<TransferRecord[]> {
    this.#read();
    return [...this.#moves]
      .filter(([, event]) => event.account === account)
      .map(([seq, { tsUs, from, to, asset, amount }]) => ({ seq, tsUs, from, to, asset, amount }))
      .filter(({ tsUs }) => tsUs >= startUs && tsUs < endUs)
      .reverse()
      .slice(0, limit);
  }

  async orderById(account: number, orderId: number): Promise<OrderRecord | null> {
    this.#read();
    const order = this.#orders.get(orderId);
    return order?.account === account ? order : null;
  }

  async orderByClientId(account: number, clientId: string): Promise<OrderRecord | null> {
    this.#read();
    const own = [...this.#orders.values()].filter((order) => order.account === account);
    return own.findLast((order) => order.clientId === clientId) ?? null;
  }

  async amendments(query: AmendmentQuery): Promise<AmendmentRecord[]> {
    this.#read();
    return this.#traces.amendments(query);
  }

  async preventedMatches(query: PreventedQuery): Promise<PreventedRecord[]> {
    this.#read();
    return this.#traces.preventedMatches(query);
  }

  async closeReasons(orders: readonly Pick<OrderRecord, "orderId">[]) {
    this.#read();
    return this.#traces.closeReasons(orders);
  }

  async fillsOfAccount(query: FillQuery): Promise<FillRecord[]> {
    this.#read();
    const fits = this.#fills.filter(
      (fill) =>
        fill.account === query.account &&
        fill.market === query.market &&
        fill.orderId === (query.orderId ?? fill.orderId) &&
        fill.tradeId >= (query.fromTradeId ?? 0) &&
        fill.tradeId < (query.beforeTradeId ?? Number.POSITIVE_INFINITY) &&
        fill.tsUs >= (query.startUs ?? 0) &&
        fill.tsUs < (query.endUs ?? Number.POSITIVE_INFINITY),
    );
    const isFromStart = query.fromTradeId !== null || query.startUs !== null;
    const cut = isFromStart ? fits.slice(0, query.limit) : fits.slice(-query.limit);
    return cut.map(({ account: _account, ...fill }) => fill);
  }

  async ordersOfAccount(query: OrderQuery): Promise<OrderRecord[]> {
    this.#read();
    const fits = [...this.#orders.values()].filter(
      (order) =>
        order.account === query.account &&
        order.market === query.market &&
        (query.isConditional !== true || isConditional(order.type)) &&
        order.orderId < (query.beforeOrderId ?? Number.POSITIVE_INFINITY) &&
        order.orderId >= (query.fromOrderId ?? 0) &&
        order.acceptedUs >= (query.startUs ?? 0) &&
        order.acceptedUs < (query.endUs ?? Number.POSITIVE_INFINITY),
    );
    const isFromStart = query.fromOrderId !== null || query.startUs !== null;
    return isFromStart ? fits.slice(0, query.limit) : fits.slice(-query.limit);
  }

  async trades(query: TradeQuery): Promise<TapeRecord[]> {
    this.#read();
    const fits = (this.#tapes.get(query.market) ?? []).filter(
      ({ tradeId, tsUs }) =>
        tradeId >= (query.fromTradeId ?? 0) &&
        tradeId < (query.beforeTradeId ?? Number.POSITIVE_INFINITY) &&
        tsUs >= (query.startUs ?? 0) &&
        tsUs < (query.endUs ?? Number.POSITIVE_INFINITY),
    );
    const isFromStart = query.fromTradeId !== null || query.startUs !== null;
    return isFromStart ? fits.slice(0, query.limit) : fits.slice(-query.limit);
  }

  async tape(market: number, limit: number): Promise<TapeRecord[]> {
    this.#read();
    return (this.#tapes.get(market) ?? []).slice(-limit);
  }

  async candles(market: number, intervalMs: number, sinceMs: number): Promise<RecalledCandles> {
    this.#read();
    const all = this.#buckets(market, intervalMs);
    const candles = all.filter(({ openTimeMs }) => openTimeMs >= sinceMs);
    const last = this.#tapes.get(market)?.at(-1)?.tradeId ?? 0;
    return { candles, throughTradeId: candles.length === 0 ? 0 : last };
  }

  async candlesBetween(query: CandleQuery): Promise<CandleRecord[]> {
    this.#read();
    return this.#buckets(query.market, query.intervalMs)
      .filter(({ openTimeMs }) => openTimeMs >= query.fromMs && openTimeMs < query.toMs)
      .slice(0, query.limit);
  }

  async foldedCandles(query: FoldedCandleQuery): Promise<CandleRecord[]> {
    const { widthMs, anchorMs } = query;
    const stored = await this.candlesBetween({ ...query, limit: Number.POSITIVE_INFINITY });
    const starts = new Map<number, CandleRecord[]>();
    for (const bucket of stored) {
      const at = bucket.openTimeMs - anchorMs;
      const startMs = Math.floor(at / widthMs) * widthMs + anchorMs;
      starts.set(startMs, [...(starts.get(startMs) ?? []), bucket]);
    }
    return [...starts].flatMap(([openTimeMs, buckets]) => {
      const folded = allJoined(buckets);
      return folded === null ? [] : [{ ...folded, openTimeMs }];
    });
  }

  async newestCandles({ limit, ...query }: NewestCandleQuery): Promise<CandleRecord[]> {
    const all = { fromMs: 0, toMs: Number.POSITIVE_INFINITY };
    return (await this.foldedCandles({ ...query, ...all })).slice(-limit);
  }

  async candleBefore(market: number, intervalMs: number, beforeMs: number) {
    this.#read();
    const earlier = this.#buckets(market, intervalMs).filter(
      ({ openTimeMs }) => openTimeMs < beforeMs,
    );
    return earlier.at(-1) ?? null;
  }

  async income(query: IncomeQuery): Promise<IncomeRecord[]> {
    this.#read();
    const { account, markets, isOfMarket, types, skip, limit } = query;
    const ofFills = this.#fills
      .filter((fill) => fill.account === account && markets.includes(fill.market))
      .flatMap(({ tsUs, market, tradeId: id, fee, pnl }): IncomeRecord[] => {
        const common = { tsUs, market, asset: null, id };
        const commission = { ...common, type: IncomeType.commission, amount: -fee };
        const profit = { ...common, type: IncomeType.realisedPnl, amount: pnl };
        return pnl === 0n ? [commission] : [profit, commission];
      });
    const ofTransfers = isOfMarket ? [] : (this.#transfers.get(account) ?? []);
    const ofFunding = this.#payments
      .filter((one) => one.account === account && markets.includes(one.row.market ?? -1))
      .map(({ row }) => row);
    return [...ofFills, ...ofTransfers, ...ofFunding]
      .filter(
        ({ type, tsUs }) =>
          types.includes(type) &&
          tsUs >= (query.startUs ?? 0) &&
          tsUs < (query.endUs ?? Number.POSITIVE_INFINITY),
      )
      .sort((a, b) => a.tsUs - b.tsUs)
      .slice(skip, skip + limit);
  }

  async fundings({ markets, startUs, endUs, limit }: FundingQuery): Promise<FundingRecord[]> {
    this.#read();
    const fits = this.#fundings.filter(
      ({ market, tsUs }) =>
        markets.includes(market) &&
        tsUs >= (startUs ?? 0) &&
        tsUs < (endUs ?? Number.POSITIVE_INFINITY),
    );
    return startUs === null ? fits.slice(-limit) : fits.slice(0, limit);
  }

  async fundingPayments(query: PaymentQuery): Promise<PaymentRecord[]> {
    this.#read();
    const fits = this.#paid.filter(
      ({ account, market, tsUs }) =>
        account === query.account &&
        query.markets.includes(market) &&
        tsUs < (query.beforeUs ?? Number.POSITIVE_INFINITY),
    );
    const newest = fits.slice(-query.limit).reverse();
    return newest.map(({ market, tsUs, amount, qty, rate, mark }) => {
      return { market, tsUs, amount, qty, rate, mark };
    });
  }

  async liquidationOrders(query: LiquidationQuery): Promise<OrderRecord[]> {
    this.#read();
    const orders = [...this.#orders.values()].filter(({ clientId }) =>
      /^autoclose-/.test(clientId),
    );
    return closed(query, orders, ({ acceptedUs }) => acceptedUs);
  }

  async positionMoves({ isTaken, ...query }: MoveQuery): Promise<MoveRecord[]> {
    this.#read();
    const moves = this.#moved
      .filter(({ cause }) => !isTaken || cause === MoveCause.deleveraging)
      .map(({ account, counterparty, ...event }) => {
        const { seq, tsUs, market, qty, value, price, cause } = event;
        const whose = isTaken ? counterparty : account;
        return { seq, tsUs, account: whose, market, qty, value, price, cause, isTaken };
      });
    return closed(query, moves, ({ tsUs }) => tsUs);
  }

  #amend(event: Amendment): void {
    const { price, qty, tsUs: updatedUs } = event;
    this.#traces.amend(event, this.#orders.get(event.orderId));
    this.#update(event.orderId, { price, qty, updatedUs });
  }

  #noteMoved(event: PositionMoved): void {
    this.#moved.push({ ...event });
    const { market, tsUs, seq: id } = event;
    const row = { type: IncomeType.insurance, tsUs, market, asset: null, id };
    const sides = [
      [event.account, event.pnl],
      [event.counterparty, event.counterpartyPnl],
    ] as const;
    for (const [account, amount] of sides) {
      if (amount !== 0n) this.#payments.push({ account, row: { ...row, amount } });
    }
  }

  /** Records an amount that entered or left the perpetual wallet. */
  #move(event: Credited | Granted | Transferred): void {
    if (event.kind === EventKind.transferred) this.#moves.set(event.seq, { ...event });
    const { account, tsUs, asset, seq: id } = event;
    const isIn = ("wallet" in event ? event.wallet : event.to) === Wallet.perp;
    const isOut = "from" in event && event.from === Wallet.perp;
    if (isIn === isOut) return;
    const amount = isIn ? event.amount : -event.amount;
    const type = IncomeType.transfer;
    this.#addTransfer(account, { type, tsUs, market: null, asset, id, amount });
  }

  /** Records what left the sender's perpetual wallet, and what entered the receiver's. */
  #moveInFamily(event: MovedBetweenAccounts): void {
    const { account, receiver, from, to, amount, tsUs, asset, seq: id } = event;
    const common = { type: IncomeType.transfer, tsUs, market: null, asset, id };
    if (from === Wallet.perp) this.#addTransfer(account, { ...common, amount: -amount });
    if (to === Wallet.perp) this.#addTransfer(receiver, { ...common, amount });
  }

  #addTransfer(account: number, record: IncomeRecord): void {
    this.#transfers.set(account, [...(this.#transfers.get(account) ?? []), record]);
  }

  #buckets(market: number, intervalMs: number): readonly CandleRecord[] {
    const candles = new Candles(intervalMs);
    const own = this.#table.market(market % marketsMax);
    for (const trade of this.#tapes.get(market) ?? []) {
      const quote = naiveWorth(own, BigInt(trade.price) * BigInt(trade.qty));
      candles.add({ ...trade, quote });
    }
    return candles.since(-1);
  }

  /** Records a computed price as a trade with quantity zero. */
  #sample({ seq, tsUs }: VenueEvent, { id, price }: PriceSample): void {
    const tape = this.#tapes.get(id) ?? [];
    const sample = { tradeId: seq, tsUs, takerOrderId: 0, price, qty: 0, takerSide: Side.sell };
    this.#tapes.set(id, [...tape, sample]);
  }

  #accept(event: AcceptedOrder): void {
    const listed = this.#lists.of(event.orderId);
    this.#orders.set(event.orderId, { ...orderOf(event), ...listed, isRefused: false });
  }

  #read(): void {
    this.reads++;
    if (this.fault !== null) throw this.fault;
    if (this.isBroken) throw new Error("the database is away");
  }

  #update(orderId: number, change: Partial<OrderRecord>): void {
    const order = this.#orders.get(orderId);
    if (order !== undefined) this.#orders.set(orderId, { ...order, ...change });
  }

  #trade(event: Traded): void {
    const { market, tsUs, tradeId, price, qty, takerSide, account, makerAccount } = event;
    const quote = naiveWorth(this.#table.market(market), BigInt(price) * BigInt(qty));
    const common = { tradeId, tsUs, market, price, qty, quote };
    const tape = this.#tapes.get(market) ?? [];
    const { takerOrderId } = event;
    this.#tapes.set(market, [...tape, { tradeId, tsUs, takerOrderId, price, qty, takerSide }]);
    const side = (orderId: number, own: Side, fee: bigint, pnl: bigint, isMaker: boolean) => {
      const order = this.#orders.get(orderId);
      if (order === undefined) return;
      const filledQty = order.filledQty + qty;
      const status = filledQty === order.qty ? OrderStatus.filled : OrderStatus.open;
      this.#update(orderId, {
        filledQty,
        filledQuote: order.filledQuote + quote,
        status,
        updatedUs: tsUs,
      });
      const counterparty = isMaker ? account : makerAccount;
      this.#fills.push({
        ...common,
        account: order.account,
        orderId,
        orderAcceptedUs: order.acceptedUs,
        isLiquidation: order.clientId.startsWith(autoclosePrefix),
        listId: order.listId,
        side: own,
        isMaker,
        counterparty,
        fee,
        pnl,
        batchState: null,
        isTaken: false,
        updateId: null,
      });
    };
    side(event.takerOrderId, takerSide, event.takerFee, event.takerPnl, false);
    side(event.makerOrderId, opposite(takerSide), event.makerFee, event.makerPnl, true);
  }
}
