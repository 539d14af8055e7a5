// What happened, as a closed union: the only thing that is journaled, and the only thing that
// changes state. Every event says its cause completely, so that one `apply` function, shared by
// clearing, replay, the journal's projections and the fronts' read models, derives the same
// balances, orders and positions from it everywhere. Resulting balances are not carried. The events of one command form one contiguous unit; `isUnitEnd` marks its last event.

import type { AccountType, KeyType, RateTier, Wallet } from "./accounts.ts";
import type { InsuranceCause, LiquidationStage, MoveCause, TradingGate } from "./liquidation.ts";
import type { AddedMarket, MarketStatus } from "./markets.ts";
import type { CloseReason, OrderOptions, OrderType, Side, StpMode, TimeInForce } from "./orders.ts";
import type { IndexOrigin, IndexState } from "./perpetuals/index-price.ts";
import type { FundHour, RiskTermValue } from "./perpetuals/risk-terms.ts";
import type { PreventedMatch } from "./prevented-matches.ts";
import type { RequestKey } from "./request-keys.ts";
import type { SwapMoveTerms } from "./swaps.ts";
import type { WithdrawalTerms } from "./withdrawals.ts";

/** Codes are part of the journal's format: never renumber, only add. */
export const EventKind = {
  accountOpened: 1,
  credited: 2,
  transferred: 3,
  leverageSet: 4,
  accountFlagsSet: 5,
  keyRegistered: 6,
  keyChanged: 7,
  marketStatusSet: 8,
  sessionOpened: 9,
  sessionClosed: 10,
  sessionKeySet: 11,
  orderAccepted: 16,
  traded: 17,
  orderClosed: 18,
  specialAccepted: 19,
  orderTriggered: 20,
  orderAmended: 21,
  orderReduced: 22,
  countdownSet: 23,
  marked: 24,
  premiumSampled: 25,
  fundingStarted: 26,
  fundingPaid: 27,
  requestKeyed: 28,
  referred: 29,
  rewarded: 30,
  rewardClaimed: 31,
  liquidationStaged: 32,
  insuranceSettled: 33,
  positionMoved: 34,
  tradingGateSet: 35,
  referenceSet: 36,
  basisAveraged: 37,
  walletBound: 38,
  withdrawalRequested: 39,
  withdrawalEnded: 40,
  granted: 41,
  coinsSettled: 42,
  swapMoved: 43,
  accountTypeSet: 44,
  marketAdded: 45,
  riskTermSet: 46,
  indexMeasured: 47,
  matchPrevented: 48,
  fundHourSet: 49,
} as const;
export type EventKind = (typeof EventKind)[keyof typeof EventKind];

interface EventHeader {
  /** Place in the journal, gapless from 1. */
  seq: number;
  /** Microseconds UTC, strictly increasing. */
  tsUs: number;
  /** The account whose command caused the event (for `traded` the incoming order's account). */
  account: number;
  isUnitEnd: boolean;
}

export interface AccountOpened extends EventHeader {
  kind: typeof EventKind.accountOpened;
  accountType: AccountType;
}

export interface Credited extends EventHeader {
  kind: typeof EventKind.credited;
  wallet: Wallet;
  asset: number;
  /** Below 0 what the party of a wallet-funded account took away, of its spot wallet. */
  amount: bigint;
}

/** Money that nobody deposited: the faucet's account owes it from then on. */
export interface Granted extends EventHeader {
  kind: typeof EventKind.granted;
  wallet: Wallet;
  asset: number;
  amount: bigint;
}

export interface Transferred extends EventHeader {
  kind: typeof EventKind.transferred;
  from: Wallet;
  to: Wallet;
  asset: number;
  amount: bigint;
}

export interface LeverageSet extends EventHeader {
  kind: typeof EventKind.leverageSet;
  market: number;
  leverage: number;
}

export interface AccountFlagsSet extends EventHeader {
  kind: typeof EventKind.accountFlagsSet;
  flags: number;
}

/** An account became the operator's own, or a customer's again. */
export interface AccountTypeSet extends EventHeader {
  kind: typeof EventKind.accountTypeSet;
  accountType: AccountType;
}

