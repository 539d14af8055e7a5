// Builds the statements of HistoryStore as text and values. An unused condition is left out of the text instead of
// being disabled by a null. Each combination of conditions therefore has a generic plan that reads only the rows it
// returns. Times are converted to ids, so that one index serves conditions on ids and on times. The test of the plans
// runs every statement of this file.

import { EventKind } from "../../../../core/generated/events.ts";
import { autoclosePrefix } from "../../../../core/liquidation.ts";
import { OrderStatus, OrderType } from "../../../../core/orders.ts";
import {
  type CandleQuery,
  type FillQuery,
  type FoldedCandleQuery,
  type FundingQuery,
  type IncomeQuery,
  IncomeType,
  type NewestCandleQuery,
  type OrderQuery,
  type PaymentQuery,
  type TradeQuery,
  type TransferQuery,
} from "../../../../ports/journal/history-store.ts";
import {
  fundingPaidLayout,
  fundingStartedLayout,
  insuranceSettledLayout,
  movedBetweenAccountsLayout,
  positionMovedLayout,
} from "../../../../wire/generated/event-layout.ts";
import { accountBytes } from "../event-bytes.ts";
import { type BoundStatement, Values } from "./bound-statement.ts";
import { ofAccount } from "./forced-closes.ts";

const closedStatuses = Object.values(OrderStatus)
  .filter((status) => status !== OrderStatus.open)
  .join(", ");

/** True for a query that reads forward from a start; false if the newest rows are wanted. */
export function isFromStart(query: FillQuery | OrderQuery | TradeQuery): boolean {
  const from = "fromOrderId" in query ? query.fromOrderId : query.fromTradeId;
  return from !== null || query.startUs !== null;
}

function directionOf(query: FillQuery | OrderQuery | TradeQuery): "asc" | "desc" {
  return isFromStart(query) ? "asc" : "desc";
}

export function orderByIdStatement(account: number, orderId: number): BoundStatement {
  return {
    text: "select * from orders where order_id = $1 and account = $2",
    values: [orderId, account],
  };
}

/** The ids are numbers, so they are part of the text: there are at most as many as one answer has orders. */
export function ordersByIdsStatement(account: number, orderIds: readonly number[]): BoundStatement {
  const values = new Values();
  const bound = orderIds.map((orderId) => values.bind(orderId)).join(", ");
  const text = `select * from orders where order_id in (${bound || "null"}) and account = ${values.bind(account)}
      order by order_id`;
  return { text, values: values.bound };
}

export function orderByClientIdStatement(account: number, clientId: string): BoundStatement {
  return {
    text: `select * from orders where account = $1 and client_id = $2
      order by order_id desc limit 1`,
    values: [account, clientId],
  };
}

export function ordersStatement(query: OrderQuery): BoundStatement {
  const values = new Values();
  const account = values.bind(query.account);
  const market = values.bind(query.market);
  const conditions = [`account = ${account}`, `market = ${market}`];
  const { isConditional = false, fromOrderId, beforeOrderId = null, startUs, endUs } = query;
  // The type is in the text instead of a bound value, so that the planner can use the index of conditional orders.
  if (isConditional) conditions.push(`type >= ${OrderType.stop}`);
  if (fromOrderId !== null) conditions.push(`order_id >= ${values.bind(fromOrderId)}`);
  if (beforeOrderId !== null) conditions.push(`order_id < ${values.bind(beforeOrderId)}`);
  if (startUs !== null) conditions.push(`order_id >= first_order_since(${values.bind(startUs)})`);
  if (endUs !== null) conditions.push(`order_id < first_order_since(${values.bind(endUs)})`);
  return {
    text: `select * from orders where ${conditions.join(" and ")}
      order by order_id ${directionOf(query)} limit ${values.bind(query.limit)}`,
    values: values.bound,
  };
}

