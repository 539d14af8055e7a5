// What the read model asks of SQL because memory keeps only what is recent: older orders, fills of
// an account, and what market data starts from. Fills are committed with their events, so a read
// sees everything that was acknowledged. Types only.

import type { Wallet } from "../../core/accounts.ts";
import type { MoveCause } from "../../core/liquidation.ts";
import type { OrderOptions, OrderStatus, OrderType, Side, TimeInForce } from "../../core/orders.ts";
import type { PreventedMatch } from "../../core/prevented-matches.ts";

/** An order as the surfaces show it, whether it comes from memory or from SQL. */
export interface OrderRecord extends Readonly<OrderOptions> {
  readonly orderId: number;
  readonly account: number;
  readonly market: number;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  /** Ticks; for MARKET the protection price, which no surface shows. */
  readonly price: number;
  readonly qty: number;
  readonly filledQty: number;
  /** Traded value in quote minor units. */
  readonly filledQuote: bigint;
  readonly status: OrderStatus;
  readonly clientId: string;
  /** Conditional: microseconds at which it triggered; 0 while it waits, and for all others. */
  readonly triggeredUs: number;
  readonly acceptedUs: number;
  readonly updatedUs: number;
}

/** One side of a trade, seen by its account. */
export interface FillRecord {
  readonly tradeId: number;
  readonly tsUs: number;
  readonly market: number;
  readonly orderId: number;
  /** When its order was accepted. */
  readonly orderAcceptedUs: number;
  readonly side: Side;
  readonly isMaker: boolean;
  /** Account of the other side: decides how the fill settles. */
  readonly counterparty: number;
  readonly price: number;
  readonly qty: number;
  readonly quote: bigint;
  /** Minor units of the asset received (spot) or of the margin asset (perpetuals). */
  readonly fee: bigint;
  readonly pnl: bigint;
  /** State of the batch it settles in (ports/ledger/batch-states.ts); null for none. */
  readonly batchState: number | null;
  /** Whether settlement has looked at it: without a batch it then never reaches the ledger. */
  readonly isTaken: boolean;
  /** The ledger's update that settled it. */
  readonly updateId: string | null;
}

/**
 * Newest `limit` fills that fit, ascending by trade id; with `fromTradeId` or `startUs` the oldest
 * that fit, so that a client can read on.
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
 * Newest `limit` orders that fit, ascending by order id; with `fromOrderId` or `startUs` the oldest
 * that fit. Times are those of acceptance.
 */
export interface OrderQuery {
  readonly account: number;
  readonly market: number;
  /** Conditional orders alone, triggered or not; else all. */
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
 * Newest `limit` trades of a market that fit, ascending by trade id; with `fromTradeId` or `startUs`
 * the oldest that fit.
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

/** One print of the public tape. */
export interface TapeRecord {
  readonly tradeId: number;
  readonly tsUs: number;
  /** The incoming order: prints of one order at one price are one aggregate trade. */
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
 * Buckets of `widthMs`, which begin a multiple of it from `anchorMs`, each put together from the
 * stored buckets of `intervalMs` with fromMs ≤ openTimeMs < toMs that lie in it.
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
 * The newest `limit` buckets of `widthMs` that hold a trade, which begin a multiple of it from
 * `anchorMs`, each put together from the stored buckets of `intervalMs` that lie in it.
 */
export interface NewestCandleQuery {
  readonly market: number;
  readonly intervalMs: number;
  readonly widthMs: number;
  readonly anchorMs: number;
  readonly limit: number;
}

/** Stored buckets of one market and one of the stored intervals. */
export interface CandleQuery {
  readonly market: number;
  readonly intervalMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
}

/** `insurance`: what liquidations paid, cost, or realised by positions that moved without a trade. */
export const IncomeType = {
  transfer: 0,
  realisedPnl: 1,
  commission: 2,
  funding: 3,
  insurance: 4,
  /** Referral commission that was claimed. */
  rebate: 5,
} as const;
export type IncomeType = (typeof IncomeType)[keyof typeof IncomeType];

/** What changed the perpetual wallet of an account, oldest first. */
export interface IncomeQuery {
  readonly account: number;
  /**
   * The perpetual markets asked about; transfers and rebates belong to none and come only without
   * `isOfMarket`.
   */
  readonly markets: readonly number[];
  readonly isOfMarket: boolean;
  readonly types: readonly IncomeType[];
  /** Inclusive. */
  readonly startUs: number | null;
  /** Exclusive. */
  readonly endUs: number | null;
  /** Rows left out before the first: pages reach `incomeRowsMax` rows, further on by `startUs`. */
  readonly skip: number;
  readonly limit: number;
}

/** Minor units that came in (above zero) or went out. */
export interface IncomeRecord {
  readonly type: IncomeType;
  readonly tsUs: number;
  readonly amount: bigint;
  /** Null for a transfer and a rebate. */
  readonly market: number | null;
  /** Null where it is the margin asset. */
  readonly asset: number | null;
  /** With the type unique for the account: the trade's id or the event's seq. */
  readonly id: number;
}

/** Settlements of markets: without `startUs` the newest. */
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
  /** 10^-8 of position value; above 0 longs paid. */
  readonly rate: bigint;
  /** Ticks; 0 where there was no mark. */
  readonly mark: number;
}

/**
 * What the venue closed for an account: the newest `limit` that fit, with `startUs` the oldest, ascending
 * either way.
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

/** Positions that went from the account, or with `isTaken` came to it by deleveraging. */
export interface MoveQuery extends LiquidationQuery {
  readonly isTaken: boolean;
}

/** A position that moved without orders, seen by one of both accounts. */
export interface MoveRecord {
  /** Its event's. */
  readonly seq: number;
  readonly tsUs: number;
  readonly account: number;
  readonly market: number;
  /** Signed lots as they were held by the account they left. */
  readonly qty: number;
  /** Signed minor units at which they changed hands. */
  readonly value: bigint;
  /** Ticks. */
  readonly price: number;
  readonly cause: MoveCause;
  /** True for the account they came to. */
  readonly isTaken: boolean;
}

/** Money that an account moved between its wallets. */
export interface TransferRecord {
  /** Its event's; it names the transfer. */
  readonly seq: number;
  readonly tsUs: number;
  readonly from: Wallet;
  readonly to: Wallet;
  readonly asset: number;
  readonly amount: bigint;
}

/** Which transfers of an account a page lists, newest first. */
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
  /** Microseconds, exclusive; events have times of their own. */
  readonly beforeUs: number | null;
  readonly limit: number;
}

