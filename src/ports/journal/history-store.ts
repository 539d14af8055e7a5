// Reads data from SQL that memory does not hold: older orders, an account's fills, and the starting point of market
// data. Fills are committed with their events, so a read sees every acknowledged fill. Types only.

import type { Wallet } from "../../core/accounts.ts";
import type { MoveCause } from "../../core/liquidation.ts";
import type { OrderListType } from "../../core/order-lists.ts";
import type {
  CloseReason,
  OrderOptions,
  OrderStatus,
  OrderType,
  Side,
  TimeInForce,
} from "../../core/orders.ts";
import type { PreventedMatch } from "../../core/prevented-matches.ts";

/** An order as surfaces show it, from memory or from SQL. */
export interface OrderRecord extends Readonly<Omit<OrderOptions, "peg" | "pegOffset">> {
  readonly orderId: number;
  readonly account: number;
  readonly market: number;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  /** Price in ticks. For a MARKET order it is the protection price, which is not shown to clients. */
  readonly price: number;
  readonly qty: number;
  readonly filledQty: number;
  /** Traded value in quote minor units. */
  readonly filledQuote: bigint;
  readonly status: OrderStatus;
  readonly clientId: string;
  /** Time in microseconds at which a conditional order triggered; 0 before that, and for all other orders. */
  readonly triggeredUs: number;
  /** The list that the order belongs to; 0 for none. */
  readonly listId: number;
  /** Whether the order waits for the working order of its list. */
  readonly isPending: boolean;
  /** Whether it expired because it was refused when it was to go to its book. */
  readonly isRefused: boolean;
  readonly acceptedUs: number;
  readonly updatedUs: number;
}

/** An order list as it was accepted. */
export interface OrderListRecord {
  readonly listId: number;
  readonly market: number;
  readonly type: OrderListType;
  readonly clientId: string;
  readonly acceptedUs: number;
}

/**
 * Selects order lists of an account, ascending by id: the newest `limit` that match or, with `fromListId` or `startUs`,
 * the oldest `limit`. Times are times of acceptance.
 */
export interface OrderListQuery {
  readonly account: number;
  readonly fromListId: number | null;
  /** Inclusive. */
  readonly startUs: number | null;
  /** Exclusive. */
  readonly endUs: number | null;
  /** Only lists for which the client chose this id. A derived id finds none: its list has the id in it. */
  readonly clientId: string | null;
  readonly limit: number;
}

/** One side of a trade. */
export interface FillRecord {
  readonly tradeId: number;
  readonly tsUs: number;
  readonly market: number;
  readonly orderId: number;
  /** The list of the fill's order; 0 for none. */
  readonly listId: number;
  /** Time at which the fill's order was accepted, in microseconds. */
  readonly orderAcceptedUs: number;
  /** True if the fill's order is one of the venue's liquidation orders. */
  readonly isLiquidation: boolean;
  readonly side: Side;
  readonly isMaker: boolean;
  /** Account of the other side of the trade; it decides how the fill settles. */
  readonly counterparty: number;
  readonly price: number;
  readonly qty: number;
  readonly quote: bigint;
  /** Fee in minor units of the asset received (spot) or of the margin asset (perpetuals). */
  readonly fee: bigint;
  readonly pnl: bigint;
  /** State of the settlement batch that contains the fill (ports/ledger/batch-states.ts); null if no batch does. */
  readonly batchState: number | null;
  /** True if settlement has processed the fill. A processed fill without a batch is never settled on the ledger. */
  readonly isTaken: boolean;
  /** Id of the ledger update that settled the fill; null if there is none. */
  readonly updateId: string | null;
}

/**
 * Selects fills, ascending by trade id: the newest `limit` that match or, with `fromTradeId` or `startUs`, the oldest
 * `limit`, so that a client can page on.
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
 * Selects orders, ascending by order id: the newest `limit` that match or, with `fromOrderId` or `startUs`, the oldest
 * `limit`. Times are times of acceptance.
 */
export interface OrderQuery {
  readonly account: number;
  readonly market: number;
  /** True selects only conditional orders, triggered or not. By default all orders are selected. */
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
 * Selects trades of a market, ascending by trade id: the newest `limit` that match or, with `fromTradeId` or `startUs`,
 * the oldest `limit`.
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
  /** Id of the taker order. Consecutive trades of one taker order at one price are one aggregate trade. */
  readonly takerOrderId: number;
  readonly price: number;
  readonly qty: number;
  readonly takerSide: Side;
}

/** One candle: times in milliseconds, prices in ticks, volumes in lots, quote amounts in minor units. */
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