/** SQL for the settlement batch of a fill: one index lookup per fill instead of a join over all batches. */
const batchOf =
  "(select batch_id from settlement_fills where settlement_fills.trade_id = both_sides.trade_id)";

/**
 * Selects an account's fills. The fills as taker and the fills as maker are read through separate indexes and limited
 * before the two lists are merged.
 */
export function fillsStatement(query: FillQuery): BoundStatement {
  const values = new Values();
  const account = values.bind(query.account);
  const market = values.bind(query.market);
  const limit = values.bind(query.limit);
  const { orderId, fromTradeId, beforeTradeId = null, startUs, endUs } = query;
  const conditions = [`market = ${market}`];
  if (fromTradeId !== null) conditions.push(`trade_id >= ${values.bind(fromTradeId)}`);
  if (beforeTradeId !== null) conditions.push(`trade_id < ${values.bind(beforeTradeId)}`);
  if (startUs !== null) conditions.push(`trade_id >= ${sinceText(market, values.bind(startUs))}`);
  if (endUs !== null) conditions.push(`trade_id < ${sinceText(market, values.bind(endUs))}`);
  const order = orderId === null ? null : values.bind(orderId);
  if (order !== null) conditions.push(...lifeOfOrder(market, account, order));
  const direction = directionOf(query);
  const side = (isMaker: boolean): string => {
    const [own, other] = isMaker ? ["maker", "taker"] : ["taker", "maker"];
    const ofOrder = order === null ? "" : ` and ${own}_order_id = ${order}`;
    return `
      (select trade_id, ts_us, price, qty, quote, taker_side, ${own}_order_id as order_id,
              ${own}_fee as fee, ${own}_pnl as pnl, ${isMaker} as is_maker,
              ${other}_account as counterparty
       from fills where ${own}_account = ${account} and ${conditions.join(" and ")}${ofOrder}
       order by trade_id ${direction} limit ${limit})`;
  };
  return {
    text: `select both_sides.*,
        (select created_us from orders where orders.order_id = both_sides.order_id) as order_created_us,
        (select coalesce(client_id like '${autoclosePrefix}%', false) from orders
         where orders.order_id = both_sides.order_id) as is_liquidation,
        (select list_id from orders where orders.order_id = both_sides.order_id) as list_id,
        trade_id <= (select trade_id from settlement_cursor where only_row) as is_taken,
        (select state from settlement_batches where batch_id = ${batchOf}) as batch_state,
        (select update_id from settlement_batches where batch_id = ${batchOf}) as update_id
      from (${side(false)} union all ${side(true)}) as both_sides
      order by trade_id ${direction}, is_maker limit ${limit}`,
    values: values.bound,
  };
}

/**
 * Returns the conditions that limit fills to an order's lifetime, from its acceptance to its end. If the order belongs
 * to another account, no fill matches.
 */
function lifeOfOrder(market: string, account: string, order: string): string[] {
  const own = `from orders where order_id = ${order} and account = ${account}`;
  const ended = `select updated_us + 1 ${own} and status in (${closedStatuses})`;
  return [
    `trade_id >= ${sinceText(market, `(select created_us ${own})`)}`,
    `trade_id < coalesce(${sinceText(market, `(${ended})`)}, ${Number.MAX_SAFE_INTEGER})`,
  ];
}

function sinceText(market: string, us: string): string {
  return `first_fill_since(${market}, ${us})`;
}

export function tradesStatement(query: TradeQuery): BoundStatement {
  const values = new Values();
  const market = values.bind(query.market);
  const conditions = [`market = ${market}`];
  const { fromTradeId, beforeTradeId, startUs, endUs } = query;
  if (fromTradeId !== null) conditions.push(`trade_id >= ${values.bind(fromTradeId)}`);
  if (beforeTradeId !== null) conditions.push(`trade_id < ${values.bind(beforeTradeId)}`);
  if (startUs !== null) conditions.push(`trade_id >= ${sinceText(market, values.bind(startUs))}`);
  if (endUs !== null) conditions.push(`trade_id < ${sinceText(market, values.bind(endUs))}`);
  return {
    text: `select trade_id, ts_us, taker_order_id, price, qty, taker_side from fills
      where ${conditions.join(" and ")}
      order by trade_id ${directionOf(query)} limit ${values.bind(query.limit)}`,
    values: values.bound,
  };
}

