// What the settler keeps: members, batches with their fills and payments, the coins it may spend, what
// it credited, and how far it has read fills and ledger. Each method is one transaction. Types only.
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
  /** null until its MemberAuth has been seen. */
  readonly authCid: ContractId | null;
  readonly isFrozen: boolean;
}

/** A committed spot fill of which at least one side is a member. */
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

/** What a batch is when no fill is added to it any more. */
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
  /** Which way it goes (services/settlement/batches/batch-phases.ts). */
  readonly phase: BatchPhase;
  readonly openedMs: number;
  readonly fillCount: number;
  readonly dueMs: number;
  readonly attempts: number;
  /** Rounds that ended without what they were for. */
  readonly setbacks: number;
  readonly round: number;
  readonly dedupOffset: number | null;
  /** The network refuses every attempt of the round from here on. */
  readonly deadlineMs: number | null;
  readonly submissionId: string | null;
  /** The end of its commands' names; null for a batch of before there were any. */
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

/** What of a batch is locked on the ledger. */
export interface LockedPayment extends Allocation {
  /** null where no coin that it locks is known. */
  readonly sender: Party | null;
  /**
   * A coin of it is gone: it ran out, binds nobody, and its sender has spent that. As the whole it was locked
   * as it can neither be paid nor go back; what else it locked is its sender's to take.
   */
  readonly isSpent: boolean;
}

/** A payment of a batch that is locked on the ledger. */
export interface LockedLeg extends Allocation {
  readonly batchId: string;
  /** The coins it locks. */
  readonly holdings: readonly ContractId[];
}

