// Reads data that is not kept in memory: older orders, fills, the start of market data. Projections are committed with
// their events. Only the rows of orders may be behind for a moment, in state, price and quantity; whoever asks for such an
// order gets it from memory.

import { assert } from "../../../../core/assert.ts";
import { EventKind, type VenueEvent } from "../../../../core/generated/events.ts";
import { incomeRowsMax } from "../../../../core/limits.ts";
import {
  derivedClientId,
  type OrderOptions,
  type OrderStatus,
  type OrderType,
  opposite,
  orderIdOfDerived,
  type Side,
  StpMode,
  type TimeInForce,
  WorkingPrice,
} from "../../../../core/orders.ts";
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
} from "../../../../ports/journal/history-store.ts";
import { decodeEventBytes } from "../../../../wire/records/event-bytes.ts";
import type { Sql } from "../../connection.ts";
import { numberOrNull, type Stored } from "../../rows.ts";
import type { BoundStatement } from "./bound-statement.ts";
import { closeOf, eventsAtStatement } from "./close-reasons.ts";
import { liquidationOrdersStatement, moveOf, movesStatement } from "./forced-closes.ts";
import {
  candleBeforeStatement,
  candlesSinceStatement,
  candlesStatement,
  claimsStatement,
  eventStatement,
  fillsStatement,
  foldedCandlesStatement,
  fundingPaymentsStatement,
  fundingsStatement,
  incomeFillsStatement,
  isFromStart,
  liquidationsStatement,
  movesBetweenWalletsStatement,
  newestCandlesStatement,
  orderByClientIdStatement,
  orderByIdStatement,
  ordersByIdsStatement,
  ordersStatement,
  paymentsStatement,
  tradesStatement,
  transfersStatement,
} from "./history-statements.ts";
import { incomeOfClaim, incomeOfTransfer } from "./income.ts";
import { isFromOldest, listOf, orderListsStatement } from "./order-lists.ts";
import { amendmentsOf, amendmentsStatement } from "./order-terms.ts";
import { preventedOf, preventedStatement } from "./prevented-matches.ts";

/** Options of an order that have a column of their own, and the time of its trigger. The flags share one column. */
type OptionField =
  | Exclude<keyof OrderOptions, "isReduceOnly" | "closesPosition" | "peg" | "pegOffset">
  | "triggeredUs";
type Flag = "isPending" | "isRefused";
type OptionColumns = Stored<Pick<OrderRecord, OptionField>>;

/** A row of `orders`. An order without options has nulls in their columns. */
export type OrderRow = Stored<
  Omit<OrderRecord, "acceptedUs" | "clientId" | "listId" | Flag | keyof OrderOptions | OptionField>
> & { readonly [Column in keyof OptionColumns]: OptionColumns[Column] | null } & {
  readonly created_us: string;
  readonly client_id: string | null;
  readonly flags: number | null;
  readonly list_id: string | null;
};

export function orderOf(row: OrderRow): OrderRecord {
  const orderId = Number(row.order_id);
  const flags = row.flags ?? 0;
  return {
    orderId,
    account: Number(row.account),
    market: Number(row.market),
    side: row.side as Side,
    type: row.type as OrderType,
    timeInForce: row.time_in_force as TimeInForce,
    price: Number(row.price),
    qty: Number(row.qty),
    filledQty: Number(row.filled_qty),
    filledQuote: BigInt(row.filled_quote),
    status: row.status as OrderStatus,
    clientId: row.client_id ?? derivedClientId(orderId),
    isReduceOnly: (flags & 1) !== 0,
    closesPosition: (flags & 2) !== 0,
    stpMode: (row.stp_mode ?? StpMode.skip) as StpMode,
    quoteQty: BigInt(row.quote_qty ?? 0),
    goodTillUs: Number(row.good_till_us ?? 0),
    triggerPrice: Number(row.trigger_price ?? 0),
    workingPrice: (row.working_price ?? WorkingPrice.last) as WorkingPrice,
    trailingBps: Number(row.trailing_bps ?? 0),
    activationPrice: Number(row.activation_price ?? 0),
    triggeredUs: Number(row.triggered_us ?? 0),
    icebergQty: Number(row.iceberg_qty ?? 0),
    listId: Number(row.list_id ?? 0),
    isPending: (flags & 4) !== 0,
    isRefused: (flags & 8) !== 0,
    acceptedUs: Number(row.created_us),
    updatedUs: Number(row.updated_us),
  };
}