export interface KeyRegistered extends EventHeader {
  kind: typeof EventKind.keyRegistered;
  keyId: number;
  keyType: KeyType;
  tier: RateTier;
  permissions: number;
}

export interface KeyChanged extends EventHeader {
  kind: typeof EventKind.keyChanged;
  keyId: number;
  tier: RateTier;
  permissions: number;
  isRevoked: boolean;
}

export interface SessionOpened extends EventHeader {
  kind: typeof EventKind.sessionOpened;
  sessionId: number;
  /** Microseconds UTC. */
  expiresUs: number;
}

/** A session ended: by logout, by time, or because its account opened too many. */
export interface SessionClosed extends EventHeader {
  kind: typeof EventKind.sessionClosed;
  sessionId: number;
  /** Its key, which is revoked with it; 0 for none. */
  keyId: number;
}

/** An Ed25519 key of standard tier with READ and TRADE that lives as long as the session. */
export interface SessionKeySet extends EventHeader {
  kind: typeof EventKind.sessionKeySet;
  sessionId: number;
  keyId: number;
  /** The key it replaces, which is revoked; 0 for none. */
  replacedKeyId: number;
}

export interface MarketStatusSet extends EventHeader {
  kind: typeof EventKind.marketStatusSet;
  market: number;
  status: MarketStatus;
}

/** A market was added, on terms that stand in SQL and are pinned by their digest. */
export type MarketAdded = EventHeader & AddedMarket & { kind: typeof EventKind.marketAdded };

interface AcceptedOrder extends EventHeader {
  orderId: number;
  market: number;
  side: Side;
  type: OrderType;
  timeInForce: TimeInForce;
  /** Ticks: the limit; for MARKET the protection price at which the sweep stops. */
  price: number;
  qty: number;
  /** Perpetuals: ticks at which margin is reserved (the limit, or for sells the market if higher). */
  marginPrice: number;
  /** Perpetuals: lots that need margin, the rest only closes a position. Spot: 0. */
  marginLots: number;
  isReduceOnly: boolean;
  stpMode: StpMode;
  /** Empty when the client gave none: it is then derived from the order id. */
  clientId: string;
}

export interface OrderAccepted extends AcceptedOrder {
  kind: typeof EventKind.orderAccepted;
}

/**
 * An order with an expiry, an amount instead of lots, or a trigger. A conditional one waits off the
 * book: `price` is its limit or 0, and on perpetuals it holds no margin until it triggers.
 */
export interface SpecialAccepted extends AcceptedOrder, OrderOptions {
  kind: typeof EventKind.specialAccepted;
}

/** A conditional order went to its book, on these terms; its fills and close follow in the unit. */
export interface OrderTriggered extends EventHeader {
  kind: typeof EventKind.orderTriggered;
  orderId: number;
  market: number;
  /** Ticks: its limit, or the protection price of a market order. */
  price: number;
  /** Lots: its quantity, or those of the position it closes. */
  qty: number;
  marginPrice: number;
}

/** An open order has new terms; fills follow in the unit where it came back to the book and traded. */
export interface OrderAmended extends EventHeader {
  kind: typeof EventKind.orderAmended;
  orderId: number;
  market: number;
  price: number;
  /** Lots of the whole order, its filled part included. */
  qty: number;
  marginPrice: number;
  /** True if it has lost its place in the queue. */
  isRequeued: boolean;
}

/** Self-trade prevention took lots off an order that stays open. */
export interface OrderReduced extends EventHeader {
  kind: typeof EventKind.orderReduced;
  orderId: number;
  market: number;
  /** Lots taken off its quantity. */
  qty: number;
}

/** Two orders of the account met and did not trade. What either lost by it follows in the unit. */
export type MatchPrevented = EventHeader &
  PreventedMatch & { kind: typeof EventKind.matchPrevented };

/** When all of the account's orders in the market are cancelled; 0: not by a countdown. */
export interface CountdownSet extends EventHeader {
  kind: typeof EventKind.countdownSet;
  market: number;
  cancelAtUs: number;
}

