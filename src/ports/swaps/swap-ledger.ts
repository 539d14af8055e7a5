// The ledger network as used by swaps: transactions for the trader's wallet to sign, the operator's
// submissions, and the contracts of a swap. Each verb is one exchange with one outcome, as in ledger.ts.
// Types only.
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

/** The agreed terms: the same in proposal, trade and both allocations. */
export interface SwapTerms {
  /** `settlementRef.id` of both allocations. */
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
  /** Nothing was submitted. */
  | { readonly kind: "refused"; readonly message: string };

export interface LockCommand {
  readonly commandId: string;
  readonly terms: SwapTerms;
  /** The trader's coins that pay its leg. */
  readonly inputs: readonly ContractId[];
  readonly requestedAtMs: number;
  /** The ledger commits it by then or never. */
  readonly commitBeforeMs: number;
}

export interface WithdrawCommand {
  readonly commandId: string;
  readonly trader: Party;
  readonly allocation: SwapLock;
  /** Null if it is no longer active. */
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

/** Withdraws a member's allocation under the authority it gave the operator. */
export interface MemberWithdrawal extends ChangeKey {
  readonly operation: MemberOperation;
  readonly swapId: string;
  readonly allocation: SwapLock;
}

/** A contract of a swap on the ledger. Malformed fields are null. */
export interface SwapContract {
  readonly contractId: ContractId;
  readonly kind: "proposal" | "trade" | "allocation";
  readonly swapId: string;
  readonly offset: number;
  /** Of a proposal or trade: its parties and payments. */
  readonly trader: Party | null;
  readonly provider: Party | null;
  /** Of an allocation: its one payment. */
  readonly legs: readonly SwapPayment[];
  readonly executor: Party | null;
  readonly allocateBeforeMs: number | null;
  readonly settleBeforeMs: number | null;
}

/** Swap updates after an offset: complete up to `through`. */
export interface SwapPage {
  readonly created: readonly SwapContract[];
  readonly archived: readonly ContractId[];
  readonly through: number;
  /** The ledger's time at `through`; null if not reported. */
  readonly recordTimeMs: number | null;
  readonly isLast: boolean;
}

export interface SwapLedger {
  readonly operator: Party;
  ledgerEnd(): Promise<number>;
  /** Unlocked coins at `nowMs` of a party that the venue may read. */
  freeCoins(party: Party, instrument: Instrument, nowMs: number): Promise<readonly Holding[]>;
  /** At most one page; never waits. */
  swapPage(after: number): Promise<SwapPage>;
  /** Prepares the trader's proposal and allocation, in one transaction. */
  prepareLock(lock: LockCommand): Promise<PrepareAnswer>;
  /** Prepares the withdrawal of the trader's allocation and proposal. */
  prepareWithdrawal(withdrawal: WithdrawCommand): Promise<PrepareAnswer>;
  /** The operator's current authority from a party; null if it is not a member. */
  memberOperation(party: Party): Promise<MemberOperation | null>;
  withdrawLock(withdrawal: MemberWithdrawal): Promise<Outcome>;
  execute(signed: SignedSubmission): Promise<Outcome>;
  settleSwap(operation: SwapOperation): Promise<Outcome>;
  cancelSwap(operation: SwapOperation): Promise<Outcome>;
  lookup(change: ChangeKey): Promise<Lookup>;
}
