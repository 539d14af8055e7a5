// The ledger network as swaps use it: transactions for the trader's wallet to sign, the operator's submissions, and the
// contracts of a swap. Each method is one exchange with one outcome, as in ledger.ts. Types only.
//
// Amounts are integers in units of 10^−10; times are milliseconds UTC.

import type {
  ChangeKey,
  ContractId,
  Holding,
  Instrument,
  Lookup,
  MemberOperation,
  Outcome,
  Party,
} from "../ledger/ledger.ts";

export interface SwapPayment {
  /** `base` or `quote`. */
  readonly legId: string;
  readonly sender: Party;
  readonly receiver: Party;
  readonly instrument: Instrument;
  readonly amount: bigint;
}

/** The agreed terms. They are the same in the proposal, the trade and both allocations. */
export interface SwapTerms {
  /** Id of the swap, which is also `settlementRef.id` of both allocations. */
  readonly swapId: string;
  readonly trader: Party;
  readonly provider: Party;
  readonly legs: readonly SwapPayment[];
  readonly allocateBeforeMs: number;
  readonly settleBeforeMs: number;
}

/** A transaction for a wallet to sign, with its hash. */
export interface PreparedSubmission {
  /** Base64. */
  readonly transaction: string;
  /** Base64. */
  readonly hash: string;
  readonly hashingScheme: string;
}

export type PrepareAnswer =
  | { readonly kind: "prepared"; readonly prepared: PreparedSubmission }
  /** The preparation was refused; nothing was submitted. */
  | { readonly kind: "refused"; readonly message: string };

export interface LockCommand {
  readonly commandId: string;
  readonly terms: SwapTerms;
  /** The trader's coins that pay the trader's leg. */
  readonly inputs: readonly ContractId[];
  readonly requestedAtMs: number;
  /** Time after which the ledger no longer commits the transaction. */
  readonly commitBeforeMs: number;
}

export interface WithdrawCommand {
  readonly commandId: string;
  readonly trader: Party;
  readonly allocation: SwapLock;
  /** Contract id of the proposal; null if the proposal is not active any more. */
  readonly proposalCid: ContractId | null;
  readonly commitBeforeMs: number;
}

export interface SignedSubmission extends ChangeKey {
  readonly prepared: PreparedSubmission;
  readonly party: Party;
  /** Base64 of the Ed25519 signature over the hash. */
  readonly signature: string;
}

export interface SwapLock {
  readonly contractId: ContractId;
  readonly admin: Party;
}

/** Settles or cancels a trade with all its allocations. */
export interface SwapOperation extends ChangeKey {
  readonly tradeCid: ContractId;
  readonly allocations: readonly SwapLock[];
}

/** Withdraws a member's allocation under the authority that the member gave to the operator. */
export interface MemberWithdrawal extends ChangeKey {
  readonly operation: MemberOperation;
  readonly swapId: string;
  readonly allocation: SwapLock;
}

/** A contract of a swap on the ledger. A field is null if its value on the ledger is malformed. */
export interface SwapContract {
  readonly contractId: ContractId;
  readonly kind: "proposal" | "trade" | "allocation";
  readonly swapId: string;
  readonly offset: number;
  /** The trader of a proposal or trade; null for an allocation. */
  readonly trader: Party | null;
  readonly provider: Party | null;
  /** The payments of the contract; an allocation has exactly one. */
  readonly legs: readonly SwapPayment[];
  readonly executor: Party | null;
  readonly allocateBeforeMs: number | null;
  readonly settleBeforeMs: number | null;
}

/** A page of swap updates. After this page, all swap updates up to the ledger offset `through` have been read. */
export interface SwapPage {
  readonly created: readonly SwapContract[];
  readonly archived: readonly ContractId[];
  readonly through: number;
  /** The ledger's time at `through`; null if the network did not report it. */
  readonly recordTimeMs: number | null;
  readonly isLast: boolean;
}

export interface SwapLedger {
  readonly operator: Party;
  ledgerEnd(): Promise<number>;
  /** Returns the coins of `party` that are unlocked at `nowMs`. The venue must be able to read the party's coins. */
  freeCoins(party: Party, instrument: Instrument, nowMs: number): Promise<readonly Holding[]>;
  /** Returns at most one page of updates; never waits. */
  swapPage(after: number): Promise<SwapPage>;
  /** Prepares the trader's proposal and allocation, in one transaction. */
  prepareLock(lock: LockCommand): Promise<PrepareAnswer>;
  /** Prepares the withdrawal of the trader's allocation and proposal. */
  prepareWithdrawal(withdrawal: WithdrawCommand): Promise<PrepareAnswer>;
  /** Returns the authority that a party currently gives to the operator; null if the party is not a member. */
  memberOperation(party: Party): Promise<MemberOperation | null>;
  withdrawLock(withdrawal: MemberWithdrawal): Promise<Outcome>;
  execute(signed: SignedSubmission): Promise<Outcome>;
  settleSwap(operation: SwapOperation): Promise<Outcome>;
  cancelSwap(operation: SwapOperation): Promise<Outcome>;
  lookup(change: ChangeKey): Promise<Lookup>;
}
