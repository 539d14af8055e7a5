// Everything that can be asked of clearing, as a closed union. Commands carry integers only, the
// time their source stamped on them and the deadline after which clearing refuses them unread.
// They are not journaled: what they cause is.

import type { AccountType, KeyType, RateTier, Wallet } from "./accounts.ts";
import type { AddedMarket, MarketStatus } from "./markets.ts";
import type {
  CancelCondition,
  OrderAttachments,
  OrderOptions,
  OrderType,
  Side,
  TimeInForce,
} from "./orders.ts";
import type { IndexOrigin } from "./perpetuals/index-price.ts";
import type { RiskTermValue } from "./perpetuals/risk-terms.ts";
import type { RequestKey } from "./request-keys.ts";
import type { SwapMoveTerms } from "./swaps.ts";
import type { WithdrawalTerms } from "./withdrawals.ts";

export const CommandKind = {
  placeOrder: 1,
  cancelOrder: 2,
  cancelAllOrders: 3,
  setLeverage: 4,
  transfer: 5,
  openAccount: 6,
  credit: 7,
  setAccountFlags: 8,
  registerKey: 9,
  changeKey: 10,
  setMarketStatus: 11,
  /** Changes nothing; its reply proves that everything before it is committed. */
  fence: 12,
  /** The main thread's clock: moves clearing's time forward, nothing else. */
  tick: 13,
  amendOrder: 14,
  setCountdown: 15,
  openSession: 16,
  closeSession: 17,
  setSessionKey: 18,
  /** Settles the funding of all perpetuals before its time. */
  settleFunding: 19,
  setReferrer: 20,
  /** Pays the commission that was accrued. */
  claimReward: 21,
  /** Says what a perpetual's coin is worth outside the venue. */
  setReference: 22,
  /** Gives a house account's money to the insurance fund. */
  refillFund: 23,
  /** The account's spot wallet mirrors its party on the ledger from now on. */
  bindWallet: 24,
  deposit: 25,
  requestWithdrawal: 26,
  endWithdrawal: 27,
  settleCoins: 28,
  /** Puts a step of a swap into the journal. */
  recordSwapMove: 29,
  /** Makes an account the operator's own, or a customer's again. */
  setAccountType: 30,
  /** Adds a market, which trades from the next start of the venue on. */
  addMarket: 31,
  /** Sets a term of a perpetual's risk. */
  setRiskTerm: 32,
} as const;
export type CommandKind = (typeof CommandKind)[keyof typeof CommandKind];

interface CommandHeader {
  /** Which front (or the main thread) asked: the address of the reply. */
  source: number;
  /** The source's own number for the request, an unsigned 32-bit integer. */
  correlation: number;
  /** Microseconds UTC at the source. */
  atUs: number;
  /** Microseconds UTC; clearing refuses the command when its own time is past this. */
  deadlineUs: number;
  /** The account acted upon; 0 where there is none. */
  account: number;
}

export interface PlaceOrder extends CommandHeader, OrderOptions {
  kind: typeof CommandKind.placeOrder;
  market: number;
  side: Side;
  type: OrderType;
  timeInForce: TimeInForce;
  /** Ticks; 0 for types that trade at the market. */
  price: number;
  /** Lots; 0 where `quoteQty` or `closesPosition` says how much. */
  qty: number;
  /** 1–36 characters of the client's choosing, or empty: the venue derives one. */
  clientId: string;
  /** Null for an order that comes alone. */
  attached: OrderAttachments | null;
}

export interface CancelOrder extends CommandHeader {
  kind: typeof CommandKind.cancelOrder;
  market: number;
  /** The venue's id, or 0 to find the order by `clientId`. */
  orderId: number;
  clientId: string;
  /** Absent: whatever it has traded. */
  onlyIf?: CancelCondition;
}

export interface CancelAllOrders extends CommandHeader {
  kind: typeof CommandKind.cancelAllOrders;
  market: number;
}

/** Changes price and whole quantity of an open limit order, which keeps its id. */
export interface AmendOrder extends CommandHeader {
  kind: typeof CommandKind.amendOrder;
  market: number;
  /** The venue's id, or 0 to find the order by `clientId`. */
  orderId: number;
  clientId: string;
  /** Ticks; 0 to leave the price as it is. */
  price: number;
  /** Lots of the whole order, its filled part included. */
  qty: number;
  /** The side its owner takes it to have; null or absent where none is named. */
  side?: Side | null;
  /** True for an amend that may only take lots off. */
  growsNot?: boolean;
}

/** All orders of the account in the market are cancelled at `cancelAtUs` unless it is set anew. */
export interface SetCountdown extends CommandHeader {
  kind: typeof CommandKind.setCountdown;
  market: number;
  /** Microseconds UTC; 0 switches it off. */
  cancelAtUs: number;
}

export interface SetLeverage extends CommandHeader {
  kind: typeof CommandKind.setLeverage;
  market: number;
  /** 1 … 100. */
  leverage: number;
}

export interface Transfer extends CommandHeader {
  kind: typeof CommandKind.transfer;
  from: Wallet;
  to: Wallet;
  asset: number;
  amount: bigint;
  /** What makes it the same transfer when it is asked for again; null for one that cannot be. */
  key: RequestKey | null;
}

export interface OpenAccount extends CommandHeader {
  kind: typeof CommandKind.openAccount;
  accountType: AccountType;
}

/** Money from outside the venue, or from the faucet of a venue for development. */
export interface Credit extends CommandHeader {
  kind: typeof CommandKind.credit;
  wallet: Wallet;
  asset: number;
  /** Below 0 what the party of a wallet-funded account took away, of its spot wallet. */
  amount: bigint;
  isFromFaucet: boolean;
}

