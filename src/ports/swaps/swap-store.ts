// Stores swaps: what fronts read and change, and what the settlement thread processes. A step is one
// transaction: the state, guarded by the previous one, a row for the journal, and notices to providers. Types
// only.

import type { Side } from "../../core/orders.ts";
import type { SwapReason, SwapState } from "../../core/swaps.ts";
import type { ContractId, Party } from "../ledger/ledger.ts";
import type { ResultNotice } from "./liquidity-providers.ts";
import type { PreparedSubmission, SwapContract } from "./swap-ledger.ts";

/** The operation in progress on the ledger. */
export const SwapPhase = {
  none: 0,
  lock: 1,
  settle: 2,
  cancel: 3,
  withdraw: 4,
  /** Like the phase above, but submitted by the operator, if the trader is a member. */
  reclaim: 5,
} as const;
export type SwapPhase = (typeof SwapPhase)[keyof typeof SwapPhase];

/** The trader's identity on the ledger. */
export interface Trader {
  readonly account: number;
  readonly party: Party;
  /** Standard base64. */
  readonly publicKey: string;
}

/** A quote that fits the request. */
export interface QuoteRow {
  readonly quoteNo: number;
  readonly provider: string;
  readonly providerParty: Party;
  readonly quoteId: string;
  readonly priceTicks: number;
  readonly lots: number;
  readonly validUntilMs: number;
}

export interface SwapRow {
  readonly swapNo: number;
  /** A UUID. */
  readonly swapId: string;
  readonly trader: Trader;
  readonly market: number;
  readonly side: Side;
  readonly askedLots: number | null;
  /** Minor units of the quote asset. */
  readonly askedQuote: bigint | null;
  readonly state: SwapState;
  readonly reason: SwapReason;
  readonly createdMs: number;
  readonly windowEndsMs: number;
  readonly dueMs: number;
  readonly taken: QuoteRow | null;
  readonly isWallet: boolean;
  readonly acceptedMs: number;
  readonly allocateBeforeMs: number;
  readonly settleBeforeMs: number;
  /** Deadline for the trader's signature: the end of the accepted quote's validity plus the grace period. */
  readonly signBeforeMs: number;
  readonly prepareFor: SwapPhase;
  readonly prepared: PreparedSubmission | null;
  readonly prepareFault: string | null;
  /** The coins used by the prepared or signed lock; empty for other operations. */
  readonly inputs: readonly ContractId[];
  readonly signature: string | null;
  /** The trader signed the lock in time, but it failed through no fault of the trader. */
  readonly isLockFailed: boolean;
  readonly phase: SwapPhase;
  readonly dedupOffset: number | null;
  readonly submissionId: string | null;
  readonly isUnknown: boolean;
  /** Submissions of the phase. */
  readonly attempts: number;
  /** Settlements that the ledger definitely rejected. */
  readonly refusals: number;
  readonly isAbortAsked: boolean;
  /**
   * Whether the operator froze the account. A freeze by settlement does not count, because settlement may freeze an
   * account for the very coins that a swap locks.
   */
  readonly isFrozen: boolean;
  /** Whether the trader's party was seen to authorise the operator. */
  readonly isMember: boolean;
  readonly updateId: string | null;
}

export interface NewSwap {
  readonly trader: Trader;
  readonly market: number;
  readonly side: Side;
  readonly askedLots: number | null;
  readonly askedQuote: bigint | null;
  readonly createdMs: number;
  readonly windowEndsMs: number;
}

/** A notice to a provider, sent with a step. */
export type NoticeDraft =
  | { readonly provider: string; readonly kind: "result"; readonly body: ResultNotice }
  | { readonly provider: string; readonly kind: "cancel"; readonly body: { reason: string } };

export interface SwapStep {
  readonly swap: SwapRow;
  readonly to: SwapState;
  readonly reason: SwapReason;
  readonly dueMs: number;
  readonly atMs: number;
  /** Evidence for the step, such as ledger ids or the chosen provider. */
  readonly details: Readonly<Record<string, string>>;
  readonly notices: readonly NoticeDraft[];
  /** With the step that accepts a quote. */
  readonly taken?: {
    readonly quote: QuoteRow;
    readonly isWallet: boolean;
    readonly allocateBeforeMs: number;
    readonly settleBeforeMs: number;
    readonly signBeforeMs: number;
    readonly unkept: UnkeptBound;
  };
  /** With the step that settles. */
  readonly settled?: { readonly updateId: string; readonly offset: number };
}

/** Limit on the number of quotes that an account may have accepted since a time without signing for them. */
export interface UnkeptBound {
  readonly max: number;
  readonly sinceMs: number;
}

export interface MoveRow {
  readonly moveNo: number;
  readonly swapNo: number;
  readonly account: number;
  readonly market: number;
  readonly side: Side;
  readonly from: SwapState;
  readonly to: SwapState;
  readonly reason: SwapReason;
  readonly priceTicks: number;
  readonly lots: number;
  readonly details: string;
  readonly atMs: number;
  /** Seq of the step in the journal; null until it is recorded there. */
  readonly seq: number | null;
}

