// What memory no longer holds: older orders, fills, and where market data starts from. Projections,
// written with their events; only order states may lag a moment, and those are still in memory.

import { derivedClientId, orderIdOfDerived } from "../../../core/client-id.ts";
import type { OrderStatus, OrderType, Side, TimeInForce } from "../../../core/orders.ts";
import { opposite } from "../../../core/orders.ts";
import type {
  CandleQuery,
  CandleRecord,
  FillQuery,
  FillRecord,
  HistoryStore,
  OrderQuery,
  OrderRecord,
  TapeRecord,
  TradeQuery,
} from "../../../ports/history-store.ts";
import type { Sql } from "../connection.ts";

interface OrderRow {
  readonly order_id: string;
  readonly created_us: string;
  readonly updated_us: string;
  readonly price: string;
  readonly qty: string;
  readonly filled_qty: string;
  readonly filled_quote: string;
  readonly account: number;
  readonly market: number;
  readonly side: number;
  readonly type: number;
  readonly time_in_force: number;
  readonly status: number;
  readonly client_id: string | null;
}

interface FillRow {
  readonly trade_id: string;
  readonly ts_us: string;
  readonly price: string;
  readonly qty: string;
  readonly quote: string;
  readonly order_id: string;
  readonly is_maker: boolean;
  readonly fee: string;
  readonly pnl: string;
  readonly taker_side: number;
  readonly counterparty: number;
}

interface TapeRow {
  readonly trade_id: string;
  readonly taker_order_id: string;
  readonly ts_us: string;
  readonly price: string;
  readonly qty: string;
  readonly taker_side: number;
}

interface CandleRow {
  readonly open_time_ms: string;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly quote: string;
  readonly trade_count: string;
  readonly taker_buy_volume: string;
  readonly taker_buy_quote: string;
}

export class PostgresHistory implements HistoryStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async orderById(account: number, orderId: number): Promise<OrderRecord | null> {
    const [row] = await this.#sql<OrderRow[]>`
      select * from orders where order_id = ${orderId} and account = ${account}`;
    return row === undefined ? null : orderOf(row);
  }

  async orderByClientId(account: number, clientId: string): Promise<OrderRecord | null> {
    const derived = orderIdOfDerived(clientId);
    if (derived > 0) {
      const order = await this.orderById(account, derived);
      return order?.clientId === clientId ? order : null;
    }
    const [row] = await this.#sql<OrderRow[]>`
      select * from orders where account = ${account} and client_id = ${clientId}
      order by order_id desc limit 1`;
    return row === undefined ? null : orderOf(row);
  }

  async fillsOfAccount(query: FillQuery): Promise<FillRecord[]> {
    const { account, market, orderId, fromTradeId, startUs, endUs, limit } = query;
    // Who names a start reads on from there; else the newest are meant.
    const isFromStart = fromTradeId !== null || startUs !== null;
    const direction = isFromStart ? this.#sql`asc` : this.#sql`desc`;
    // Each side is read by its own index and cut, before the two are put together.
    const side = (isMaker: boolean) => {
      const sql = this.#sql;
      const own = isMaker
        ? sql`maker_order_id as order_id, maker_fee as fee, maker_pnl as pnl, true as is_maker,
              taker_account as counterparty`
        : sql`taker_order_id as order_id, taker_fee as fee, taker_pnl as pnl, false as is_maker,
              maker_account as counterparty`;
      const accountColumn = isMaker ? sql`maker_account` : sql`taker_account`;
      const orderColumn = isMaker ? sql`maker_order_id` : sql`taker_order_id`;
      return sql`
        (select trade_id, ts_us, price, qty, quote, taker_side, ${own} from fills
         where ${accountColumn} = ${account} and market = ${market}
           and (${orderId}::bigint is null or ${orderColumn} = ${orderId})
           and (${fromTradeId}::bigint is null or trade_id >= ${fromTradeId})
           and (${startUs}::bigint is null or ts_us >= ${startUs})
           and (${endUs}::bigint is null or ts_us < ${endUs})
         order by trade_id ${direction} limit ${limit})`;
    };
    const rows = await this.#sql<FillRow[]>`
      select * from (${side(false)} union all ${side(true)}) as both_sides
      order by trade_id ${direction}, is_maker limit ${limit}`;
    const ordered = isFromStart ? [...rows] : [...rows].reverse();
    return ordered.map((row) => fillOf(row, market));
  }

  async ordersOfAccount(query: OrderQuery): Promise<OrderRecord[]> {
    const { account, market, fromOrderId, startUs, endUs, limit } = query;
    const isFromStart = fromOrderId !== null || startUs !== null;
    const rows = await this.#sql<OrderRow[]>`
      select * from orders where account = ${account} and market = ${market}
        and (${fromOrderId}::bigint is null or order_id >= ${fromOrderId})
        and (${startUs}::bigint is null or created_us >= ${startUs})
        and (${endUs}::bigint is null or created_us < ${endUs})
      order by order_id ${isFromStart ? this.#sql`asc` : this.#sql`desc`} limit ${limit}`;
    return (isFromStart ? [...rows] : [...rows].reverse()).map(orderOf);
  }

