// Stores settlement: members, batches with their fills and payments, spendable coins, credits, and the
// positions reached in fills and ledger. Each method is one transaction. Types only.
//
// Amounts of assets are in minor units; amounts of coins in units of 10^−10.

import type { PaymentKind } from "./custody.ts";
import type { Allocation, ContractId, Party } from "./ledger.ts";
import type { SettledReceipt } from "./settled-coins.ts";

/** direct, alloc, exec, cancel. */
export type BatchPhase = 1 | 2 | 3 | 4;

export interface Member {
  readonly account: number;
  readonly party: Party;
  /** Null until its MemberAuth has been seen. */
  readonly authCid: ContractId | null;
  readonly isFrozen: boolean;
}

/** A committed spot fill with at least one member. */
export interface SettledFill {
  readonly tradeId: number;
  readonly tsMs: number;
  readonly market: number;
  readonly buyer: number;
  readonly seller: number;
  readonly qty: number;
  readonly quote: bigint;
  readonly buyerFee: bigint;
  readonly sellerFee: bigint;
}

export interface BatchLeg {
  readonly asset: number;
  readonly sender: Party;
  readonly receiver: Party;
  readonly amount: bigint;
}

/** A batch that takes no more fills. */
export interface SealedBatch {
  readonly legs: readonly BatchLeg[];
  readonly netHash: string;
  readonly receipts: readonly SettledReceipt[];
}

export interface BatchRow {
  readonly batchId: string;
  readonly partyA: Party;
  readonly partyB: Party;
  readonly state: number;
  /** The current phase (services/settlement/batches/batch-phases.ts). */
  readonly phase: BatchPhase;
  readonly openedMs: number;
  readonly fillCount: number;
  readonly dueMs: number;
  readonly attempts: number;
  /** Number of rounds that ended without a commit. */
  readonly setbacks: number;
  readonly round: number;
  readonly dedupOffset: number | null;
  /** The network refuses every attempt of the round from this time on. */
  readonly deadlineMs: number | null;
  readonly submissionId: string | null;
  /** Secret suffix of its command ids; null for a batch from before tokens existed. */
  readonly token: string | null;
  readonly isUnknown: boolean;
  readonly updateId: string | null;
  readonly reason: string | null;
}

export interface Coin {
  readonly contractId: ContractId;
  readonly party: Party;
  readonly asset: number;
  readonly amount: bigint;
  readonly isLocked: boolean;
}

/** A payment of a batch that is locked on the ledger. */
export interface LockedPayment extends Allocation {
  /** Null if no coin that it locks is known. */
  readonly sender: Party | null;
  /**
   * Whether the lock has expired and its sender has spent one of the locked coins. Such a lock can be neither executed
   * nor released as a whole; the sender can withdraw the rest.
   */
  readonly isSpent: boolean;
}

/** A payment of a batch, seen locked in ledger updates. */
export interface LockedLeg extends Allocation {
  readonly batchId: string;
  /** The coins it locks. */
  readonly holdings: readonly ContractId[];
}

/** The changes of one page of ledger updates. */
export interface LedgerProgress {
  readonly through: number;
  readonly created: readonly Coin[];
  readonly locked: readonly LockedLeg[];
  readonly archived: readonly ContractId[];
  /** Batches named by committed command ids. A wrong token means a foreign submission. */
  readonly confirmed: readonly {
    readonly batchId: string;
    readonly token: string | null;
    readonly updateId: string;
    readonly offset: number;
  }[];
  readonly paid: readonly {
    readonly kind: PaymentKind;
    readonly paymentId: number;
    readonly updateId: string;
    readonly offset: number;
  }[];
}

/** An attempt, stored before it is sent. */
export interface AttemptRow {
  readonly batchId: string;
  /** The batch's round when it was read. */
  readonly round: number;
  readonly attempts: number;
  readonly dedupOffset: number;
  readonly deadlineMs: number;
  readonly submissionId: string;
  readonly inputs: readonly ContractId[];
}

/** The next round, once nothing of the current one is on the ledger or can commit. */
export interface NextRound {
  readonly phase: BatchPhase;
  readonly dueMs: number;
  readonly reason: string;
  /** The next round executes what is locked until the deadline; the coins stay with the batch. */
  readonly keepsDeadline?: boolean;
  /** Whether the round counts as failed. */
  readonly isSetback?: boolean;
}

/** An amount of one asset that one party holds or owes. */
export interface Purse {
  readonly party: Party;
  readonly asset: number;
  readonly amount: bigint;
}

export interface CreditRow {
  readonly creditId: number;
  readonly account: number;
  readonly asset: number;
  /** Negative for a withdrawal. */
  readonly amount: bigint;
  readonly seqBefore: number;
}

/** A member's holdings on the ledger, excluding movements of its settled batches, and the amount credited. */
export interface MirrorRow {
  readonly account: number;
  readonly asset: number;
  readonly external: bigint;
  readonly credited: bigint;
}

/** Settlement work in progress. */
export interface SettlementBacklog {
  /** Time of the first fill of the oldest unsettled batch; null if there is none. */
  readonly oldestMs: number | null;
  readonly fills: number;
  /** Number of batches in each unsettled state, by state name. */
  readonly batches: Readonly<Record<string, number>>;
}