export interface SwapQuery {
  readonly account: number;
  readonly before: number | null;
  readonly limit: number;
}

/** Coins named by other locks of a party that are not on the ledger yet. */
export interface NamedCoins {
  readonly signed: readonly ContractId[];
  /** By prepared locks that are not signed. */
  readonly prepared: readonly ContractId[];
}

/** How a phase ended without a commit. */
export interface PhaseEnd {
  /** When the swap is checked next. */
  readonly lookMs: number;
  /** Counts as a settlement rejected by the ledger. */
  readonly isRefusal: boolean;
  /** The lock failed through no fault of the trader. */
  readonly isLockFailed: boolean;
  readonly fault: string | null;
}

/** An attempt about to be sent. */
export interface SwapAttempt {
  readonly phase: SwapPhase;
  readonly dedupOffset: number;
  readonly submissionId: string;
}

/** Used by fronts. */
/** A swap with its quotes and steps, read in one transaction. */
export interface SwapRecord extends SwapRow {
  readonly quotes: readonly QuoteRow[];
  readonly moves: readonly MoveRow[];
}

export interface SwapRepository {
  /** The trader of an account; asserts that a wallet opened the account, because no other account has a session. */
  trader(account: number): Promise<Trader>;
  /** Null if the account has `openMax` open swaps. */
  add(swap: NewSwap, openMax: number): Promise<SwapRecord | null>;
  swap(swapNo: number): Promise<SwapRow | null>;
  /** Newest first. */
  swapsOf(query: SwapQuery): Promise<SwapRow[]>;
  quotes(swapNo: number): Promise<QuoteRow[]>;
  moves(swapNo: number): Promise<MoveRow[]>;
  /**
   * Number of quotes since then that the account accepted and did not sign for, cancelled, or withdrew its
   * coins from; includes those it may still sign for.
   */
  unkept(account: number, sinceMs: number): Promise<number>;
  /**
   * Stores a step. Null if the swap has left the state or was signed or started meanwhile, or if the account
   * has accepted as many unsigned quotes as `taken` allows.
   */
  step(step: SwapStep): Promise<SwapRecord | null>;
  /** Extends the time in which quotes can be accepted; never shortens it. */
  extend(swapNo: number, dueMs: number): Promise<void>;
  /** Requests a transaction to sign; drops an earlier one that is not signed. */
  requestPrepare(swap: SwapRow, phase: SwapPhase): Promise<boolean>;
  /**
   * Stores the signature. Null if this is not the transaction to sign now, or it is too late. Other prepared
   * locks of the trader that use the same coins are dropped. Spec RFQ-27.
   */
  sign(swap: SwapRow, hash: string, signature: string, nowMs: number): Promise<SwapRecord | null>;
}

/** Used by the settlement thread. */
export interface SwapStore extends SwapRepository {
  /** Swaps that have not ended, oldest first. */
  open(limit: number): Promise<SwapRow[]>;
  /** Swaps due at `nowMs`. */
  due(nowMs: number): Promise<SwapRow[]>;
  /** False if the provider's quote is stored already. */
  addQuote(swapNo: number, quote: Omit<QuoteRow, "quoteNo">, atMs: number): Promise<boolean>;
  /** Coins that the party's other locks use. */
  namedCoins(swap: SwapRow): Promise<NamedCoins>;
  /** Stores the transaction to sign, unless a signed lock of the trader uses one of its coins meanwhile. */
  prepared(
    swap: SwapRow,
    answer: PreparedSubmission | string,
    inputs?: readonly ContractId[],
  ): Promise<void>;
  /** Requests an abort by the operator; false if the swap has ended or is being settled. */
  requestAbort(swapNo: number): Promise<boolean>;
  begin(swapNo: number, attempt: SwapAttempt): Promise<void>;
  /** The outcome of the last attempt is unknown; checked again at `lookMs`. */
  unknown(swapNo: number, lookMs: number): Promise<void>;
  /** No attempt of the phase is on the ledger or can commit. */
  endPhase(swapNo: number, end: PhaseEnd): Promise<void>;
  /** Due again at `lookMs`. */
  postpone(swapNo: number, lookMs: number): Promise<void>;
  /** Null before the first reading of the ledger. */
  cursor(): Promise<number | null>;
  /** Stores the ledger updates about known swaps and moves the cursor, all or nothing. */
  advance(
    created: readonly SwapContract[],
    archived: readonly ContractId[],
    through: number,
  ): Promise<void>;
  /** Contracts of a swap, oldest first. */
  contracts(swapId: string): Promise<readonly (SwapContract & { readonly isArchived: boolean })[]>;
  /** Steps not yet in the journal, in order. */
  openMoves(limit: number): Promise<MoveRow[]>;
  recorded(moveNo: number, seq: number): Promise<void>;
  /** The seq of a step in the journal; null if not found. */
  seqOfMove(moveNo: number): Promise<number | null>;
}
