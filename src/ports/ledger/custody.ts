// Money that comes from the ledger and goes to it, as it rests: what fronts read and add, and what the
// settlement thread works on. Each method is one transaction. Types only.
//
// Amounts of assets are in minor units; those of coins in units of 10^−10.

import type { ContractId, Party } from "./ledger.ts";

/** Where an asset is on the ledger, and the venue's terms for it. */
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

/** Codes are those of the table. */
export const DepositState = {
  pending: 1,
  credited: 2,
  unclaimed: 3,
  tooSmall: 4,
  /** On its way back to who sent it, by the operator's word. */
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

/** A coin that somebody sent to custody. */
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

/** Codes are those of the table; paid and given up wait for clearing to hear of it. */
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

/** What custody pays: withdrawals, and deposits that go back to who sent them. */
export type PaymentKind = "withdrawal" | "return";

/** One that is to be paid, or whose end is to be told, with its attempt under way. */
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
  /** Writes an attempt down and leases its coins; false where one of them is somebody else's now. */
  begin(attempt: PaymentAttempt): Promise<boolean>;
  postpone(paymentId: number, dueMs: number, reason: string): Promise<void>;
  /** No attempt of the round is or comes on the ledger: its coins are free. */
  endRound(paymentId: number, dueMs: number, reason: string): Promise<void>;
  paid(paymentId: number, updateId: string, offset: number): Promise<void>;
  giveUp(paymentId: number, reason: string): Promise<void>;
  /** Whoever had to has heard of its end. */
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

/** What fronts read and add. */
export interface CustodyRepository {
  asset(asset: number): Promise<CustodyAsset | null>;
  /** Newest first. */
  deposits(query: PageQuery): Promise<DepositRow[]>;
  /** What clearing took under the key; null for none. */
  withdrawalByKey(account: number, key: string): Promise<WithdrawalRow | null>;
  withdrawal(account: number, withdrawalId: number): Promise<WithdrawalRow | null>;
  /** By the seq of its event, which the journal has. */
  withdrawalAt(account: number, seq: number): Promise<WithdrawalRow | null>;
  /** Newest first. */
  withdrawals(query: PageQuery): Promise<WithdrawalRow[]>;
  /** Adds a row before clearing is asked; answers its number. */
  addWithdrawal(row: NewWithdrawal): Promise<number>;
  /** Clearing took it with the event `seq`. */
  takeWithdrawal(withdrawalId: number, seq: number): Promise<void>;
  /** Clearing refused it: no event names it. */
  dropWithdrawal(withdrawalId: number): Promise<void>;
}

/** What the settlement thread works on. */
export interface CustodyStore {
  saveQuotes(
    assets: readonly (Pick<CustodyAsset, "admin" | "instrument" | "registry" | "custody"> & {
      readonly asset: number;
    })[],
    quotedMs: number,
  ): Promise<void>;
  depositMinimums(): Promise<ReadonlyMap<number, bigint>>;
  /** Offset up to which deposits were read; null before the first time. */
  depositCursor(): Promise<number | null>;
  /** Adds receipts and moves the cursor, all or nothing; a coin that is known is left as it is. */
  addReceipts(receipts: readonly Receipt[], through: number): Promise<void>;
  openDeposits(): Promise<DepositRow[]>;
  beginCredit(depositId: number, seqBefore: number): Promise<void>;
  /** The journal has its credit at `seq`. */
  credited(depositId: number, seq: number): Promise<void>;
  /** Clearing will never credit it to the account it names. */
  unclaimed(depositId: number): Promise<void>;
  /** Takes up what clearing took, by the journal; answers how many. */
  takeRequested(): Promise<number>;
  /** A deposit went back, or could not. */
  endReturn(depositId: number, isPaid: boolean): Promise<void>;
  /** Custody's coins of an asset that nobody is spending, smallest first. */
  freeCoins(
    custody: Party,
    asset: number,
  ): Promise<{ readonly contractId: ContractId; readonly amount: bigint }[]>;
  /** Custody's coins of an asset, those that are being spent too. */
  coinCount(custody: Party, asset: number): Promise<number>;
  /** Coins that a merge or a split holds until `untilMs`; false where one is somebody else's now. */
  leaseForMerge(inputs: readonly ContractId[], untilMs: number): Promise<boolean>;
  /** Frees coins of merges whose time has passed on the ledger. */
  releaseMerges(recordedMs: number): Promise<void>;
}

/** What a registry says of a party that is to be paid; the last three say nothing of it. */
export type PayeeAnswer = "able" | "unable" | "unknown" | "timeout" | "unavailable" | "unmapped";

export interface PayeeCheck {
  /** Whether `destination` can be paid so many units directly. */
  check(asset: CustodyAsset, destination: Party, units: bigint): Promise<PayeeAnswer>;
}

/** A deposit that was not credited, or not to begin with. */
export interface HeldDeposit {
  readonly depositId: number;
  readonly recordedMs: number;
  readonly asset: number;
  /** All of the coin, in units of 10^−10. */
  readonly units: bigint;
  readonly sender: Party;
  readonly reference: string | null;
  readonly account: number | null;
  readonly state: number;
  readonly updateId: string;
  /** The update that paid it back. */
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

/** What the operator changes; each change leaves its row in the audit. */
export interface CustodyAdmin {
  heldDeposits(isEndedToo: boolean): Promise<HeldDeposit[]>;
  /** False where the deposit is not kept: unknown, credited, or on its way back. */
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