export function candlesSinceStatement(
  market: number,
  intervalMs: number,
  sinceMs: number,
): BoundStatement {
  return {
    // The last trade is read by the same statement, so that it belongs to the same moment as the candles.
    text: `select candles.*, (select trade_id from fills where fills.market = $1
                              order by trade_id desc limit 1) as through_trade_id
      from candles where market = $1 and interval_ms = $2 and open_time_ms >= $3
      order by open_time_ms`,
    values: [market, intervalMs, sinceMs],
  };
}

export function candlesStatement(query: CandleQuery): BoundStatement {
  const { market, intervalMs, fromMs, toMs, limit } = query;
  return {
    text: `select * from candles where market = $1 and interval_ms = $2
        and open_time_ms >= $3 and open_time_ms < $4
      order by open_time_ms limit $5`,
    values: [market, intervalMs, fromMs, toMs, limit],
  };
}

/**
 * SQL that merges the stored candles in [`from`, `to`) into one. Each wide candle reads its own range of the index,
 * because grouping one long range would sort on disk.
 */
function foldText(from: string, to: string): string {
  return `
        select (array_agg(open))[1] as open, max(high) as high, min(low) as low,
               (array_agg(close))[count(*)] as close, sum(volume) as volume, sum(quote) as quote,
               sum(trade_count) as trade_count, sum(taker_buy_volume) as taker_buy_volume,
               sum(taker_buy_quote) as taker_buy_quote
        from (select * from candles where market = $1 and interval_ms = $2
                and open_time_ms >= ${from} and open_time_ms < ${to}
              order by open_time_ms) as stored`;
}

export function foldedCandlesStatement(query: FoldedCandleQuery): BoundStatement {
  const { market, intervalMs, fromMs, toMs, widthMs, anchorMs } = query;
  return {
    text: `select bucket.ms as open_time_ms, folded.*
      from generate_series($3::bigint - ($3::bigint - $6::bigint) % $5::bigint, $4::bigint - 1,
                           $5::bigint) as bucket (ms)
      cross join lateral (
        ${foldText("greatest(bucket.ms, $3)", "least(bucket.ms + $5, $4)")}) as folded
      where folded.open is not null order by bucket.ms`,
    values: [market, intervalMs, fromMs, toMs, widthMs, anchorMs],
  };
}

/**
 * Selects the newest candles that contain a trade, newest first. Each older candle is found by one index lookup.
 */
export function newestCandlesStatement(query: NewestCandleQuery): BoundStatement {
  const { market, intervalMs, widthMs, anchorMs, limit } = query;
  const newestBefore = (bound: string): string => `
    (select open_time_ms - (open_time_ms - $4::bigint) % $3::bigint from candles
     where market = $1 and interval_ms = $2 and open_time_ms < ${bound}
     order by open_time_ms desc limit 1)`;
  return {
    text: `with recursive bucket (ms) as (
        select ${newestBefore(`${Number.MAX_SAFE_INTEGER}`)}
        union all
        select ${newestBefore("bucket.ms")} from bucket where bucket.ms is not null)
      select bucket.ms as open_time_ms, folded.*
      from (select ms from bucket where ms is not null limit $5) as bucket
      cross join lateral (${foldText("bucket.ms", "bucket.ms + $3")}) as folded
      order by bucket.ms`,
    values: [market, intervalMs, widthMs, anchorMs, limit],
  };
}

