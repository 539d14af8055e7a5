// Reads from SQL what memory no longer holds: older orders, an account's fills, and the starting point of
// market data. Fills are committed with their events, so a read sees everything acknowledged. Types only.

import type { Wallet } from "../../core/accounts.ts";
import type { MoveCause } from "../../core/liquidation.ts";
import type { OrderOptions, OrderStatus, OrderType, Side, TimeInForce } from "../../core/orders.ts";
import type { PreventedMatch } from "../../core/prevented-matches.ts";

/** An order as surfaces show it, from memory or from SQL. */
export interface OrderRecord extends Readonly<OrderOptions> {
  readonly orderId: number;
  readonly account: number;
  readonly market: number;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  /** In ticks. For a MARKET order the protection price, which is not shown to clients. */
  readonly price: number;
  readonly qty: number;
  readonly filledQty: number;
  /** Traded value in quote minor units. */
  readonly filledQuote: bigint;
  readonly status: OrderStatus;
  readonly clientId: string;
  /** Conditional order: microseconds at which it triggered; 0 before that and for all others. */
  readonly triggeredUs: number;
  readonly acceptedUs: number;
  readonly updatedUs: number;
}

/** One side of a trade. */
export interface FillRecord {
  readonly tradeId: number;
  readonly tsUs: number;
  readonly market: number;
  readonly orderId: number;
  /** When its order was accepted. */
  readonly orderAcceptedUs: number;
  readonly side: Side;
  readonly isMaker: boolean;
  /** Account of the other side; decides how the fill settles. */
  readonly counterparty: number;
  readonly price: number;
  readonly qty: number;
  readonly quote: bigint;
  /** Minor units of the asset received (spot) or of the margin asset (perpetuals). */
  readonly fee: bigint;
  readonly pnl: bigint;
  /** State of the batch it settles in (ports/ledger/batch-states.ts); null for none. */
  readonly batchState: number | null;
  /** Whether settlement has processed the fill. A processed fill without a batch is never settled on the ledger. */
  readonly isTaken: boolean;
  /** The ledger update that settled it. */
  readonly updateId: string | null;
}

/**
 * The newest `limit` matching fills, ascending by trade id; with `fromTradeId` or `startUs` the oldest, so
 * that a client can page on.
 */
export interface FillQuery {
  readonly account: number;
  readonly market: number;
  readonly orderId: number | null;
  readonly fromTradeId: number | null;
  /** Exclusive. */
  readonly beforeTradeId?: number | null;
  /** Inclusive. */
  readonly startUs: number | null;
  /** Exclusive. */
  readonly endUs: number | null;
  readonly limit: number;
}

/**
 * The newest `limit` matching orders, ascending by order id; with `fromOrderId` or `startUs` the oldest.
 * Times are those of acceptance.
 */
export interface OrderQuery {
  readonly account: number;
  readonly market: number;
  /** True: only conditional orders, triggered or not. Default: all. */
  readonly isConditional?: boolean;
  readonly fromOrderId: number | null;
  /** Exclusive. */
  readonly beforeOrderId?: number | null;
  /** Inclusive. */
  readonly startUs: number | null;
  /** Exclusive. */
  readonly endUs: number | null;
  readonly limit: number;
}

/**
 * The newest `limit` matching trades of a market, ascending by trade id; with `fromTradeId` or `startUs` the
 * oldest.
 */
export interface TradeQuery {
  readonly market: number;
  readonly fromTradeId: number | null;
  /** Exclusive. */
  readonly beforeTradeId: number | null;
  /** Inclusive. */
  readonly startUs: number | null;
  /** Exclusive. */
  readonly endUs: number | null;
  readonly limit: number;
}

/** One trade of the public tape. */
export interface TapeRecord {
  readonly tradeId: number;
  readonly tsUs: number;
  /** The taker order: trades of one taker at one price are one aggregate trade. */
  readonly takerOrderId: number;
  readonly price: number;
  readonly qty: number;
  readonly takerSide: Side;
}

/** One stored bucket; times in milliseconds, volumes in lots, quote in minor units. */
export interface CandleRecord {
  readonly openTimeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly quote: bigint;
  readonly count: number;
  readonly takerBuyVolume: number;
  readonly takerBuyQuote: bigint;
}

/**
 * Buckets of `widthMs`, aligned to `anchorMs`, each merged from the stored buckets of `intervalMs` within it
 * with fromMs ≤ openTimeMs < toMs.
 */
export interface FoldedCandleQuery {
  readonly market: number;
  readonly intervalMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly widthMs: number;
  readonly anchorMs: number;
}