/** The candles of a market and interval as of one moment, while a leader may commit further trades. */
export interface RecalledCandles {
  readonly candles: readonly CandleRecord[];
  /** Every trade of the market up to this one is in the candles, and none after it; 0 without candles. */
  readonly throughTradeId: number;
}

/**
 * Selects candles of `widthMs`, aligned to `anchorMs`. Each is merged from the stored candles of `intervalMs` that
 * it contains and that have fromMs ≤ openTimeMs < toMs.
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
 * Selects the newest `limit` buckets of `widthMs` that contain a trade, aligned to `anchorMs`. Each one is merged from
 * the stored buckets of `intervalMs` that it contains.
 */
export interface NewestCandleQuery {
  readonly market: number;
  readonly intervalMs: number;
  readonly widthMs: number;
  readonly anchorMs: number;
  readonly limit: number;
}

/** Selects stored buckets of one market at one of the stored intervals, with fromMs ≤ openTimeMs < toMs. */
export interface CandleQuery {
  readonly market: number;
  readonly intervalMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
}

/**
 * Types of income. `insurance`: amounts that liquidations paid or charged, or that were realised when positions were
 * moved without a trade.
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

/** Selects changes of an account's perp wallet, oldest first. */
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
   * Number of rows to skip. Paging by `skip` reaches at most `incomeRowsMax` rows; after that, continue with a later
   * `startUs`.
   */
  readonly skip: number;
  readonly limit: number;
}

/** A change of an account's perp wallet. `amount` is in minor units: above zero if received, below zero if paid. */
export interface IncomeRecord {
  readonly type: IncomeType;
  readonly tsUs: number;
  readonly amount: bigint;
  /** The market of the income; null for a transfer and a rebate. */
  readonly market: number | null;
  /** The asset of the income; null if it is the margin asset. */
  readonly asset: number | null;
  /** The trade id, or the seq of the event. It is unique per account and income type. */
  readonly id: number;
}

/** Selects funding settlements of markets: with `startUs` the oldest from then on, otherwise the newest. */
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
  /** Funding rate in 10^-8 of position value; above 0 if longs paid. */
  readonly rate: bigint;
  /** Mark in ticks; 0 if the market had no mark. */
  readonly mark: number;
}

/**
 * Selects orders by which the venue closed positions of an account, ascending: the newest `limit` that match or, with
 * `startUs`, the oldest `limit`.
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

/**
 * Selects positions that were moved away from the account or, with `isTaken`, positions that deleveraging moved to it.
 */
export interface MoveQuery extends LiquidationQuery {
  readonly isTaken: boolean;
}

/** A position moved without orders, as seen by one of the two accounts. */
export interface MoveRecord {
  /** Seq of the event that moved the position. */
  readonly seq: number;
  readonly tsUs: number;
  readonly account: number;
  readonly market: number;
  /** Signed lots, as seen by the account that gave the position up. */
  readonly qty: number;
  /** Signed value in minor units at which the position was moved. */
  readonly value: bigint;
  /** Mark in ticks. */
  readonly price: number;
  readonly cause: MoveCause;
  /** True if this account received the position. */
  readonly isTaken: boolean;
}

/** Money that an account moved between its wallets. */
export interface TransferRecord {
  /** Seq of the transfer's event, which identifies the transfer. */
  readonly seq: number;
  readonly tsUs: number;
  /** The account that received the money, if it is another one of the same owner. */
  readonly receiver?: number;
  readonly from: Wallet;
  readonly to: Wallet;
  readonly asset: number;
  readonly amount: bigint;
}

/** Selects a page of an account's transfers, newest first. */
export interface TransferQuery {
  readonly account: number;
  /** Start in microseconds, inclusive; `endUs` is exclusive. */
  readonly startUs: number;
  readonly endUs: number;
  readonly limit: number;
}

/** Selects the newest `limit` funding payments of an account in some markets, newest first. */
export interface PaymentQuery {
  readonly account: number;
  readonly markets: readonly number[];
  /** Selects payments before this time in microseconds. */
  readonly beforeUs: number | null;
  readonly limit: number;
}

/** The funding that one position paid or received. */
export interface PaymentRecord {
  readonly market: number;
  readonly tsUs: number;
  /** Minor units of the margin asset; below 0 if the account paid. */
  readonly amount: bigint;
  /** Signed lots. */
  readonly qty: number;
  /** Funding rate in 10^-8 of position value. */
  readonly rate: bigint;
  readonly mark: number;
}