export interface SettlementStore {
  members(): Promise<Member[]>;
  /** Wallet-funded accounts that are not members yet and have no debts from before, except `except`. */
  unboundWallets(
    except: readonly number[],
  ): Promise<{ readonly account: number; readonly party: Party }[]>;
  addMember(account: number, party: Party, coins: readonly Coin[]): Promise<void>;
  setAuth(account: number, authCid: ContractId | null): Promise<void>;
  setFrozen(account: number, isFrozen: boolean): Promise<void>;
  cursor(): Promise<{ readonly tradeId: number; readonly ledgerOffset: number }>;
  /** Fills after the cursor in the given markets, oldest first, and the next trade id to read. */
  nextFills(
    markets: readonly number[],
    limit: number,
  ): Promise<{ readonly fills: SettledFill[]; readonly through: number }>;
  /** Adds fills to the open batches of their pairs and moves the cursor, all or nothing; returns the batches. */
  takeFills(
    placed: readonly { readonly fill: SettledFill; readonly a: Party; readonly b: Party }[],
    through: number,
    nowMs: number,
  ): Promise<{ readonly a: Party; readonly b: Party; readonly batchId: string }[]>;
  openBatches(): Promise<BatchRow[]>;
  fillsOf(batchId: string): Promise<SettledFill[]>;
  /** Seals a batch; one without payments is confirmed at once. */
  seal(batchId: string, sealed: SealedBatch): Promise<void>;
  /** Due batches: those in progress first, because they hold coins that others wait for; then the oldest. */
  dueBatches(nowMs: number): Promise<BatchRow[]>;
  batch(batchId: string): Promise<BatchRow | null>;
  recentBatches(limit: number): Promise<BatchRow[]>;
  legsOf(batchId: string): Promise<BatchLeg[]>;
  /** The amounts that a sealed batch delivers to accounts and that clearing has not released yet. */
  receiptsOf(batchId: string): Promise<SettledReceipt[]>;
  /** Coins of a party that no other batch may be spending, smallest first. */
  freeCoins(party: Party, asset: number, batchId: string): Promise<Coin[]>;
  /** Whether a party has `units` in coins, including those other batches are spending. */
  isCovered(party: Party, asset: number, units: bigint): Promise<boolean>;
  /** Payments of a batch seen locked on the ledger. */
  allocationsOf(batchId: string): Promise<LockedPayment[]>;
  /** Free coins of members, and the amounts that sealed batches will take from these coins (minor units). */
  purses(): Promise<{ readonly held: Purse[]; readonly underway: Purse[] }>;
  /** Stores an attempt. False, changing nothing, if the batch has changed since it was read. */
  begin(attempt: AttemptRow): Promise<boolean>;
  /** Starts the next round once no attempt can commit; the coins of the old round are free. */
  nextRound(batchId: string, next: NextRound): Promise<void>;
  unknown(batchId: string, dueMs: number, reason: string): Promise<void>;
  /** Nothing was sent; the batch is checked again at `dueMs`. */
  postpone(batchId: string, dueMs: number, reason: string): Promise<void>;
  /** Idempotent; false if the batch was confirmed by another update. */
  confirm(batchId: string, updateId: string, offset: number): Promise<boolean>;
  /** Ends a batch with an audit row; false if an attempt may commit, coins are locked, or it has ended. */
  end(
    batchId: string,
    status: "failed" | "skipped",
    reason: string,
    nowMs: number,
  ): Promise<boolean>;
  /** Fails a batch, with an audit row, that can only release locks; false if payments are still possible. */
  endLapsed(batchId: string, reason: string, nowMs: number): Promise<boolean>;
  /**
   * Moves the fills of a failed or skipped batch to a new batch. Null if the batch is in another state or its fills
   * were moved before.
   */
  requeue(batchId: string, newBatchId: string, nowMs: number): Promise<string | null>;
  /** Stores the changes of a page; returns the parties whose coins moved. */
  advance(progress: LedgerProgress): Promise<ReadonlySet<Party>>;
  /**
   * Replaces the recorded coins of a party by the ledger's list at `ledgerOffset`; returns the number of
   * differences. Does nothing and returns 0 if the records are of another offset.
   */
  replaceCoins(party: Party, ledgerOffset: number, coins: readonly Coin[]): Promise<number>;
  /** The mirror of these accounts, by asset. */
  mirror(accounts: readonly number[]): Promise<MirrorRow[]>;
  /** Fills of unsettled batches, including failed ones until they are requeued. */
  backlog(): Promise<SettlementBacklog>;
  /** Spot markets halted or delisted by the operator. */
  closedMarkets(): Promise<number[]>;
  /** Records that every member was compared with the ledger at `nowMs`. */
  mirrored(nowMs: number): Promise<void>;
  /** Accounts with a failed batch that the operator has to resolve. */
  failedAccounts(): Promise<number[]>;
  openCredits(): Promise<CreditRow[]>;
  prepareCredit(credit: Omit<CreditRow, "creditId">): Promise<number>;
  finishCredit(creditId: number, isApplied: boolean): Promise<void>;
}