  async trades(query: TradeQuery): Promise<TapeRecord[]> {
    const { market, fromTradeId, beforeTradeId, startUs, endUs, limit } = query;
    const isFromStart = fromTradeId !== null || startUs !== null;
    const rows = await this.#sql<TapeRow[]>`
      select trade_id, ts_us, taker_order_id, price, qty, taker_side from fills
      where market = ${market}
        and (${fromTradeId}::bigint is null or trade_id >= ${fromTradeId})
        and (${beforeTradeId}::bigint is null or trade_id < ${beforeTradeId})
        and (${startUs}::bigint is null or ts_us >= ${startUs})
        and (${endUs}::bigint is null or ts_us < ${endUs})
      order by trade_id ${isFromStart ? this.#sql`asc` : this.#sql`desc`} limit ${limit}`;
    return (isFromStart ? [...rows] : [...rows].reverse()).map(tapeOf);
  }

  async tape(market: number, limit: number): Promise<TapeRecord[]> {
    const none = { fromTradeId: null, beforeTradeId: null, startUs: null, endUs: null };
    return this.trades({ market, ...none, limit });
  }

  async candles(market: number, intervalMs: number, sinceMs: number): Promise<CandleRecord[]> {
    const rows = await this.#sql<CandleRow[]>`
      select * from candles
      where market = ${market} and interval_ms = ${intervalMs} and open_time_ms >= ${sinceMs}
      order by open_time_ms`;
    return rows.map(candleOf);
  }

  async candlesBetween(query: CandleQuery): Promise<CandleRecord[]> {
    const { market, intervalMs, fromMs, toMs, limit } = query;
    const rows = await this.#sql<CandleRow[]>`
      select * from candles
      where market = ${market} and interval_ms = ${intervalMs}
        and open_time_ms >= ${fromMs} and open_time_ms < ${toMs}
      order by open_time_ms limit ${limit}`;
    return rows.map(candleOf);
  }

  async candleBefore(
    market: number,
    intervalMs: number,
    beforeMs: number,
  ): Promise<CandleRecord | null> {
    const [row] = await this.#sql<CandleRow[]>`
      select * from candles
      where market = ${market} and interval_ms = ${intervalMs} and open_time_ms < ${beforeMs}
      order by open_time_ms desc limit 1`;
    return row === undefined ? null : candleOf(row);
  }
}

function tapeOf(row: TapeRow): TapeRecord {
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

function orderOf(row: OrderRow): OrderRecord {
  const orderId = Number(row.order_id);
  return {
    orderId,
    account: row.account,
    market: row.market,
    side: row.side as Side,
    type: row.type as OrderType,
    timeInForce: row.time_in_force as TimeInForce,
    price: Number(row.price),
    qty: Number(row.qty),
    filledQty: Number(row.filled_qty),
    filledQuote: BigInt(row.filled_quote),
    status: row.status as OrderStatus,
    clientId: row.client_id ?? derivedClientId(orderId),
    acceptedUs: Number(row.created_us),
    updatedUs: Number(row.updated_us),
  };
}

function fillOf(row: FillRow, market: number): FillRecord {
  const takerSide = row.taker_side as Side;
  return {
    tradeId: Number(row.trade_id),
    tsUs: Number(row.ts_us),
    market,
    orderId: Number(row.order_id),
    side: row.is_maker ? opposite(takerSide) : takerSide,
    isMaker: row.is_maker,
    price: Number(row.price),
    qty: Number(row.qty),
    quote: BigInt(row.quote),
    fee: BigInt(row.fee),
    pnl: BigInt(row.pnl),
    counterparty: row.counterparty,
  };
}
