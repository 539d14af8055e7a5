// Stores deposits and withdrawals: the rows that fronts read and add, and the rows that the settlement thread
// processes. Each method is one transaction. Types only.
//
// Amounts of assets are in minor units; amounts of coins are in units of 10^−10.

import type { ContractId, Party } from "./ledger.ts";

/** An asset on the ledger: its instrument, registry and custody party, and the venue's terms. */
export interface CustodyAsset {
  readonly admin: Party;
  readonly instrument: string;
  readonly registry: string;
  readonly custody: Party;
  /** Time in milliseconds at which the settlement thread last had an answer from the ledger. */
  readonly quotedMs: number;
  readonly depositMin: bigint;
  readonly withdrawalMin: bigint;
  readonly withdrawalFee: bigint;
}

/** States of a deposit, with their codes in the table. */
export const DepositState = {
  pending: 1,
  credited: 2,
  unclaimed: 3,
  tooSmall: 4,
  /** The operator decided to return the deposit, and the payment to its sender is in progress. */
  returning: 5,
  returned: 6,
} as const;
export type DepositState = (typeof DepositState)[keyof typeof DepositState];

export interface DepositRow {
  readonly depositId: number;
  readonly contractId: ContractId;
  readonly updateId: string;
  readonly recordedMs: number;
  readonly asset: number;
  readonly amount: bigint;
  readonly account: number | null;
  readonly state: DepositState;
  readonly seqBefore: number | null;
}

/** A coin that was sent to custody. */
export interface Receipt {
  readonly contractId: ContractId;
  readonly updateId: string;
  readonly offset: number;
  readonly recordedMs: number;
  readonly sender: Party;
  readonly asset: number;
  readonly units: bigint;
  readonly amount: bigint;
  readonly reference: string | null;
  readonly account: number | null;
  readonly state: DepositState;
}

/**
 * Stages of a withdrawal, with their codes in the table. `paid` and `givenUp` have not yet been reported to clearing.
 */
export const WithdrawalStage = {
  submitted: 0,
  requested: 1,
  underWay: 2,
  completed: 3,
  failed: 4,
  paid: 5,
  givenUp: 6,
} as const;
export type WithdrawalStage = (typeof WithdrawalStage)[keyof typeof WithdrawalStage];

export interface WithdrawalRow {
  readonly withdrawalId: number;
  readonly account: number;
  readonly asset: number;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly destination: Party;
  readonly createdMs: number;
  readonly stage: WithdrawalStage;
  readonly updateId: string | null;
}

/** Payments by custody: withdrawals, and deposits returned to their senders. */
export type PaymentKind = "withdrawal" | "return";

/** A payment that must be made or whose end must be reported, with its current attempt. */
export interface DuePayment {
  readonly paymentId: number;
  readonly asset: number;
  /** Amount that the receiver gets, in units of 10^−10. */
  readonly units: bigint;
  readonly destination: Party;
  readonly createdMs: number;
  readonly stage: WithdrawalStage;
  readonly round: number;
  readonly attempts: number;
  readonly dedupOffset: number | null;
  readonly deadlineMs: number | null;
  readonly submissionId: string | null;
  readonly inputs: readonly ContractId[];
  readonly isUnknown: boolean;
}

export interface PaymentAttempt {
  readonly paymentId: number;
  readonly dedupOffset: number;
  readonly deadlineMs: number;
  readonly submissionId: string;
  readonly inputs: readonly ContractId[];
}

/** Stores payments of one kind. */
export interface PaymentStore {
  readonly kind: PaymentKind;
  due(nowMs: number): Promise<DuePayment[]>;
  /** Stores an attempt and leases its coins. Returns false if one of the coins is in use elsewhere. */
  begin(attempt: PaymentAttempt): Promise<boolean>;
  postpone(paymentId: number, dueMs: number, reason: string): Promise<void>;
  /** Ends a round of attempts if none of them is on the ledger or can still commit. Frees the coins of the round. */
  endRound(paymentId: number, dueMs: number, reason: string): Promise<void>;
  paid(paymentId: number, updateId: string, offset: number): Promise<void>;
  giveUp(paymentId: number, reason: string): Promise<void>;
  /** Marks the end of a payment as reported. */
  close(paymentId: number): Promise<void>;
}

export interface NewWithdrawal {
  readonly account: number;
  readonly key: string;
  readonly asset: number;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly destination: Party;
  readonly createdMs: number;
}

export interface PageQuery {
  readonly account: number;
  readonly before: number | null;
  readonly limit: number;
}