/** The mark of a perpetual market has changed. */
export interface Marked extends EventHeader {
  kind: typeof EventKind.marked;
  market: number;
  /** Ticks; 0 where nothing gives a mark. */
  mark: number;
  /** Ticks; 0 where there is no index. */
  index: number;
}

/** One sample of how far a perpetual's mark is above its index. */
export interface PremiumSampled extends EventHeader {
  kind: typeof EventKind.premiumSampled;
  market: number;
  /** 10^-8 of the index, signed. */
  premium: bigint;
}

/** Funding of a market is settled for the positions of this moment; payments follow one by one. */
export interface FundingStarted extends EventHeader {
  kind: typeof EventKind.fundingStarted;
  market: number;
  /** 10^-8 of position value; above 0 longs pay. */
  rate: bigint;
  /** Ticks at which positions are valued; 0 without a mark: then nothing is paid. */
  mark: number;
  /** Microseconds UTC: start of the running interval, up to which boundaries are settled. */
  intervalUs: number;
}

/** What one position paid to the funding pool or received from it. */
export interface FundingPaid extends EventHeader {
  kind: typeof EventKind.fundingPaid;
  market: number;
  /** Minor units of the margin asset; below 0 the account paid. */
  amount: bigint;
  /** Signed lots of the position when the settlement started. */
  qty: number;
  rate: bigint;
  mark: number;
}

/** What stands before it in the unit was asked under an idempotency key. */
export interface RequestKeyed extends EventHeader, RequestKey {
  kind: typeof EventKind.requestKeyed;
  /** The order that came of it, or the seq of its transfer. */
  subject: number;
}

/** Another account brought this one to the venue. */
export interface Referred extends EventHeader {
  kind: typeof EventKind.referred;
  referrer: number;
}

/** Commission was accrued to a referrer, from what the fee account holds in `wallet`. */
export interface Rewarded extends EventHeader {
  kind: typeof EventKind.rewarded;
  wallet: Wallet;
  /** Minor units of the margin asset. */
  amount: bigint;
}

/** All commission that was accrued went to the perp wallet of the referrer. */
export interface RewardClaimed extends EventHeader {
  kind: typeof EventKind.rewardClaimed;
  /** Minor units of the margin asset. */
  amount: bigint;
}

/** An account's liquidation began, goes on or ended: what the venue does next with it, and when. */
export interface LiquidationStaged extends EventHeader {
  kind: typeof EventKind.liquidationStaged;
  stage: LiquidationStage;
  /** Orders of the venue in a row that traded nothing. */
  dryTries: number;
  /** Microseconds UTC of the next attempt at the earliest; 0 when the liquidation has ended. */
  nextUs: number;
}

/** Money between an account and the insurance fund. */
export interface InsuranceSettled extends EventHeader {
  kind: typeof EventKind.insuranceSettled;
  market: number;
  /** Minor units of the margin asset; above 0 the account received. */
  amount: bigint;
  cause: InsuranceCause;
}

/** Part of the account's position went to another account, without orders and fees. */
export interface PositionMoved extends EventHeader {
  kind: typeof EventKind.positionMoved;
  counterparty: number;
  market: number;
  /** Signed lots as the account held them. */
  qty: number;
  /** Signed minor units at which they changed hands; of the sign of `qty`, or 0. */
  value: bigint;
  /** Ticks: the value for one lot, rounded down. */
  price: number;
  /** Realised profit of both sides in minor units. */
  pnl: bigint;
  counterpartyPnl: bigint;
  cause: MoveCause;
}

/** Trading pauses or resumes, because of what the insurance fund is worth. */
export interface TradingGateSet extends EventHeader {
  kind: typeof EventKind.tradingGateSet;
  gate: TradingGate;
  /** Minor units: cash and unrealised profit of the fund. */
  fundEquity: bigint;
}

/** An hour of what the insurance fund loses in a perpetual begins, or its limit is reached. */
export type FundHourSet = EventHeader & FundHour & { kind: typeof EventKind.fundHourSet };