export function candleBeforeStatement(
  market: number,
  intervalMs: number,
  beforeMs: number,
): BoundStatement {
  return {
    text: `select * from candles where market = $1 and interval_ms = $2 and open_time_ms < $3
      order by open_time_ms desc limit 1`,
    values: [market, intervalMs, beforeMs],
  };
}

/** Selects an account's fills in one market for an income query: both sides, oldest first. */
export function incomeFillsStatement(query: IncomeQuery, market: number): BoundStatement {
  const values = new Values();
  const account = values.bind(query.account);
  const ofMarket = values.bind(market);
  const limit = values.bind(query.skip + query.limit);
  const conditions = [`market = ${ofMarket}`];
  const { startUs, endUs } = query;
  if (startUs !== null) conditions.push(`trade_id >= ${sinceText(ofMarket, values.bind(startUs))}`);
  if (endUs !== null) conditions.push(`trade_id < ${sinceText(ofMarket, values.bind(endUs))}`);
  // Every fill has a commission, but not every fill has a profit: a query for profits alone skips fills without one.
  const isProfitOnly = !query.types.includes(IncomeType.commission);
  const side = (own: "taker" | "maker"): string => `
    (select trade_id, ts_us, ${own}_fee as fee, ${own}_pnl as pnl
     from fills where ${own}_account = ${account} and ${conditions.join(" and ")}
       ${isProfitOnly ? `and ${own}_pnl <> 0` : ""}
     order by trade_id limit ${limit})`;
  return {
    text: `select * from (${side("taker")} union all ${side("maker")}) as both_sides
      order by trade_id limit ${limit}`,
    values: values.bound,
  };
}

/** Selects events of an account's funding payments in one market, oldest first. */
export function fundingPaymentsStatement(query: IncomeQuery, market: number): BoundStatement {
  const values = new Values();
  const conditions = [`kind = ${EventKind.fundingPaid}`, `account = ${values.bind(query.account)}`];
  if (query.startUs !== null) conditions.push(`ts_us >= ${values.bind(query.startUs)}`);
  if (query.endUs !== null) conditions.push(`ts_us < ${values.bind(query.endUs)}`);
  conditions.push(`get_byte(body, ${fundingPaidLayout.market}) = ${values.bind(market)}`);
  return {
    text: `select body from journal where ${conditions.join(" and ")}
      order by ts_us limit ${values.bind(query.skip + query.limit)}`,
    values: values.bound,
  };
}

/** Selects events of an account's funding payments in some markets, newest first. */
export function paymentsStatement(query: PaymentQuery): BoundStatement {
  const values = new Values();
  const conditions = [`kind = ${EventKind.fundingPaid}`, `account = ${values.bind(query.account)}`];
  if (query.beforeUs !== null) conditions.push(`ts_us < ${values.bind(query.beforeUs)}`);
  const markets = query.markets.map((market) => values.bind(market)).join(", ");
  conditions.push(`get_byte(body, ${fundingPaidLayout.market}) in (${markets})`);
  return {
    text: `select body from journal where ${conditions.join(" and ")}
      order by ts_us desc limit ${values.bind(query.limit)}`,
    values: values.bound,
  };
}

/** SQL for the market in an event of a liquidation. */
const liquidationMarket = `case kind when ${EventKind.insuranceSettled} then get_byte(body, ${insuranceSettledLayout.market})
  else get_byte(body, ${positionMovedLayout.market}) end`;
/**
 * Selects events of an account's liquidations in one market, oldest first: the account's own liquidations or, with
 * `isTaken`, the positions that it received from other accounts.
 */
export function liquidationsStatement(
  query: IncomeQuery,
  market: number,
  isTaken: boolean,
): BoundStatement {
  const values = new Values();
  const account = values.bind(query.account);
  const conditions = ofAccount(account, isTaken);
  if (query.startUs !== null) conditions.push(`ts_us >= ${values.bind(query.startUs)}`);
  if (query.endUs !== null) conditions.push(`ts_us < ${values.bind(query.endUs)}`);
  conditions.push(`${liquidationMarket} = ${values.bind(market)}`);
  return {
    text: `select body from journal where ${conditions.join(" and ")}
      order by ts_us limit ${values.bind(query.skip + query.limit)}`,
    values: values.bound,
  };
}