/**
 * The newest `limit` buckets of `widthMs` with a trade, aligned to `anchorMs`, each merged from the stored
 * buckets of `intervalMs` within it.
 */
export interface NewestCandleQuery {
  readonly market: number;
  readonly intervalMs: number;
  readonly widthMs: number;
  readonly anchorMs: number;
  readonly limit: number;
}

/** Stored buckets of one market at one of the stored intervals. */
export interface CandleQuery {
  readonly market: number;
  readonly intervalMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
}

/**
 * `insurance`: amounts that liquidations paid or charged, or that were realised when positions were moved without a
 * trade.
 */
export const IncomeType = {
  transfer: 0,
  realisedPnl: 1,
  commission: 2,
  funding: 3,
  insurance: 4,
  /** Claimed referral commission. */
  rebate: 5,
} as const;
export type IncomeType = (typeof IncomeType)[keyof typeof IncomeType];

/** Changes of an account's perpetual wallet, oldest first. */
export interface IncomeQuery {
  readonly account: number;
  /**
   * The perpetual markets to include. Transfers and rebates belong to no market and are included only without
   * `isOfMarket`.
   */
  readonly markets: readonly number[];
  readonly isOfMarket: boolean;
  readonly types: readonly IncomeType[];
  /** Inclusive. */
  readonly startUs: number | null;
  /** Exclusive. */
  readonly endUs: number | null;
  /**
   * Rows to skip. Paging by `skip` reaches at most `incomeRowsMax` rows; beyond that, continue with a later `startUs`.
   */
  readonly skip: number;
  readonly limit: number;
}

/** Minor units received (above zero) or paid. */
export interface IncomeRecord {
  readonly type: IncomeType;
  readonly tsUs: number;
  readonly amount: bigint;
  /** Null for a transfer and a rebate. */
  readonly market: number | null;
  /** Null if it is the margin asset. */
  readonly asset: number | null;
  /** Unique per account together with the type: the trade id or the event's seq. */
  readonly id: number;
}

/** Funding settlements of markets: the newest without `startUs`. */
export interface FundingQuery {
  readonly markets: readonly number[];
  /** Inclusive. */
  readonly startUs: number | null;
  /** Exclusive. */
  readonly endUs: number | null;
  readonly limit: number;
}

export interface FundingRecord {
  readonly market: number;
  readonly tsUs: number;
  /** In 10^-8 of position value; above 0 longs paid. */
  readonly rate: bigint;
  /** Ticks; 0 if there was no mark. */
  readonly mark: number;
}

/**
 * Orders by which the venue closed positions of an account: the newest `limit` that match, with `startUs` the
 * oldest; ascending.
 */
export interface LiquidationQuery {
  readonly account: number;
  readonly markets: readonly number[];
  /** Inclusive. */
  readonly startUs: number | null;
  /** Exclusive. */
  readonly endUs: number | null;
  readonly limit: number;
}

/** Positions moved away from the account, or with `isTaken` moved to it by deleveraging. */
export interface MoveQuery extends LiquidationQuery {
  readonly isTaken: boolean;
}

/** A position moved without orders, as seen by one of the two accounts. */
export interface MoveRecord {
  /** Of its event. */
  readonly seq: number;
  readonly tsUs: number;
  readonly account: number;
  readonly market: number;
  /** Signed lots, as seen by the account that gave the position up. */
  readonly qty: number;
  /** Signed minor units at which they were moved. */
  readonly value: bigint;
  /** Ticks. */
  readonly price: number;
  readonly cause: MoveCause;
  /** True if this account received the position. */
  readonly isTaken: boolean;
}

/** Money moved by an account between its wallets. */
export interface TransferRecord {
  /** Of its event; identifies the transfer. */
  readonly seq: number;
  readonly tsUs: number;
  readonly from: Wallet;
  readonly to: Wallet;
  readonly asset: number;
  readonly amount: bigint;
}

/** A page of an account's transfers, newest first. */
export interface TransferQuery {
  readonly account: number;
  /** Microseconds, inclusive and exclusive. */
  readonly startUs: number;
  readonly endUs: number;
  readonly limit: number;
}

/** The newest `limit` funding payments of an account in some markets, newest first. */
export interface PaymentQuery {
  readonly account: number;
  readonly markets: readonly number[];
  /** Microseconds, exclusive. */
  readonly beforeUs: number | null;
  readonly limit: number;
}