type FillRow = Stored<Omit<FillRecord, "market" | "listId" | "orderAcceptedUs" | "side">> & {
  readonly list_id: string | null;
  readonly order_created_us: string;
  readonly taker_side: number;
};

type CandleRow = Stored<Omit<CandleRecord, "count">> & { readonly trade_count: string };

type IncomeFillRow = Stored<Pick<FillRecord, "tradeId" | "tsUs" | "fee" | "pnl">>;

export class PostgresHistory implements HistoryStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async transferAt(account: number, seq: number): Promise<TransferRecord | null> {
    const [row] = await this.#select<{ body: Buffer }>(eventStatement(account, seq));
    if (row === undefined) return null;
    const event = decodeEventBytes(row.body, 0, row.body.length);
    const { transferred, movedBetweenAccounts } = EventKind;
    if (event.kind !== transferred && event.kind !== movedBetweenAccounts) return null;
    const { tsUs, from, to, asset, amount } = event;
    const moved = { seq, tsUs, from, to, asset, amount };
    return event.kind === transferred ? moved : { ...moved, receiver: event.receiver };
  }

  async transfers(query: TransferQuery): Promise<TransferRecord[]> {
    const rows = await this.#select<{ seq: string; body: Buffer }>(
      movesBetweenWalletsStatement(query),
    );
    return rows.flatMap(({ seq, body }) => {
      const event = decodeEventBytes(body, 0, body.length);
      if (event.kind !== EventKind.transferred) return [];
      const { tsUs, from, to, asset, amount } = event;
      return [{ seq: Number(seq), tsUs, from, to, asset, amount }];
    });
  }

  async orderById(account: number, orderId: number): Promise<OrderRecord | null> {
    const [row] = await this.#select<OrderRow>(orderByIdStatement(account, orderId));
    return row === undefined ? null : orderOf(row);
  }

  async orderByClientId(account: number, clientId: string): Promise<OrderRecord | null> {
    const derived = orderIdOfDerived(clientId);
    if (derived > 0) {
      const order = await this.orderById(account, derived);
      return order?.clientId === clientId ? order : null;
    }
    const [row] = await this.#select<OrderRow>(orderByClientIdStatement(account, clientId));
    return row === undefined ? null : orderOf(row);
  }

  async amendments(query: AmendmentQuery): Promise<AmendmentRecord[]> {
    const rows = await this.#select<{ body: Buffer; earlier: string }>(amendmentsStatement(query));
    const events = rows.map(({ body }) => decodeEventBytes(body, 0, body.length));
    return amendmentsOf(events, Number(rows[0]?.earlier ?? 0));
  }

  async orderLists(query: OrderListQuery): Promise<OrderListRecord[]> {
    const rows = await this.#select<{ body: Buffer }>(orderListsStatement(query));
    const lists = rows.flatMap(({ body }) => listOf(decodeEventBytes(body, 0, body.length)));
    return isFromOldest(query) ? lists : lists.reverse();
  }

  async ordersByIds(account: number, orderIds: readonly number[]): Promise<OrderRecord[]> {
    const rows = await this.#select<OrderRow>(ordersByIdsStatement(account, orderIds));
    return rows.map(orderOf);
  }

  async preventedMatches(query: PreventedQuery): Promise<PreventedRecord[]> {
    const rows = await this.#select<{ body: Buffer }>(preventedStatement(query));
    return rows.flatMap(({ body }) => preventedOf(decodeEventBytes(body, 0, body.length)));
  }

  async fillsOfAccount(query: FillQuery): Promise<FillRecord[]> {
    const rows = await this.#select<FillRow>(fillsStatement(query));
    return ascending(query, rows).map((row) => fillOf(row, query.market));
  }

  async ordersOfAccount(query: OrderQuery): Promise<OrderRecord[]> {
    return ascending(query, await this.#select<OrderRow>(ordersStatement(query))).map(orderOf);
  }

  async trades(query: TradeQuery): Promise<TapeRecord[]> {
    return ascending(query, await this.#select<Stored<TapeRecord>>(tradesStatement(query))).map(
      tapeOf,
    );
  }

  async tape(market: number, limit: number): Promise<TapeRecord[]> {
    const none = { fromTradeId: null, beforeTradeId: null, startUs: null, endUs: null };
    return this.trades({ market, ...none, limit });
  }

  async candles(market: number, intervalMs: number, sinceMs: number): Promise<RecalledCandles> {
    const statement = candlesSinceStatement(market, intervalMs, sinceMs);
    const rows = await this.#select<CandleRow & { through_trade_id: string | null }>(statement);
    return {
      candles: rows.map(candleOf),
      throughTradeId: Number(rows[0]?.through_trade_id ?? 0),
    };
  }

  async candlesBetween(query: CandleQuery): Promise<CandleRecord[]> {
    return (await this.#select<CandleRow>(candlesStatement(query))).map(candleOf);
  }

  async foldedCandles(query: FoldedCandleQuery): Promise<CandleRecord[]> {
    return (await this.#select<CandleRow>(foldedCandlesStatement(query))).map(candleOf);
  }

  async newestCandles(query: NewestCandleQuery): Promise<CandleRecord[]> {
    return (await this.#select<CandleRow>(newestCandlesStatement(query))).map(candleOf);
  }

  async candleBefore(
    market: number,
    intervalMs: number,
    beforeMs: number,
  ): Promise<CandleRecord | null> {
    const [row] = await this.#select<CandleRow>(
      candleBeforeStatement(market, intervalMs, beforeMs),
    );
    return row === undefined ? null : candleOf(row);
  }

  async income(query: IncomeQuery): Promise<IncomeRecord[]> {
    const { types, markets, isOfMarket, skip, limit } = query;
    assert(
      skip + limit <= incomeRowsMax,
      "an income page must stay within the maximum number of rows",
    );
    const ofFills: readonly IncomeType[] = [IncomeType.realisedPnl, IncomeType.commission];
    const includesFills = types.some((type) => ofFills.includes(type));
    const includesFunding = types.includes(IncomeType.funding);
    const includesInsurance = types.includes(IncomeType.insurance);
    const includesTransfers = types.includes(IncomeType.transfer) && !isOfMarket;
    const includesRebates = types.includes(IncomeType.rebate) && !isOfMarket;
    const parts = await Promise.all([
      ...(includesFills ? markets : []).map((market) => this.#incomeOfFills(query, market)),
      ...(includesFunding ? markets : []).map((market) => this.#fundingPaid(query, market)),
      ...(includesInsurance ? markets : []).map((market) => this.#liquidations(query, market)),
      ...(includesTransfers ? [this.#transfers(query)] : []),
      ...(includesRebates ? [this.#claims(query)] : []),
    ]);
    const all = parts.flat().sort((a, b) => a.tsUs - b.tsUs || a.id - b.id || a.type - b.type);
    return all.slice(skip, skip + limit);
  }

  async fundings(query: FundingQuery): Promise<FundingRecord[]> {
    const select = async (market: number) => {
      const rows = await this.#select<{ body: Buffer }>(fundingsStatement(query, market));
      return rows.flatMap(({ body }) => fundingOf(decodeEventBytes(body, 0, body.length)));
    };
    const all = (await Promise.all(query.markets.map(select))).flat();
    all.sort((a, b) => a.tsUs - b.tsUs);
    return query.startUs === null ? all.slice(-query.limit) : all.slice(0, query.limit);
  }

  async fundingPayments(query: PaymentQuery): Promise<PaymentRecord[]> {
    assert(query.markets.length > 0, "the query must name at least one market");
    const rows = await this.#select<{ body: Buffer }>(paymentsStatement(query));
    return rows.flatMap(({ body }) => paymentOf(decodeEventBytes(body, 0, body.length)));
  }

  async liquidationOrders(query: LiquidationQuery): Promise<OrderRecord[]> {
    const select = (market: number) =>
      this.#select<OrderRow>(liquidationOrdersStatement(query, market));
    const rows = (await Promise.all(query.markets.map(select))).flat().map(orderOf);
    rows.sort((one, other) => one.orderId - other.orderId);
    return cut(query, rows);
  }

  async closeReasons(orders: readonly Pick<OrderRecord, "updatedUs">[]) {
    const statement = eventsAtStatement(orders.map(({ updatedUs }) => updatedUs));
    const rows = await this.#select<{ body: Buffer }>(statement);
    return new Map(rows.flatMap(({ body }) => closeOf(decodeEventBytes(body, 0, body.length))));
  }

  async positionMoves(query: MoveQuery): Promise<MoveRecord[]> {
    const select = (market: number) =>
      this.#select<{ body: Buffer }>(movesStatement(query, market));
    const rows = (await Promise.all(query.markets.map(select))).flat();
    const moves = rows.flatMap(({ body }) => {
      return moveOf(decodeEventBytes(body, 0, body.length), query.isTaken);
    });
    moves.sort((one, other) => one.seq - other.seq);
    return cut(query, moves);
  }

  async #fundingPaid(query: IncomeQuery, market: number): Promise<IncomeRecord[]> {
    const rows = await this.#select<{ body: Buffer }>(fundingPaymentsStatement(query, market));
    return rows.flatMap(({ body }) => incomeOfFunding(decodeEventBytes(body, 0, body.length)));
  }

  async #liquidations(query: IncomeQuery, market: number): Promise<IncomeRecord[]> {
    const select = async (isTaken: boolean) => {
      const statement = liquidationsStatement(query, market, isTaken);
      const rows = await this.#select<{ body: Buffer }>(statement);
      return rows.flatMap(({ body }) => {
        return incomeOfLiquidation(decodeEventBytes(body, 0, body.length), query.account);
      });
    };
    return (await Promise.all([select(false), select(true)])).flat();
  }

  async #claims(query: IncomeQuery): Promise<IncomeRecord[]> {
    const rows = await this.#select<{ body: Buffer }>(claimsStatement(query));
    return rows.flatMap(({ body }) => incomeOfClaim(decodeEventBytes(body, 0, body.length)));
  }

  async #incomeOfFills(query: IncomeQuery, market: number): Promise<IncomeRecord[]> {
    const rows = await this.#select<IncomeFillRow>(incomeFillsStatement(query, market));
    return rows.flatMap((row) => incomeOfFill(row, market, query.types));
  }

  /**
   * Returns transfers of the perpetual wallet. The statement also returns transfers of other wallets, so the loop
   * continues until enough rows are found.
   */
  async #transfers(query: IncomeQuery): Promise<IncomeRecord[]> {
    const wanted = query.skip + query.limit;
    const found: IncomeRecord[] = [];
    let startUs = query.startUs;
    for (;;) {
      const rows = await this.#select<{ body: Buffer }>(
        transfersStatement({ ...query, startUs }, wanted),
      );
      const events = rows.map(({ body }) => decodeEventBytes(body, 0, body.length));
      found.push(...events.flatMap((event) => incomeOfTransfer(event, query.account)));
      const last = events.at(-1);
      if (last === undefined || events.length < wanted || found.length >= wanted) return found;
      startUs = last.tsUs + 1;
    }
  }

  /** Runs a statement, which each connection prepares once per text. */
  async #select<Row extends object>({ text, values }: BoundStatement): Promise<Row[]> {
    return this.#sql.unsafe<Row[]>(text, values);
  }
}

/**
 * Returns at most `limit` of the given ascending rows: the oldest ones if the query has a start time, otherwise the
 * newest ones.
 */
function cut<Row>({ startUs, limit }: LiquidationQuery, rows: Row[]): Row[] {
  return startUs === null ? rows.slice(-limit) : rows.slice(0, limit);
}

/** Returns the rows in ascending order; queries for the newest rows return them newest first. */
function ascending<Row>(query: FillQuery | OrderQuery | TradeQuery, rows: Row[]): Row[] {
  return isFromStart(query) ? rows : rows.reverse();
}

function incomeOfFill(
  row: IncomeFillRow,
  market: number,
  types: readonly IncomeType[],
): IncomeRecord[] {
  const common = { tsUs: Number(row.ts_us), market, asset: null, id: Number(row.trade_id) };
  const records: IncomeRecord[] = [];
  if (types.includes(IncomeType.realisedPnl) && row.pnl !== "0")
    records.push({ ...common, type: IncomeType.realisedPnl, amount: BigInt(row.pnl) });
  if (types.includes(IncomeType.commission))
    records.push({ ...common, type: IncomeType.commission, amount: -BigInt(row.fee) });
  return records;
}

function incomeOfFunding(event: VenueEvent): IncomeRecord[] {
  if (event.kind !== EventKind.fundingPaid) return [];
  const { seq: id, tsUs, market, amount } = event;
  return [{ type: IncomeType.funding, tsUs, market, asset: null, id, amount }];
}

function paymentOf(event: VenueEvent): PaymentRecord[] {
  if (event.kind !== EventKind.fundingPaid) return [];
  const { market, tsUs, amount, qty, rate, mark } = event;
  return [{ market, tsUs, amount, qty, rate, mark }];
}

/** Returns the liquidation as income; empty for an event that moved no money of the account. */
function incomeOfLiquidation(event: VenueEvent, account: number): IncomeRecord[] {
  const { seq: id, tsUs } = event;
  const common = { type: IncomeType.insurance, tsUs, asset: null, id };
  if (event.kind === EventKind.insuranceSettled) {
    return [{ ...common, market: event.market, amount: event.amount }];
  }
  if (event.kind !== EventKind.positionMoved) return [];
  const amount = event.account === account ? event.pnl : event.counterpartyPnl;
  return amount === 0n ? [] : [{ ...common, market: event.market, amount }];
}

function fundingOf(event: VenueEvent): FundingRecord[] {
  if (event.kind !== EventKind.fundingStarted) return [];
  const { market, tsUs, rate, mark } = event;
  return [{ market, tsUs, rate, mark }];
}

function tapeOf(row: Stored<TapeRecord>): TapeRecord {
  return {
    tradeId: Number(row.trade_id),
    tsUs: Number(row.ts_us),
    takerOrderId: Number(row.taker_order_id),
    price: Number(row.price),
    qty: Number(row.qty),
    takerSide: row.taker_side as Side,
  };
}

function candleOf(row: CandleRow): CandleRecord {
  return {
    openTimeMs: Number(row.open_time_ms),
    open: Number(row.open),
    high: Number(row.high),
    low: Number(row.low),
    close: Number(row.close),
    volume: Number(row.volume),
    quote: BigInt(row.quote),
    count: Number(row.trade_count),
    takerBuyVolume: Number(row.taker_buy_volume),
    takerBuyQuote: BigInt(row.taker_buy_quote),
  };
}

function fillOf(row: FillRow, market: number): FillRecord {
  const takerSide = row.taker_side as Side;
  return {
    tradeId: Number(row.trade_id),
    tsUs: Number(row.ts_us),
    market,
    orderId: Number(row.order_id),
    listId: Number(row.list_id ?? 0),
    orderAcceptedUs: Number(row.order_created_us),
    isLiquidation: row.is_liquidation,
    side: row.is_maker ? opposite(takerSide) : takerSide,
    isMaker: row.is_maker,
    price: Number(row.price),
    qty: Number(row.qty),
    quote: BigInt(row.quote),
    fee: BigInt(row.fee),
    pnl: BigInt(row.pnl),
    counterparty: Number(row.counterparty),
    batchState: numberOrNull(row.batch_state),
    isTaken: row.is_taken,
    updateId: row.update_id,
  };
}