/** What one page of the ledger's updates changed. */
export interface LedgerProgress {
  readonly through: number;
  readonly created: readonly Coin[];
  readonly locked: readonly LockedLeg[];
  readonly archived: readonly ContractId[];
  /** By what a command's name says: a batch of another token is somebody else's word. */
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

/** What an attempt is about to send, written before it is sent. */
export interface AttemptRow {
  readonly batchId: string;
  /** Of the batch as it was read. */
  readonly round: number;
  readonly attempts: number;
  readonly dedupOffset: number;
  readonly deadlineMs: number;
  readonly submissionId: string;
  readonly inputs: readonly ContractId[];
}

/** How a batch goes on once nothing of a round is, or comes, on the ledger. */
export interface NextRound {
  readonly phase: BatchPhase;
  readonly dueMs: number;
  readonly reason: string;
  /** What is locked until the round's deadline is paid by it too; its coins stay with the batch. */
  readonly keepsDeadline?: boolean;
  /** The round did not do what it was for. */
  readonly isSetback?: boolean;
}

/** An amount of one asset at one party. */
export interface Purse {
  readonly party: Party;
  readonly asset: number;
  readonly amount: bigint;
}

export interface CreditRow {
  readonly creditId: number;
  readonly account: number;
  readonly asset: number;
  /** Below 0 what was taken away. */
  readonly amount: bigint;
  readonly seqBefore: number;
}

/** What a member has on the ledger but for what its settled batches moved, and what was credited. */
export interface MirrorRow {
  readonly account: number;
  readonly asset: number;
  readonly external: bigint;
  readonly credited: bigint;
}

/** What is on its way to the ledger. */
export interface SettlementBacklog {
  /** When the first fill of the oldest batch that has not settled was made; null without one. */
  readonly oldestMs: number | null;
  readonly fills: number;
  /** How many batches are in each state that is not settled, by the state's name. */
  readonly batches: Readonly<Record<string, number>>;
}

export interface SettlementStore {
  members(): Promise<Member[]>;
  /** Wallet-funded accounts with a party of their own that are no members yet, and owe nothing before; others than `except`. */
  unboundWallets(
    except: readonly number[],
  ): Promise<{ readonly account: number; readonly party: Party }[]>;
  addMember(account: number, party: Party, coins: readonly Coin[]): Promise<void>;
  setAuth(account: number, authCid: ContractId | null): Promise<void>;
  setFrozen(account: number, isFrozen: boolean): Promise<void>;
  cursor(): Promise<{ readonly tradeId: number; readonly ledgerOffset: number }>;
  /** Fills after the cursor in the markets given, oldest first, and the trade to go on from. */
  nextFills(
    markets: readonly number[],
    limit: number,
  ): Promise<{ readonly fills: SettledFill[]; readonly through: number }>;
  /** Puts fills into the open batches of their pairs and moves the cursor, all or nothing; answers which. */
  takeFills(
    placed: readonly { readonly fill: SettledFill; readonly a: Party; readonly b: Party }[],
    through: number,
    nowMs: number,
  ): Promise<{ readonly a: Party; readonly b: Party; readonly batchId: string }[]>;
  openBatches(): Promise<BatchRow[]>;
  fillsOf(batchId: string): Promise<SettledFill[]>;
  /** Freezes membership; a batch without legs is confirmed at once. */
  seal(batchId: string, sealed: SealedBatch): Promise<void>;
  /** Those under way first, because they hold coins that others wait for; then the oldest. */
  dueBatches(nowMs: number): Promise<BatchRow[]>;
  batch(batchId: string): Promise<BatchRow | null>;
  recentBatches(limit: number): Promise<BatchRow[]>;
  legsOf(batchId: string): Promise<BatchLeg[]>;
  /** What a sealed batch brings to accounts, as far as it is not free yet. */
  receiptsOf(batchId: string): Promise<SettledReceipt[]>;
  /** Coins of a party that no other batch may be spending, smallest first. */
  freeCoins(party: Party, asset: number, batchId: string): Promise<Coin[]>;
  /** Whether a party has `units` in coins, spent by other batches on their way or not. */
  isCovered(party: Party, asset: number, units: bigint): Promise<boolean>;
  /** What of a batch is locked on the ledger, as far as it has been read. */
  allocationsOf(batchId: string): Promise<LockedPayment[]>;
  /** Free coins of members, and what batches that are sealed will take of them (minor units). */
  purses(): Promise<{ readonly held: Purse[]; readonly underway: Purse[] }>;
  /** False, and nothing is changed, where the batch is no longer under way as it was read. */
  begin(attempt: AttemptRow): Promise<boolean>;
  /** No attempt of the round is or comes on the ledger: its coins are free, and the next round begins. */
  nextRound(batchId: string, next: NextRound): Promise<void>;
  unknown(batchId: string, dueMs: number, reason: string): Promise<void>;
  /** Nothing was sent; it is looked at again. */
  postpone(batchId: string, dueMs: number, reason: string): Promise<void>;
  /** Idempotent; false where the batch is confirmed by another update. */
  confirm(batchId: string, updateId: string, offset: number): Promise<boolean>;
  /** Ends a batch with an audit row; false where an attempt may commit, coins are locked, or it has ended. */
  end(
    batchId: string,
    status: "failed" | "skipped",
    reason: string,
    nowMs: number,
  ): Promise<boolean>;
  /** Fails a batch, with an audit row, that only has to give back what can be paid no more; false where not. */
  endLapsed(batchId: string, reason: string, nowMs: number): Promise<boolean>;
  /** Moves the fills of a failed or skipped batch to a new one; null where it is neither, or was moved. */
  requeue(batchId: string, newBatchId: string, nowMs: number): Promise<string | null>;
  /** Answers whose coins came or went. */
  advance(progress: LedgerProgress): Promise<ReadonlySet<Party>>;
  /**
   * Makes the coins on record of a party those that the ledger lists at `ledgerOffset`; answers how many
   * were not. Where the records are of another offset nothing is done, and none differs.
   */
  mendCoins(party: Party, ledgerOffset: number, coins: readonly Coin[]): Promise<number>;
  /** Of the accounts given, each asset that any of it is known of. */
  mirror(accounts: readonly number[]): Promise<MirrorRow[]>;
  /** Fills of batches that have not settled; failed ones until they are queued again. */
  backlog(): Promise<SettlementBacklog>;
  /** Spot markets in which nothing is traded any more, by the operator's word. */
  closedMarkets(): Promise<number[]>;
  /** Every member was compared with the ledger at `nowMs`. */
  mirrored(nowMs: number): Promise<void>;
  /** Accounts of which a failed batch waits for the operator. */
  failedAccounts(): Promise<number[]>;
  openCredits(): Promise<CreditRow[]>;
  prepareCredit(credit: Omit<CreditRow, "creditId">): Promise<number>;
  finishCredit(creditId: number, isApplied: boolean): Promise<void>;
}
