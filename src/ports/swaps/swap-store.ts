// Stores swaps: the rows that fronts read and change, and the rows that the settlement thread processes. A step is one
// transaction. It changes the state only if the previous state is the expected one, and it adds a row for the journal
// and notices to providers. Types only.

import type { Side } from "../../core/orders.ts";
import type { SwapReason, SwapState } from "../../core/swaps.ts";
import type { ContractId, Party } from "../ledger/ledger.ts";
import type { ResultNotice } from "./liquidity-providers.ts";
import type { PreparedSubmission, SwapContract } from "./swap-ledger.ts";

/** Phases of a swap: the operation in progress on the ledger. */
export const SwapPhase = {
  none: 0,
  lock: 1,
  settle: 2,
  cancel: 3,
  withdraw: 4,
  /**
   * The same withdrawal as in `withdraw`, but submitted by the operator. That is possible only if the trader is a
   * member.
   */
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
  /** Requested amount in minor units of the quote asset; null if the request gives a quantity of the base asset. */
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
  /**
   * While the swap is quoted: what the trader's party has free of the asset that it pays, in units of the ledger
   * (10^-10), read since the last `requestPrepare`; null before that.
   */
  readonly freeUnits: bigint | null;
  /** The coins that the prepared or signed lock uses; empty for other operations. */
  readonly inputs: readonly ContractId[];
  readonly signature: string | null;
  /** The last signature that was taken. It stays after the swap has gone on, and is null if its own phase ended in vain. */
  readonly takenSignature: string | null;
  /** True if the trader signed the lock in time, and the lock failed through no fault of the trader. */
  readonly isLockFailed: boolean;
  readonly phase: SwapPhase;
  readonly dedupOffset: number | null;
  readonly submissionId: string | null;
  readonly isUnknown: boolean;
  /** Number of submissions in the current phase. */
  readonly attempts: number;
  /** Number of settlements that the ledger definitely rejected. */
  readonly refusals: number;
  readonly isAbortAsked: boolean;
  /**
   * True if the operator froze the account. A freeze by settlement does not count, because the coins that a swap locks
   * can themselves be the reason for such a freeze.
   */
  readonly isFrozen: boolean;
  /** True if the venue has seen that the trader's party authorises the operator. */
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

/** A notice to a provider that is stored together with a step. */
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
  /** Set for the step that accepts a quote. */
  readonly taken?: {
    readonly quote: QuoteRow;
    readonly isWallet: boolean;
    readonly allocateBeforeMs: number;
    readonly settleBeforeMs: number;
    readonly signBeforeMs: number;
    readonly unkept: UnkeptBound;
  };
  /** Set for the step that settles the swap. */
  readonly settled?: { readonly updateId: string; readonly offset: number };
}

/** Limit on the number of quotes that an account may have accepted since a given time without signing for them. */
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

/** Coins that the locks of a trader's other accepted swaps use. Those locks have not been seen on the ledger yet. */
export interface NamedCoins {
  /** Coins of signed locks. */
  readonly signed: readonly ContractId[];
  /** Coins of prepared locks that are not signed yet. */
  readonly prepared: readonly ContractId[];
}

/** The end of a phase without a commit. */
export interface PhaseEnd {
  /** Time at which the swap is checked next, in milliseconds. */
  readonly lookMs: number;
  /** True if the phase counts as a settlement that the ledger rejected. */
  readonly isRefusal: boolean;
  /** True if the lock failed through no fault of the trader. */
  readonly isLockFailed: boolean;
  readonly fault: string | null;
}

/** An attempt that is about to be sent. */
export interface SwapAttempt {
  readonly phase: SwapPhase;
  readonly dedupOffset: number;
  readonly submissionId: string;
}

/** A swap with its quotes and steps, read in one transaction. */
export interface SwapRecord extends SwapRow {
  readonly quotes: readonly QuoteRow[];
  readonly moves: readonly MoveRow[];
}

