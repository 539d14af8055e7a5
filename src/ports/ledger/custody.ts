// Stores deposits and withdrawals: what fronts read and add, and what the settlement thread processes. Each
// method is one transaction. Types only.
//
// Amounts of assets are in minor units; those of coins in units of 10^−10.

import type { ContractId, Party } from "./ledger.ts";

/** An asset on the ledger: its instrument, registry and custody party, and the venue's terms. */
export interface CustodyAsset {
  readonly admin: Party;
  readonly instrument: string;
  readonly registry: string;
  readonly custody: Party;
  /** When the ledger last answered. */
  readonly quotedMs: number;
  readonly depositMin: bigint;
  readonly withdrawalMin: bigint;
  readonly withdrawalFee: bigint;
}

/** Codes as in the table. */
export const DepositState = {
  pending: 1,
  credited: 2,
  unclaimed: 3,
  tooSmall: 4,
  /** The deposit is being returned to its sender, as the operator decided. */
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

/** Codes as in the table; `paid` and `givenUp` are not yet reported to clearing. */
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

/** A payment to be made, or whose end is to be reported, with its current attempt. */
export interface DuePayment {
  readonly paymentId: number;
  readonly asset: number;
  /** What the receiver gets, in units of 10^−10. */
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

/** Payments of one kind. */
export interface PaymentStore {
  readonly kind: PaymentKind;
  due(nowMs: number): Promise<DuePayment[]>;
  /** Stores an attempt and leases its coins; false if one of them is in use elsewhere. */
  begin(attempt: PaymentAttempt): Promise<boolean>;
  postpone(paymentId: number, dueMs: number, reason: string): Promise<void>;
  /** Ends a round if none of its attempts is on the ledger or can still commit. Frees its coins. */
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

/** Used by fronts. */
export interface CustodyRepository {
  asset(asset: number): Promise<CustodyAsset | null>;
  /** Newest first. */
  deposits(query: PageQuery): Promise<DepositRow[]>;
  /** The withdrawal that clearing accepted under the key; null if none. */
  withdrawalByKey(account: number, key: string): Promise<WithdrawalRow | null>;
  withdrawal(account: number, withdrawalId: number): Promise<WithdrawalRow | null>;
  /** By the seq of its event in the journal. */
  withdrawalAt(account: number, seq: number): Promise<WithdrawalRow | null>;
  /** Newest first. */
  withdrawals(query: PageQuery): Promise<WithdrawalRow[]>;
  /** Adds a row before the command is sent to clearing; returns its number. */
  addWithdrawal(row: NewWithdrawal): Promise<number>;
  /** Marks a withdrawal as accepted by clearing with the event `seq`. */
  takeWithdrawal(withdrawalId: number, seq: number): Promise<void>;
  /** Deletes a withdrawal that clearing refused; no event in the journal names it. */
  dropWithdrawal(withdrawalId: number): Promise<void>;
}

/** Used by the settlement thread. */
export interface CustodyStore {
  saveQuotes(
    assets: readonly (Pick<CustodyAsset, "admin" | "instrument" | "registry" | "custody"> & {
      readonly asset: number;
    })[],
    quotedMs: number,
  ): Promise<void>;
  depositMinimums(): Promise<ReadonlyMap<number, bigint>>;
  /** Offset up to which deposits were read; null before the first reading. */
  depositCursor(): Promise<number | null>;
  /** Adds receipts and moves the cursor, all or nothing; known coins are unchanged. */
  addReceipts(receipts: readonly Receipt[], through: number): Promise<void>;
  openDeposits(): Promise<DepositRow[]>;
  beginCredit(depositId: number, seqBefore: number): Promise<void>;
  /** Marks a deposit as credited; the credit is in the journal at `seq`. */
  credited(depositId: number, seq: number): Promise<void>;
  /** Marks a deposit that clearing will never credit to the account named in it. */
  unclaimed(depositId: number): Promise<void>;
  /** Marks withdrawals as accepted by clearing, from the journal; returns their number. */
  takeRequested(): Promise<number>;
  /** A deposit was returned, or could not be. */
  endReturn(depositId: number, isPaid: boolean): Promise<void>;
  /** Custody's unused coins of an asset, smallest first. */
  freeCoins(
    custody: Party,
    asset: number,
  ): Promise<{ readonly contractId: ContractId; readonly amount: bigint }[]>;
  /** Number of custody's coins of an asset, including those in use. */
  coinCount(custody: Party, asset: number): Promise<number>;
  /** Leases coins to a merge or split until `untilMs`; false if one is in use elsewhere. */
  leaseForMerge(inputs: readonly ContractId[], untilMs: number): Promise<boolean>;
  /** Frees coins of merges whose deadline has passed on the ledger. */
  releaseMerges(recordedMs: number): Promise<void>;
}

/** A registry's answer whether a party can be paid directly. The last three values mean that this is unknown. */
export type PayeeAnswer = "able" | "unable" | "unknown" | "timeout" | "unavailable" | "unmapped";

export interface PayeeCheck {
  /** Whether `destination` can be paid `units` directly. */
  check(asset: CustodyAsset, destination: Party, units: bigint): Promise<PayeeAnswer>;
}

/** A deposit that was not credited, or not at first. */
export interface HeldDeposit {
  readonly depositId: number;
  readonly recordedMs: number;
  readonly asset: number;
  /** The whole coin, in units of 10^−10. */
  readonly units: bigint;
  readonly sender: Party;
  readonly reference: string | null;
  readonly account: number | null;
  readonly state: number;
  readonly updateId: string;
  /** The update that returned it. */
  readonly returnedBy: string | null;
  readonly reason: string | null;
}

/** Minor units. */
export interface CustodyTerms {
  readonly asset: number;
  readonly depositMin: bigint;
  readonly withdrawalMin: bigint;
  readonly withdrawalFee: bigint;
}

/** Used by the operator; each change adds an audit row. */
export interface CustodyAdmin {
  heldDeposits(isEndedToo: boolean): Promise<HeldDeposit[]>;
  /** False if the deposit is unknown, credited, or on its way back. */
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