/** Selects amendments of one order, ascending: the newest `limit` that match or, with `fromSeq`, the oldest `limit`. */
export interface AmendmentQuery {
  readonly account: number;
  readonly orderId: number;
  /**
   * Time at which the order was accepted, in microseconds. The event at that time has the terms before the first
   * amendment.
   */
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
  /** Seq of the amendment's event, which identifies the amendment. */
  readonly seq: number;
  readonly tsUs: number;
  /** Ticks. */
  readonly priceBefore: number;
  readonly price: number;
  /** Previous total quantity of the order in lots. */
  readonly qtyBefore: number;
  readonly qty: number;
  /** Number of this amendment among all amendments of its order, from 1. */
  readonly count: number;
}

/**
 * Selects matches of an account with itself that self-trade prevention stopped: one match by its id, or the oldest
 * `limit` matches of an order, whether it was the maker or the taker.
 */
export interface PreventedQuery {
  readonly account: number;
  readonly market: number;
  /** Id of the match, which is the seq of its event; null to query by order. */
  readonly matchId: number | null;
  readonly orderId: number;
  /** Inclusive. */
  readonly fromMatchId: number;
  readonly limit: number;
}

export interface PreventedRecord extends Readonly<PreventedMatch> {
  /** Seq of the event, which identifies the match. */
  readonly seq: number;
  readonly tsUs: number;
}

export interface HistoryStore {
  /** Returns the account's transfer with that seq, or null. */
  transferAt(account: number, seq: number): Promise<TransferRecord | null>;
  /** Returns transfers, newest first. */
  transfers(query: TransferQuery): Promise<TransferRecord[]>;
  /** Returns the account's order with that id, or null. */
  orderById(account: number, orderId: number): Promise<OrderRecord | null>;
  /** Returns the account's newest order with that client id, or null. */
  orderByClientId(account: number, clientId: string): Promise<OrderRecord | null>;
  amendments(query: AmendmentQuery): Promise<AmendmentRecord[]>;
  /** Returns matches, ascending by id. */
  /** Lists in the journal, open ones included. */
  orderLists(query: OrderListQuery): Promise<OrderListRecord[]>;
  /** The stored orders of the account among `orderIds`, ascending. */
  ordersByIds(account: number, orderIds: readonly number[]): Promise<OrderRecord[]>;
  preventedMatches(query: PreventedQuery): Promise<PreventedRecord[]>;
  /** Why these closed orders ended, by order id; without those whose end is not in the journal yet. */
  closeReasons(
    orders: readonly Pick<OrderRecord, "orderId" | "updatedUs">[],
  ): Promise<ReadonlyMap<number, CloseReason>>;
  /** Returns fills of an account. A trade of an account with itself yields two fills. */
  fillsOfAccount(query: FillQuery): Promise<FillRecord[]>;
  /**
   * Returns orders of an account in one market. An acknowledged order is always visible, but its state may lag the
   * state in memory by the delay of the projection.
   */
  ordersOfAccount(query: OrderQuery): Promise<OrderRecord[]>;
  trades(query: TradeQuery): Promise<TapeRecord[]>;
  /** Returns the newest `limit` trades of the market, ascending. */
  tape(market: number, limit: number): Promise<TapeRecord[]>;
  /** Returns buckets with openTimeMs ≥ `sinceMs`, ascending, and the last trade that they contain. */
  candles(market: number, intervalMs: number, sinceMs: number): Promise<RecalledCandles>;
  /** Returns the oldest stored buckets with fromMs ≤ openTimeMs < toMs, at most `limit`, ascending. */
  candlesBetween(query: CandleQuery): Promise<CandleRecord[]>;
  /** Returns buckets that are wider than the stored ones, ascending, without empty ones. */
  foldedCandles(query: FoldedCandleQuery): Promise<CandleRecord[]>;
  /** Returns the newest buckets with a trade, ascending, however long ago the market last traded. */
  newestCandles(query: NewestCandleQuery): Promise<CandleRecord[]>;
  /** Returns the newest stored bucket that opens before `beforeMs`, or null. */
  candleBefore(market: number, intervalMs: number, beforeMs: number): Promise<CandleRecord | null>;
  /**
   * Returns income, ascending by time. Each fill gives a record of its commission, even if it is zero, and a record of
   * its realised profit unless that is zero. Asserts that skip + limit is at most `incomeRowsMax`.
   */
  income(query: IncomeQuery): Promise<IncomeRecord[]>;
  /** Returns funding settlements, ascending by time. */
  fundings(query: FundingQuery): Promise<FundingRecord[]>;
  /** Returns the venue's orders that closed positions of the account, ascending by order id. */
  liquidationOrders(query: LiquidationQuery): Promise<OrderRecord[]>;
  positionMoves(query: MoveQuery): Promise<MoveRecord[]>;
  /** Returns funding payments, newest first. Asserts that at least one market is given. */
  fundingPayments(query: PaymentQuery): Promise<PaymentRecord[]>;
}
