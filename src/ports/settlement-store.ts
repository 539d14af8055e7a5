// What the settler keeps: members, batches with their fills and payments, the coins it may spend, what
// it credited, and how far it has read fills and ledger. Each method is one transaction. Types only.
//
// Amounts of assets are in minor units; amounts of coins in units of 10^−10.

import type { ContractId, Party } from "./ledger.ts";

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

export interface BatchRow {
  readonly batchId: string;
  readonly partyA: Party;
  readonly partyB: Party;
  readonly state: number;
  readonly openedMs: number;
  readonly fillCount: number;
  readonly dueMs: number;
  readonly attempts: number;
  readonly round: number;
  readonly dedupOffset: number | null;
  /** The network refuses every attempt of the round from here on. */
  readonly deadlineMs: number | null;
  readonly submissionId: string | null;
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

/** What one page of the ledger's updates changed. */
export interface LedgerProgress {
  readonly through: number;
  readonly created: readonly Coin[];
  readonly archived: readonly ContractId[];
  readonly confirmed: readonly {
    readonly batchId: string;
    readonly updateId: string;
    readonly offset: number;
  }[];
}

/** What an attempt is about to send, written before it is sent. */
export interface AttemptRow {
  readonly batchId: string;
  readonly dedupOffset: number;
  readonly deadlineMs: number;
  readonly submissionId: string;
  readonly inputs: readonly ContractId[];
}

export interface CreditRow {
  readonly creditId: number;
  readonly account: number;
  readonly asset: number;
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

export interface SettlementStore {
  members(): Promise<Member[]>;
  addMember(account: number, party: Party, coins: readonly Coin[]): Promise<void>;
  setAuth(account: number, authCid: ContractId | null): Promise<void>;
  setFrozen(account: number, isFrozen: boolean): Promise<void>;
  cursor(): Promise<{ readonly tradeId: number; readonly ledgerOffset: number }>;
  /** Fills after the cursor in the markets given, oldest first, and the trade to go on from. */
  nextFills(
    markets: readonly number[],
    limit: number,
  ): Promise<{ readonly fills: SettledFill[]; readonly through: number }>;
  /** Puts fills into the open batches of their pairs and moves the cursor, all or nothing. */
  takeFills(
    placed: readonly { readonly fill: SettledFill; readonly a: Party; readonly b: Party }[],
    through: number,
    nowMs: number,
  ): Promise<void>;
  openBatches(): Promise<BatchRow[]>;
  fillsOf(batchId: string): Promise<SettledFill[]>;
  /** Freezes membership; a batch without legs is confirmed at once. */
  seal(batchId: string, legs: readonly BatchLeg[], netHash: string): Promise<void>;
  dueBatches(nowMs: number): Promise<BatchRow[]>;
  batch(batchId: string): Promise<BatchRow | null>;
  recentBatches(limit: number): Promise<BatchRow[]>;
  legsOf(batchId: string): Promise<BatchLeg[]>;
  /** Coins of a party that no other batch may be spending, smallest first. */
  freeCoins(party: Party, asset: number, batchId: string): Promise<Coin[]>;
  begin(attempt: AttemptRow): Promise<void>;
  /** No attempt of the round is or comes on the ledger: its coins are free, and the next round begins. */
  retry(batchId: string, dueMs: number, reason: string): Promise<void>;
  unknown(batchId: string, dueMs: number, reason: string): Promise<void>;
  /** Idempotent; false where the batch is confirmed by another update. */
  confirm(batchId: string, updateId: string, offset: number): Promise<boolean>;
  /** Ends a batch with an audit row; false where its outcome is unknown or it has ended. */
  end(
    batchId: string,
    status: "failed" | "skipped",
    reason: string,
    nowMs: number,
  ): Promise<boolean>;
  /** Moves the fills of a failed batch to a new one; null where it has not failed. */
  requeue(batchId: string, newBatchId: string, nowMs: number): Promise<string | null>;
  advance(progress: LedgerProgress): Promise<void>;
  mirror(): Promise<MirrorRow[]>;
  openCredits(): Promise<CreditRow[]>;
  prepareCredit(credit: Omit<CreditRow, "creditId">): Promise<number>;
  finishCredit(creditId: number, isApplied: boolean): Promise<void>;
}