/** Selects events of a market's funding settlements: oldest first if there is a start time, otherwise newest first. */
export function fundingsStatement(query: FundingQuery, market: number): BoundStatement {
  const values = new Values();
  const marketOffset = fundingStartedLayout.market;
  const conditions = [
    `kind = ${EventKind.fundingStarted}`,
    `get_byte(body, ${marketOffset}) = ${values.bind(market)}`,
  ];
  if (query.startUs !== null) conditions.push(`ts_us >= ${values.bind(query.startUs)}`);
  if (query.endUs !== null) conditions.push(`ts_us < ${values.bind(query.endUs)}`);
  return {
    text: `select body from journal where ${conditions.join(" and ")}
      order by ts_us ${query.startUs === null ? "desc" : "asc"} limit ${values.bind(query.limit)}`,
    values: values.bound,
  };
}

const { credited, transferred, granted } = EventKind;
/** Condition of the index over credits, transfers and grants. */
const ofWallets = `kind in (${credited}, ${transferred}, ${granted})`;

/**
 * Selects events of an account's credits and transfers, also of those from and to other accounts of its owner, oldest
 * first. Each kind has an index of its own.
 */
export function transfersStatement(query: IncomeQuery, limit: number): BoundStatement {
  const values = new Values();
  const account = `account = ${values.bind(query.account)}`;
  const number = `decode(${values.bind(accountBytes(query.account))}, 'hex')`;
  const ofFamily = `kind = ${EventKind.movedBetweenAccounts}`;
  const received = `substring(body from ${movedBetweenAccountsLayout.receiver + 1} for 4) = ${number}`;
  const times: string[] = [];
  if (query.startUs !== null) times.push(`ts_us >= ${values.bind(query.startUs)}`);
  if (query.endUs !== null) times.push(`ts_us < ${values.bind(query.endUs)}`);
  const rows = values.bind(limit);
  const selected = [
    [ofWallets, account],
    [ofFamily, account],
    [ofFamily, received],
  ].map(
    (conditions) =>
      `(select ts_us, body from journal where ${[...conditions, ...times].join(" and ")}
        order by ts_us limit ${rows})`,
  );
  return {
    text: `select body from (${selected.join(" union all ")}) as moved order by ts_us limit ${rows}`,
    values: values.bound,
  };
}

/** Selects an account's transfers in a time range, newest first. */
export function movesBetweenWalletsStatement(query: TransferQuery): BoundStatement {
  const { account, startUs, endUs, limit } = query;
  return {
    // The first condition repeats the condition of the index, so that the index applies.
    text: `select seq, body from journal where ${ofWallets} and kind = ${transferred} and account = $1
      and ts_us >= $2 and ts_us < $3 order by ts_us desc limit $4`,
    values: [account, startUs, endUs, limit],
  };
}

/** Selects events of commission that an account claimed, oldest first. */
export function claimsStatement(query: IncomeQuery): BoundStatement {
  const values = new Values();
  const conditions = [
    `kind = ${EventKind.rewardClaimed}`,
    `account = ${values.bind(query.account)}`,
  ];
  if (query.startUs !== null) conditions.push(`ts_us >= ${values.bind(query.startUs)}`);
  if (query.endUs !== null) conditions.push(`ts_us < ${values.bind(query.endUs)}`);
  return {
    text: `select body from journal where ${conditions.join(" and ")}
      order by ts_us limit ${values.bind(query.skip + query.limit)}`,
    values: values.bound,
  };
}

/** Selects an account's event by its seq. */
export function eventStatement(account: number, seq: number): BoundStatement {
  return {
    text: "select body from journal where seq = $1 and account = $2",
    values: [seq, account],
  };
}
