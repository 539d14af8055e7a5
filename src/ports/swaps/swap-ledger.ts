// The ledger network as swaps need it: what the trader's wallet is asked to sign, what the operator
// submits, and what of a swap is on the ledger. Each verb is one exchange and one outcome, as in
// ledger.ts. Types only.
//
// Amounts are integers of 10^−10; times are milliseconds UTC.

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

/** What both sides agreed on: the same in proposal, trade and both allocations. */
export interface SwapTerms {
  /** `settlementRef.id` of both allocations. */
  readonly swapId: string;
  readonly trader: Party;
  readonly provider: Party;
  readonly legs: readonly SwapPayment[];
  readonly allocateBeforeMs: number;
  readonly settleBeforeMs: number;
}

/** What a wallet signs: the hash, of a transaction that it can read. */
export interface PreparedSubmission {
  /** Base64. */
  readonly transaction: string;
  /** Base64. */
  readonly hash: string;
  readonly hashingScheme: string;
}

export type PrepareAnswer =
  | { readonly kind: "prepared"; readonly prepared: PreparedSubmission }
  /** Nothing was sent to be committed. */
  | { readonly kind: "refused"; readonly message: string };

export interface LockCommand {
  readonly commandId: string;
  readonly terms: SwapTerms;
  /** Of the trader; they pay its leg. */
  readonly inputs: readonly ContractId[];
  readonly requestedAtMs: number;
  /** The ledger commits it by then or never. */
  readonly commitBeforeMs: number;
}

export interface WithdrawCommand {
  readonly commandId: string;
  readonly trader: Party;
  readonly allocation: SwapLock;
  /** Null where it is no longer active. */
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

/** Settles or calls off a trade on all its allocations. */
export interface SwapOperation extends ChangeKey {
  readonly tradeCid: ContractId;
  readonly allocations: readonly SwapLock[];
}

/** Takes a member's allocation back by what it lets the operator do. */
export interface MemberWithdrawal extends ChangeKey {
  readonly operation: MemberOperation;
  readonly swapId: string;
  readonly allocation: SwapLock;
}

/** A contract of a swap, as the ledger has it. Fields that are not of the right form are null. */
export interface SwapContract {
  readonly contractId: ContractId;
  readonly kind: "proposal" | "trade" | "allocation";
  readonly swapId: string;
  readonly offset: number;
  /** Of a proposal or trade: its parties and payments. */
  readonly trader: Party | null;
  readonly provider: Party | null;
  /** Of an allocation: the one payment. */
  readonly legs: readonly SwapPayment[];
  readonly executor: Party | null;
  readonly allocateBeforeMs: number | null;
  readonly settleBeforeMs: number | null;
}

/** What happened to swaps after an offset: everything up to `through` has been seen. */
export interface SwapPage {
  readonly created: readonly SwapContract[];
  readonly archived: readonly ContractId[];
  readonly through: number;
  /** The ledger's own time at `through`; null where it did not say. */
  readonly recordTimeMs: number | null;
  readonly isLast: boolean;
}

export interface SwapLedger {
  readonly operator: Party;
  ledgerEnd(): Promise<number>;
  /** Coins of a party that the venue may read as, which no lock binds at `nowMs`. */
  freeCoins(party: Party, instrument: Instrument, nowMs: number): Promise<readonly Holding[]>;
  /** At most one page; never waits. */
  swapPage(after: number): Promise<SwapPage>;
  /** Proposal and allocation of the trader, in one transaction. */
  prepareLock(lock: LockCommand): Promise<PrepareAnswer>;
  /** Takes the trader's allocation back, and its proposal. */
  prepareWithdrawal(withdrawal: WithdrawCommand): Promise<PrepareAnswer>;
  /** What a party lets the operator do on the ledger now; null for who is no member. */
  memberOperation(party: Party): Promise<MemberOperation | null>;
  withdrawLock(withdrawal: MemberWithdrawal): Promise<Outcome>;
  execute(signed: SignedSubmission): Promise<Outcome>;
  settleSwap(operation: SwapOperation): Promise<Outcome>;
  cancelSwap(operation: SwapOperation): Promise<Outcome>;
  lookup(change: ChangeKey): Promise<Lookup>;
}