/** The part of the store that fronts use. */
export interface CustodyRepository {
  asset(asset: number): Promise<CustodyAsset | null>;
  /** Returns deposits, newest first. */
  deposits(query: PageQuery): Promise<DepositRow[]>;
  /** Returns the withdrawal that clearing accepted under the idempotency key, or null. */
  withdrawalByKey(account: number, key: string): Promise<WithdrawalRow | null>;
  withdrawal(account: number, withdrawalId: number): Promise<WithdrawalRow | null>;
  /** Returns the withdrawal whose event in the journal has that seq, or null. */
  withdrawalAt(account: number, seq: number): Promise<WithdrawalRow | null>;
  /** Returns withdrawals, newest first. */
  withdrawals(query: PageQuery): Promise<WithdrawalRow[]>;
  /** Adds a row before the command is sent to clearing; returns the number of the row. */
  addWithdrawal(row: NewWithdrawal): Promise<number>;
  /** Marks a withdrawal as accepted by clearing with the event `seq`. */
  takeWithdrawal(withdrawalId: number, seq: number): Promise<void>;
  /** Deletes a withdrawal that clearing refused, so that no event in the journal refers to it. */
  dropWithdrawal(withdrawalId: number): Promise<void>;
}

/** The part of the store that the settlement thread uses. */
export interface CustodyStore {
  saveQuotes(
    assets: readonly (Pick<CustodyAsset, "admin" | "instrument" | "registry" | "custody"> & {
      readonly asset: number;
    })[],
    quotedMs: number,
  ): Promise<void>;
  depositMinimums(): Promise<ReadonlyMap<number, bigint>>;
  /** Ledger offset up to which deposits were read; null before the first read. */
  depositCursor(): Promise<number | null>;
  /** Adds receipts and moves the cursor, in one transaction. Coins that are already stored stay unchanged. */
  addReceipts(receipts: readonly Receipt[], through: number): Promise<void>;
  openDeposits(): Promise<DepositRow[]>;
  /** Whether a deposit waits to be credited, or a withdrawal or a return to be finished. */
  hasOpenPayments(): Promise<boolean>;
  beginCredit(depositId: number, seqBefore: number): Promise<void>;
  /** Marks a deposit as credited; the credit is the event with `seq` in the journal. */
  credited(depositId: number, seq: number): Promise<void>;
  /** Marks a deposit that clearing will never credit to the account that the deposit names. */
  unclaimed(depositId: number): Promise<void>;
  /** Marks the withdrawals that clearing accepted, according to the journal. Returns how many were marked. */
  takeRequested(): Promise<number>;
  /** Ends the return of a deposit: it was paid, or it could not be paid. */
  endReturn(depositId: number, isPaid: boolean): Promise<void>;
  /** Returns custody's unused coins of an asset, smallest first. */
  freeCoins(
    custody: Party,
    asset: number,
  ): Promise<{ readonly contractId: ContractId; readonly amount: bigint }[]>;
  /** Returns the number of custody's coins of an asset, including coins in use. */
  coinCount(custody: Party, asset: number): Promise<number>;
  /** Leases coins to a merge or split until `untilMs`. Returns false if one of them is in use elsewhere. */
  leaseForMerge(inputs: readonly ContractId[], untilMs: number): Promise<boolean>;
  /** Frees the coins of merges whose deadline has passed on the ledger. */
  releaseMerges(recordedMs: number): Promise<void>;
}

/**
 * A registry's answer to whether a party can be paid directly. The last three values mean that the registry gave no
 * usable answer.
 */
export type PayeeAnswer = "able" | "unable" | "unknown" | "timeout" | "unavailable" | "unmapped";

export interface PayeeCheck {
  /** Returns whether `destination` can be paid `units` directly. */
  check(asset: CustodyAsset, destination: Party, units: bigint): Promise<PayeeAnswer>;
}

/** A deposit that is not credited: it waits for the operator, or it is being returned or was returned. */
export interface HeldDeposit {
  readonly depositId: number;
  readonly recordedMs: number;
  readonly asset: number;
  /** Amount of the whole coin, in units of 10^−10. */
  readonly units: bigint;
  readonly sender: Party;
  readonly reference: string | null;
  readonly account: number | null;
  readonly state: number;
  readonly updateId: string;
  /** Id of the ledger update that returned the deposit; null if it was not returned. */
  readonly returnedBy: string | null;
  readonly reason: string | null;
}

/** The venue's terms of an asset: minimum amounts and fee, in minor units. */
export interface CustodyTerms {
  readonly asset: number;
  readonly depositMin: bigint;
  readonly withdrawalMin: bigint;
  readonly withdrawalFee: bigint;
}

/** The part of the store that the operator uses; each change adds an audit row. */
export interface CustodyAdmin {
  heldDeposits(isEndedToo: boolean): Promise<HeldDeposit[]>;
  /** Credits a deposit to an account. Returns false if the deposit does not wait for the operator. */
  credit(depositId: number, account: number, nowMs: number): Promise<boolean>;
  sendBack(depositId: number, nowMs: number): Promise<boolean>;
  terms(): Promise<CustodyTerms[]>;
  setTerms(terms: CustodyTerms, code: string, detail: string, nowMs: number): Promise<void>;
  audit(): Promise<
    readonly {
      readonly atMs: number;
      readonly action: string;
      readonly subject: string;
      readonly detail: string;
    }[]
  >;
}