/** Changes some of an account's flags; the others stay as they are, whoever set them. */
export interface SetAccountFlags extends CommandHeader {
  kind: typeof CommandKind.setAccountFlags;
  /** What the AccountFlag bits in `mask` become; a part of `mask`. */
  flags: number;
  /** The AccountFlag bits that are changed. */
  mask: number;
}

export interface RegisterKey extends CommandHeader {
  kind: typeof CommandKind.registerKey;
  /** Row of the key's material in SQL, written before the command. */
  keyId: number;
  keyType: KeyType;
  tier: RateTier;
  permissions: number;
}

/** Sets tier and permissions of a key, or revokes it for good. */
export interface ChangeKey extends CommandHeader {
  kind: typeof CommandKind.changeKey;
  keyId: number;
  tier: RateTier;
  permissions: number;
  isRevoked: boolean;
}

/** A login: what its token opens until the session ends. */
export interface OpenSession extends CommandHeader {
  kind: typeof CommandKind.openSession;
  /** Row of the token's hash in SQL, written before the command; numbered with the keys. */
  sessionId: number;
  /** Microseconds UTC. */
  expiresUs: number;
}

/** A logout. The session's key dies with it. */
export interface CloseSession extends CommandHeader {
  kind: typeof CommandKind.closeSession;
  sessionId: number;
}

/** Registers a key that lives as long as the session, in place of the one it had. */
export interface SetSessionKey extends CommandHeader {
  kind: typeof CommandKind.setSessionKey;
  sessionId: number;
  keyId: number;
}

export interface SetMarketStatus extends CommandHeader {
  kind: typeof CommandKind.setMarketStatus;
  market: number;
  status: MarketStatus;
}

export interface SetAccountType extends CommandHeader {
  kind: typeof CommandKind.setAccountType;
  /** `standard` or `house`. */
  accountType: AccountType;
}

/** The row of its terms in SQL is written before the command. */
export interface AddMarket extends CommandHeader, AddedMarket {
  kind: typeof CommandKind.addMarket;
}

export interface Fence extends CommandHeader {
  kind: typeof CommandKind.fence;
}

/** Changes nothing of its own account: the funding of all perpetual markets begins at once. */
export interface SettleFunding extends CommandHeader {
  kind: typeof CommandKind.settleFunding;
}

/** Says who referred an account that has not traded yet. */
export interface SetReferrer extends CommandHeader {
  kind: typeof CommandKind.setReferrer;
  referrer: number;
}

export interface ClaimReward extends CommandHeader {
  kind: typeof CommandKind.claimReward;
}

export interface SetReference extends CommandHeader {
  kind: typeof CommandKind.setReference;
  market: number;
  origin: IndexOrigin;
  /** Ticks; 0 to say nothing any more. */
  price: number;
  /** Microseconds UTC until which the price holds, unless it is set anew. */
  untilUs: number;
}

export interface SetRiskTerm extends CommandHeader, RiskTermValue {
  kind: typeof CommandKind.setRiskTerm;
}

/** From the perp wallet of a house account, as far as its positions and orders leave it. */
export interface RefillFund extends CommandHeader {
  kind: typeof CommandKind.refillFund;
  /** Minor units of the margin asset. */
  amount: bigint;
}

/** Makes a standard account wallet-funded: its spot wallet mirrors a party of the ledger. */
export interface BindWallet extends CommandHeader {
  kind: typeof CommandKind.bindWallet;
}

/** Money that reached custody on the ledger, for the funding wallet; once for each key. */
export interface Deposit extends CommandHeader {
  kind: typeof CommandKind.deposit;
  asset: number;
  amount: bigint;
  key: RequestKey;
}

/** Takes money out of the spot wallet, to be paid on the ledger; once for each key. */
export interface RequestWithdrawal extends CommandHeader, WithdrawalTerms {
  kind: typeof CommandKind.requestWithdrawal;
  key: RequestKey;
}

/** A withdrawal was paid on the ledger, or never will be: then its money goes back. */
export interface EndWithdrawal extends CommandHeader {
  kind: typeof CommandKind.endWithdrawal;
  withdrawalId: number;
  isCompleted: boolean;
}

/** Coins that fills brought to a wallet-funded account have reached its party on the ledger. */
export interface SettleCoins extends CommandHeader {
  kind: typeof CommandKind.settleCoins;
  asset: number;
  /** Minor units. */
  amount: bigint;
}

/** A step of a swap, which settlement has taken already; once for each number. */
export interface RecordSwapMove extends CommandHeader, SwapMoveTerms {
  kind: typeof CommandKind.recordSwapMove;
}

/**
 * Time has come. Its `deadlineUs` is the time up to which duties of the calendar are done: `atUs`, or the past
 * while the machine's clock is not believed.
 */
export interface Tick extends CommandHeader {
  kind: typeof CommandKind.tick;
}

export type Command =
  | PlaceOrder
  | CancelOrder
  | CancelAllOrders
  | AmendOrder
  | SetCountdown
  | SetLeverage
  | Transfer
  | OpenAccount
  | Credit
  | SetAccountFlags
  | RegisterKey
  | ChangeKey
  | OpenSession
  | CloseSession
  | SetSessionKey
  | SetMarketStatus
  | SetAccountType
  | AddMarket
  | Fence
  | SettleFunding
  | SetReferrer
  | ClaimReward
  | SetReference
  | SetRiskTerm
  | RefillFund
  | BindWallet
  | Deposit
  | RequestWithdrawal
  | EndWithdrawal
  | SettleCoins
  | RecordSwapMove
  | Tick;