/** What one position paid or received. */
export interface PaymentRecord {
  readonly market: number;
  readonly tsUs: number;
  /** Minor units of the margin asset; below 0 the account paid. */
  readonly amount: bigint;
  /** Signed lots. */
  readonly qty: number;
  /** 10^-8 of position value. */
  readonly rate: bigint;
  readonly mark: number;
}

/**
 * Amends of one order: the newest `limit` that fit, with `fromSeq` the oldest; ascending either way.
 */
export interface AmendmentQuery {
  readonly account: number;
  readonly orderId: number;
  /** When the order was accepted: its event has the terms before the first amend. */
  readonly acceptedUs: number;
  /** Inclusive. */
  readonly fromSeq: number | null;
  /** Inclusive. */
  readonly startUs: number | null;
  /** Exclusive. */
  readonly endUs: number | null;
  readonly limit: number;
}

/** New terms that an open order was given, and those it had until then. */
export interface AmendmentRecord {
  /** Its event's; it names the amendment. */
  readonly seq: number;
  readonly tsUs: number;
  /** Ticks. */
  readonly priceBefore: number;
  readonly price: number;
  /** Lots of the whole order. */
  readonly qtyBefore: number;
  readonly qty: number;
  /** The how manieth of its order, from 1. */
  readonly count: number;
}

/**
 * Matches of an account that self-trade prevention kept from being trades: one by its id, or the oldest
 * `limit` of an order, whichever side it was on.
 */
export interface PreventedQuery {
  readonly account: number;
  readonly market: number;
  /** Its event's seq; null for those of an order. */
  readonly matchId: number | null;
  readonly orderId: number;
  /** Inclusive. */
  readonly fromMatchId: number;
  readonly limit: number;
}

export interface PreventedRecord extends Readonly<PreventedMatch> {
  /** Its event's; it names the match. */
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
  /** Both sides of a trade with oneself are two fills. */
  fillsOfAccount(query: FillQuery): Promise<FillRecord[]>;
  /**
   * Orders of an account in one market. An order is there once it is acknowledged; its state may lag
   * what memory knows by as long as projections are held together.
   */
  ordersOfAccount(query: OrderQuery): Promise<OrderRecord[]>;
  trades(query: TradeQuery): Promise<TapeRecord[]>;
  /** Newest `limit` trades of the market, ascending. */
  tape(market: number, limit: number): Promise<TapeRecord[]>;
  /** Buckets with openTimeMs ≥ `sinceMs`, ascending. */
  candles(market: number, intervalMs: number, sinceMs: number): Promise<CandleRecord[]>;
  /** At most `limit` of the oldest stored buckets with fromMs ≤ openTimeMs < toMs, ascending. */
  candlesBetween(query: CandleQuery): Promise<CandleRecord[]>;
  /** Buckets wider than the stored ones, ascending; those without a trade are left out. */
  foldedCandles(query: FoldedCandleQuery): Promise<CandleRecord[]>;
  /** Ascending; however long ago the market last traded. */
  newestCandles(query: NewestCandleQuery): Promise<CandleRecord[]>;
  /** The newest stored bucket that opens before `beforeMs`, or null. */
  candleBefore(market: number, intervalMs: number, beforeMs: number): Promise<CandleRecord | null>;
  /**
   * Ascending by time. Each fill has a commission, zero included, and a realised profit if it is not
   * zero. Asserts that skip + limit stay within `incomeRowsMax`.
   */
  income(query: IncomeQuery): Promise<IncomeRecord[]>;
  /** Ascending by time. */
  fundings(query: FundingQuery): Promise<FundingRecord[]>;
  /** The venue's own orders that closed positions of the account, by order id. */
  liquidationOrders(query: LiquidationQuery): Promise<OrderRecord[]>;
  positionMoves(query: MoveQuery): Promise<MoveRecord[]>;
  /** Newest first. Asserts at least one market. */
  fundingPayments(query: PaymentQuery): Promise<PaymentRecord[]>;
}
