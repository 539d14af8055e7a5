// Stores settlement: members, batches with their fills and payments, spendable coins, credits, and the cursors for the
// fills and ledger updates already read. Each method is one transaction. Types only.
//
// Amounts of assets are in minor units; amounts of coins are in units of 10^−10.

import type { PaymentKind } from "./custody.ts";
import type { Allocation, ContractId, Party } from "./ledger.ts";
import type { SettledReceipt } from "./settled-coins.ts";

/** Phases of a batch: 1 direct, 2 alloc, 3 exec, 4 cancel (services/settlement/batches/batch-phases.ts). */
export type BatchPhase = 1 | 2 | 3 | 4;

export interface Member {
  readonly account: number;
  readonly party: Party;
  /**
   * Contract id of the member's MemberAuth; null before the member has given it and after the member has revoked it.
   */
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
  /** The current phase of the batch (services/settlement/batches/batch-phases.ts). */
  readonly phase: BatchPhase;
  readonly openedMs: number;
  readonly fillCount: number;
  readonly dueMs: number;
  readonly attempts: number;
  /** Number of rounds that ended without a commit. */
  readonly setbacks: number;
  readonly round: number;
  readonly dedupOffset: number | null;
  /** From this time on, in milliseconds UTC, the network refuses every attempt of the round. */
  readonly deadlineMs: number | null;
  readonly submissionId: string | null;
  /** Secret suffix of the batch's command ids; null for a batch that was stored before such tokens existed. */
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

/** A payment of a batch whose coins are locked on the ledger. */
export interface LockedPayment extends Allocation {
  /** The party that locked the coins; null if none of the locked coins is known. */
  readonly sender: Party | null;
  /**
   * True if the lock has expired and the sender has spent one of the locked coins. Such a lock can be neither executed
   * nor released as a whole; the sender can withdraw the rest.
   */
  readonly isSpent: boolean;
}

/** A payment of a batch whose lock appeared in the ledger updates. */
export interface LockedLeg extends Allocation {
  readonly batchId: string;
  /** The coins that the payment locks. */
  readonly holdings: readonly ContractId[];
}

/** The changes that one page of ledger updates contains. */
export interface LedgerProgress {
  readonly through: number;
  readonly created: readonly Coin[];
  readonly locked: readonly LockedLeg[];
  readonly archived: readonly ContractId[];
  /** Batches that are named by committed command ids. A wrong token means that someone else submitted the command. */
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

/** An attempt to settle a batch, which is stored before it is sent. */
export interface AttemptRow {
  readonly batchId: string;
  /** Number of the batch's round when the batch was read. */
  readonly round: number;
  readonly attempts: number;
  readonly dedupOffset: number;
  readonly deadlineMs: number;
  readonly submissionId: string;
  readonly inputs: readonly ContractId[];
}

/**
 * The next round of a batch. It may start once no attempt of the current round is on the ledger or can still commit.
 */
export interface NextRound {
  readonly phase: BatchPhase;
  readonly dueMs: number;
  readonly reason: string;
  /**
   * True if payments of the batch may be locked until the deadline, so that the next round executes or releases them.
   * The batch then keeps its deadline and its coins.
   */
  readonly keepsDeadline?: boolean;
  /** True if the current round counts as failed. */
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
  /** The amount in minor units; negative for a withdrawal. */
  readonly amount: bigint;
  readonly seqBefore: number;
}

/**
 * Two amounts of an asset for one member: what the member holds on the ledger, not counting the movements of the
 * member's settled batches (`external`), and what the venue has credited to the account (`credited`).
 */
export interface MirrorRow {
  readonly account: number;
  readonly asset: number;
  readonly external: bigint;
  readonly credited: bigint;
}

/** Settlement work in progress. */
export interface SettlementBacklog {
  /** Time of the first fill of the oldest unsettled batch in milliseconds; null if there is none. */
  readonly oldestMs: number | null;
  readonly fills: number;
  /** Number of batches in each unsettled state, by state name. */
  readonly batches: Readonly<Record<string, number>>;
}

export interface SettlementStore {
  members(): Promise<Member[]>;
  /**
   * Returns the wallet-funded accounts, except `except`, that are not members yet and whose earlier fills have all been
   * taken by settlement.
   */
  unboundWallets(
    except: readonly number[],
  ): Promise<{ readonly account: number; readonly party: Party }[]>;
  addMember(account: number, party: Party, coins: readonly Coin[]): Promise<void>;
  setAuth(account: number, authCid: ContractId | null): Promise<void>;
  setFrozen(account: number, isFrozen: boolean): Promise<void>;
  cursor(): Promise<{ readonly tradeId: number; readonly ledgerOffset: number }>;
  /**
   * Reads at most `limit` fills after the cursor. Returns those in the given markets, oldest first, and in `through`
   * the last trade id that was read in any market, 0 for none.
   */
  nextFills(
    markets: readonly number[],
    limit: number,
  ): Promise<{ readonly fills: SettledFill[]; readonly through: number }>;
  /**
   * Adds fills to the open batches of their pairs of parties and moves the cursor, in one transaction. Returns the
   * batches.
   */
  takeFills(
    placed: readonly { readonly fill: SettledFill; readonly a: Party; readonly b: Party }[],
    through: number,
    nowMs: number,
  ): Promise<{ readonly a: Party; readonly b: Party; readonly batchId: string }[]>;
  openBatches(): Promise<BatchRow[]>;
  fillsOf(batchId: string): Promise<SettledFill[]>;
  /** Seals a batch, so that it takes no more fills. A batch without payments is confirmed immediately. */
  seal(batchId: string, sealed: SealedBatch): Promise<void>;
  /**
   * Returns the due batches. Batches in progress come first, because they hold coins that others wait for. Otherwise
   * older batches come first.
   */
  dueBatches(nowMs: number): Promise<BatchRow[]>;
  batch(batchId: string): Promise<BatchRow | null>;
  recentBatches(limit: number): Promise<BatchRow[]>;
  legsOf(batchId: string): Promise<BatchLeg[]>;
  /** Returns the amounts that a sealed batch delivers to accounts and that clearing has not released yet. */
  receiptsOf(batchId: string): Promise<SettledReceipt[]>;
  /** Returns coins of a party that no other batch may be spending, smallest first. */
  freeCoins(party: Party, asset: number, batchId: string): Promise<Coin[]>;
  /** Returns whether a party's coins sum to at least `units`, including coins that other batches are spending. */
  isCovered(party: Party, asset: number, units: bigint): Promise<boolean>;
  /** Returns those payments of a batch whose locks were seen on the ledger. */
  allocationsOf(batchId: string): Promise<LockedPayment[]>;
  /**
   * Returns two kinds of sums in minor units, by party and asset: `held`, the unlocked coins of members; `underway`,
   * what sealed batches still take from their senders.
   */
  purses(): Promise<{ readonly held: Purse[]; readonly underway: Purse[] }>;
  /** Stores an attempt. Returns false, and changes nothing, if the batch has changed since it was read. */
  begin(attempt: AttemptRow): Promise<boolean>;
  /** Starts the next round of a batch once no attempt can commit, and frees the coins of the old round. */
  nextRound(batchId: string, next: NextRound): Promise<void>;
  unknown(batchId: string, dueMs: number, reason: string): Promise<void>;
  /** Records that nothing was sent; the batch is checked again at `dueMs`. */
  postpone(batchId: string, dueMs: number, reason: string): Promise<void>;
  /** Confirms a batch. Idempotent; returns false if another update has confirmed the batch. */
  confirm(batchId: string, updateId: string, offset: number): Promise<boolean>;
  /**
   * Ends a batch and adds an audit row. Returns false if an attempt may still commit, if coins are locked, or if the
   * batch has already ended.
   */
  end(
    batchId: string,
    status: "failed" | "skipped",
    reason: string,
    nowMs: number,
  ): Promise<boolean>;
  /**
   * Fails a batch that can only release its locks, and adds an audit row. Returns false if payments are still possible.
   */
  endLapsed(batchId: string, reason: string, nowMs: number): Promise<boolean>;
  /**
   * Moves the fills of a failed or skipped batch to a new batch. Returns null if the batch is in another state or its
   * fills have already been moved.
   */
  requeue(batchId: string, newBatchId: string, nowMs: number): Promise<string | null>;
  /** Stores the changes of a page of updates; returns the parties whose coins moved. */
  advance(progress: LedgerProgress): Promise<ReadonlySet<Party>>;
  /**
   * Replaces the stored coins of a party with the ledger's list at `ledgerOffset`, and returns the number of
   * differences. Does nothing and returns 0 if the stored coins belong to another offset.
   */
  replaceCoins(party: Party, ledgerOffset: number, coins: readonly Coin[]): Promise<number>;
  /** Returns the ledger holdings and credits of these accounts, by asset. */
  mirror(accounts: readonly number[]): Promise<MirrorRow[]>;
  /** Returns figures about unsettled batches. Failed batches count as unsettled until their fills are requeued. */
  backlog(): Promise<SettlementBacklog>;
  /** Returns the spot markets that the operator halted or delisted. */
  closedMarkets(): Promise<number[]>;
  /** Records that every member was compared with the ledger at `nowMs`. */
  mirrored(nowMs: number): Promise<void>;
  /** Returns the accounts with a failed batch that the operator has to resolve. */
  failedAccounts(): Promise<number[]>;
  openCredits(): Promise<CreditRow[]>;
  prepareCredit(credit: Omit<CreditRow, "creditId">): Promise<number>;
  finishCredit(creditId: number, isApplied: boolean): Promise<void>;
}