/** The part of the store that fronts use. */
export interface SwapRepository {
  /**
   * Returns the trader of an account. Asserts that a wallet opened the account, because no other account has a session.
   */
  trader(account: number): Promise<Trader>;
  /** Adds a swap; returns null if the account already has `openMax` open swaps. */
  add(swap: NewSwap, openMax: number): Promise<SwapRecord | null>;
  swap(swapNo: number): Promise<SwapRow | null>;
  /** Returns swaps of an account, newest first. */
  swapsOf(query: SwapQuery): Promise<SwapRow[]>;
  quotes(swapNo: number): Promise<QuoteRow[]>;
  moves(swapNo: number): Promise<MoveRow[]>;
  /**
   * Returns how many quotes the account has accepted since `sinceMs` without completing its part: it let the time to
   * sign pass, cancelled the swap, or withdrew its coins. Accepted quotes for which it may still sign count too.
   */
  unkept(account: number, sinceMs: number): Promise<number>;
  /**
   * Stores a step. Returns null if the swap has left the expected state, or if it was signed or an attempt was started
   * since the swap was read. Also returns null if the account has already accepted as many unsigned quotes as `taken`
   * allows.
   */
  step(step: SwapStep): Promise<SwapRecord | null>;
  /** Extends the time in which quotes can be accepted; never shortens it. */
  extend(swapNo: number, dueMs: number): Promise<void>;
  /**
   * Requests a transaction to sign, or the trader's free coins if no quote is accepted yet. An earlier answer that is
   * not signed yet is dropped. Returns false if the swap has
   * left its state, or if a transaction is already signed or submitted.
   */
  requestPrepare(swap: SwapRow, phase: SwapPhase): Promise<boolean>;
  /**
   * Stores the signature. Returns null if this is not the transaction that must be signed now, or if it is too late.
   * Other prepared locks of the trader that use the same coins are dropped. Spec RFQ-27.
   */
  sign(swap: SwapRow, hash: string, signature: string, nowMs: number): Promise<SwapRecord | null>;
}

/** The part of the store that the settlement thread uses. */
export interface SwapStore extends SwapRepository {
  /** Returns swaps that have not ended, oldest first. */
  open(limit: number): Promise<SwapRow[]>;
  /** Whether a swap has not ended, or a step is not yet in the journal. */
  hasOpen(): Promise<boolean>;
  /** Returns swaps that are due at `nowMs`. */
  due(nowMs: number): Promise<SwapRow[]>;
  /** Adds a provider's quote; returns false if a quote of this provider is already stored. */
  addQuote(swapNo: number, quote: Omit<QuoteRow, "quoteNo">, atMs: number): Promise<boolean>;
  /** Returns the coins that the locks of the trader's other swaps use. */
  namedCoins(swap: SwapRow): Promise<NamedCoins>;
  /** Stores the transaction to sign, unless a lock that the trader has signed in the meantime uses one of its coins. */
  prepared(
    swap: SwapRow,
    answer: PreparedSubmission | string,
    inputs?: readonly ContractId[],
  ): Promise<void>;
  /** Stores what the trader of a quoted swap has free, in units of the ledger. */
  keepFunds(swapNo: number, freeUnits: bigint): Promise<void>;
  /** Requests an abort by the operator; returns false if the swap has ended or is being settled or released. */
  requestAbort(swapNo: number): Promise<boolean>;
  /**
   * Stores an attempt before it is sent. Returns false, and the attempt must not be sent, if it `needsSignature` and the
   * swap no longer has one, because its trader cancelled it.
   */
  begin(swapNo: number, attempt: SwapAttempt, needsSignature: boolean): Promise<boolean>;
  /**
   * Ends an attempt that the ledger refused only because the venue's traffic is used up. Nothing of it can commit. The
   * signature stays, so that the venue sends it again at `lookMs`; until then the trader may cancel the swap.
   */
  awaitTraffic(swapNo: number, lookMs: number): Promise<void>;
  /** Records that the outcome of the last attempt is unknown; the swap is checked again at `lookMs`. */
  unknown(swapNo: number, lookMs: number): Promise<void>;
  /** Ends a phase in which no attempt is on the ledger or can still commit. */
  endPhase(swapNo: number, end: PhaseEnd): Promise<void>;
  /** Makes the swap due again at `lookMs`. */
  postpone(swapNo: number, lookMs: number): Promise<void>;
  /** Returns the ledger offset up to which updates were read; null before the first read. */
  cursor(): Promise<number | null>;
  /** Stores the ledger updates about known swaps and moves the cursor, in one transaction. */
  advance(
    created: readonly SwapContract[],
    archived: readonly ContractId[],
    through: number,
  ): Promise<void>;
  /** Returns the contracts of a swap, oldest first. */
  contracts(swapId: string): Promise<readonly (SwapContract & { readonly isArchived: boolean })[]>;
  /** Returns the steps that are not in the journal yet, in order. */
  openMoves(limit: number): Promise<MoveRow[]>;
  recorded(moveNo: number, seq: number): Promise<void>;
  /** Returns the seq of a step in the journal; null if it is not found. */
  seqOfMove(moveNo: number): Promise<number | null>;
}