/** What one position paid or received. */
export interface PaymentRecord {
  readonly market: number;
  readonly tsUs: number;
  /** Minor units of the margin asset; below 0 if the account paid. */
  readonly amount: bigint;
  /** Signed lots. */
  readonly qty: number;
  /** In 10^-8 of position value. */
  readonly rate: bigint;
  readonly mark: number;
}

/** Amendments of one order: the newest `limit` that match, with `fromSeq` the oldest; ascending. */
export interface AmendmentQuery {
  readonly account: number;
  readonly orderId: number;
  /** When the order was accepted: its event has the terms before the first amendment. */
  readonly acceptedUs: number;
  /** Inclusive. */
  readonly fromSeq: number | null;
  /** Inclusive. */
  readonly startUs: number | null;
  /** Exclusive. */
  readonly endUs: number | null;
  readonly limit: number;
}

/** The new terms of an amended order, and the previous ones. */
export interface AmendmentRecord {
  /** Of its event; identifies the amendment. */
  readonly seq: number;
  readonly tsUs: number;
  /** Ticks. */
  readonly priceBefore: number;
  readonly price: number;
  /** Lots of the whole order. */
  readonly qtyBefore: number;
  readonly qty: number;
  /** Number of the amendment for its order, from 1. */
  readonly count: number;
}

/**
 * Matches of an account that self-trade prevention stopped: one by its id, or the oldest `limit` of an order,
 * on either side.
 */
export interface PreventedQuery {
  readonly account: number;
  readonly market: number;
  /** The event's seq; null to query by order. */
  readonly matchId: number | null;
  readonly orderId: number;
  /** Inclusive. */
  readonly fromMatchId: number;
  readonly limit: number;
}

export interface PreventedRecord extends Readonly<PreventedMatch> {
  /** Of its event; identifies the match. */
  readonly seq: number;
  readonly tsUs: number;
}

export interface HistoryStore {
  /** The account's transfer of that seq, or null. */
  transferAt(account: number, seq: number): Promise<TransferRecord | null>;
  /** Newest first. */
  transfers(query: TransferQuery): Promise<TransferRecord[]>;
  /** The account's order of that id, or null. */
  orderById(account: number, orderId: number): Promise<OrderRecord | null>;
  /** The account's newest order with that client id, or null. */
  orderByClientId(account: number, clientId: string): Promise<OrderRecord | null>;
  amendments(query: AmendmentQuery): Promise<AmendmentRecord[]>;
  /** Ascending. */
  preventedMatches(query: PreventedQuery): Promise<PreventedRecord[]>;
  /** A trade of an account with itself yields two fills. */
  fillsOfAccount(query: FillQuery): Promise<FillRecord[]>;
  /**
   * Orders of an account in one market. An order is visible once acknowledged; its state may lag memory by
   * the projection delay.
   */
  ordersOfAccount(query: OrderQuery): Promise<OrderRecord[]>;
  trades(query: TradeQuery): Promise<TapeRecord[]>;
  /** Newest `limit` trades of the market, ascending. */
  tape(market: number, limit: number): Promise<TapeRecord[]>;
  /** Buckets with openTimeMs ≥ `sinceMs`, ascending. */
  candles(market: number, intervalMs: number, sinceMs: number): Promise<CandleRecord[]>;
  /** At most `limit` of the oldest stored buckets with fromMs ≤ openTimeMs < toMs, ascending. */
  candlesBetween(query: CandleQuery): Promise<CandleRecord[]>;
  /** Buckets wider than the stored ones, ascending, without empty ones. */
  foldedCandles(query: FoldedCandleQuery): Promise<CandleRecord[]>;
  /** Ascending; independent of when the market last traded. */
  newestCandles(query: NewestCandleQuery): Promise<CandleRecord[]>;
  /** The newest stored bucket that opens before `beforeMs`, or null. */
  candleBefore(market: number, intervalMs: number, beforeMs: number): Promise<CandleRecord | null>;
  /**
   * Ascending by time. Each fill has a commission, zero included, and a realised profit unless it is zero.
   * Asserts that skip + limit stay within `incomeRowsMax`.
   */
  income(query: IncomeQuery): Promise<IncomeRecord[]>;
  /** Ascending by time. */
  fundings(query: FundingQuery): Promise<FundingRecord[]>;
  /** The venue's orders that closed positions of the account, by order id. */
  liquidationOrders(query: LiquidationQuery): Promise<OrderRecord[]>;
  positionMoves(query: MoveQuery): Promise<MoveRecord[]>;
  /** Newest first. Asserts at least one market. */
  fundingPayments(query: PaymentQuery): Promise<PaymentRecord[]>;
}