/** A source outside the venue says what a perpetual's coin is worth, or says nothing any more. */
export interface ReferenceSet extends EventHeader {
  kind: typeof EventKind.referenceSet;
  market: number;
  origin: IndexOrigin;
  /** Ticks; 0 where the source has nothing more to say. */
  price: number;
  /** Microseconds UTC until which the price holds; 0 without one. */
  untilUs: number;
}

/** The average basis of a perpetual has moved: how far the middle of its book is above its index. */
export interface BasisAveraged extends EventHeader {
  kind: typeof EventKind.basisAveraged;
  market: number;
  /** Thousandths of a tick, signed. */
  basis: number;
}

/** A term of a perpetual's risk is this from here on. */
export type RiskTermSet = EventHeader & RiskTermValue & { kind: typeof EventKind.riskTermSet };

/** What the index of a perpetual rests on has changed. */
export interface IndexMeasured extends EventHeader, IndexState {
  kind: typeof EventKind.indexMeasured;
  market: number;
}

/** The account's spot wallet mirrors its party on the ledger from here on. */
export interface WalletBound extends EventHeader {
  kind: typeof EventKind.walletBound;
  /** The AccountFlag bits that it keeps. */
  flags: number;
}

/** Money left the spot wallet for the venue's account of withdrawals, to be paid on the ledger. */
export interface WithdrawalRequested extends EventHeader, WithdrawalTerms {
  kind: typeof EventKind.withdrawalRequested;
}

/** A withdrawal was paid, its fee kept; or it was not, and all of its money went back. */
export interface WithdrawalEnded extends EventHeader {
  kind: typeof EventKind.withdrawalEnded;
  withdrawalId: number;
  asset: number;
  amount: bigint;
  fee: bigint;
  isCompleted: boolean;
}

/** Coins that fills brought to a wallet-funded account are on the ledger: they are free from here on. */
export interface CoinsSettled extends EventHeader {
  kind: typeof EventKind.coinsSettled;
  asset: number;
  amount: bigint;
}

/** A swap of the account went from one state to another, on the ledger or before it came there. */
export interface SwapMoved extends EventHeader, SwapMoveTerms {
  kind: typeof EventKind.swapMoved;
}

/** One match. A fully filled order closes by it; no further event follows for that order. */
export interface Traded extends EventHeader {
  kind: typeof EventKind.traded;
  tradeId: number;
  market: number;
  takerSide: Side;
  takerOrderId: number;
  makerOrderId: number;
  makerAccount: number;
  price: number;
  qty: number;
  /** Minor units of the asset received (spot) or of the margin asset (perpetuals). */
  takerFee: bigint;
  makerFee: bigint;
  /** Perpetuals: realised profit before fees, in minor units of the margin asset. Spot: 0. */
  takerPnl: bigint;
  makerPnl: bigint;
}

/** An order left the book unfilled in whole or part. */
export interface OrderClosed extends EventHeader {
  kind: typeof EventKind.orderClosed;
  orderId: number;
  market: number;
  reason: CloseReason;
}

export type VenueEvent =
  | AccountOpened
  | Credited
  | Granted
  | Transferred
  | LeverageSet
  | AccountFlagsSet
  | KeyRegistered
  | KeyChanged
  | MarketStatusSet
  | AccountTypeSet
  | MarketAdded
  | SessionOpened
  | SessionClosed
  | SessionKeySet
  | CountdownSet
  | Marked
  | PremiumSampled
  | FundingStarted
  | FundingPaid
  | RequestKeyed
  | Referred
  | Rewarded
  | RewardClaimed
  | LiquidationStaged
  | InsuranceSettled
  | PositionMoved
  | TradingGateSet
  | FundHourSet
  | ReferenceSet
  | BasisAveraged
  | RiskTermSet
  | IndexMeasured
  | WalletBound
  | WithdrawalRequested
  | WithdrawalEnded
  | CoinsSettled
  | SwapMoved
  | OrderAccepted
  | SpecialAccepted
  | OrderTriggered
  | OrderAmended
  | OrderReduced
  | MatchPrevented
  | Traded
  | OrderClosed;
