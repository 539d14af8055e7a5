// Swaps as they rest: what fronts ask for, and what the settlement thread works on. A step is one
// transaction: the state, guarded by the one before, a row for the journal, and notices to providers.
// Types only.

import type { Side } from "../../core/orders.ts";
import type { SwapReason, SwapState } from "../../core/swaps.ts";
import type { ContractId, Party } from "../ledger/ledger.ts";
import type { ResultNotice } from "./liquidity-providers.ts";
import type { PreparedSubmission, SwapContract } from "./swap-ledger.ts";

/** What is under way on the ledger. */
export const SwapPhase = {
  none: 0,
  lock: 1,
  settle: 2,
  cancel: 3,
  withdraw: 4,
  /** The same by the operator, where the trader is a member. */
  reclaim: 5,
} as const;
export type SwapPhase = (typeof SwapPhase)[keyof typeof SwapPhase];

/** Who the trader is on the ledger. */
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
  /** Of the quote that was taken, its grace included: until then the trader's signature must be there. */
  readonly signBeforeMs: number;
  readonly prepareFor: SwapPhase;
  readonly prepared: PreparedSubmission | null;
  readonly prepareFault: string | null;
  /** The coins that what is prepared, or signed, pays with; none but for a lock. */
  readonly inputs: readonly ContractId[];
  readonly signature: string | null;
  /** A lock that was signed in time did not come about, and not by the trader's doing. */
  readonly isLockFailed: boolean;
  readonly phase: SwapPhase;
  readonly dedupOffset: number | null;
  readonly submissionId: string | null;
  readonly isUnknown: boolean;
  /** Submissions of the phase. */
  readonly attempts: number;
  /** Settlements that the ledger definitely refused. */
  readonly refusals: number;
  readonly isAbortAsked: boolean;
  /** The trader's account, by the operator: settlement may freeze one for the very coins that a swap locks. */
  readonly isFrozen: boolean;
  /** Whether the trader's party was seen to let the operator act for it. */
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

/** What a provider is to be told with a step. */
export type NoticeDraft =
  | { readonly provider: string; readonly kind: "result"; readonly body: ResultNotice }
  | { readonly provider: string; readonly kind: "cancel"; readonly body: { reason: string } };

export interface SwapStep {
  readonly swap: SwapRow;
  readonly to: SwapState;
  readonly reason: SwapReason;
  readonly dueMs: number;
  readonly atMs: number;
  /** What the step rests on: ids of the ledger, who was chosen. */
  readonly details: Readonly<Record<string, string>>;
  readonly notices: readonly NoticeDraft[];
  /** With the step that takes a quote. */
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

/** How many quotes an account may have taken since a time and not signed for; one more is not taken. */
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
  /** Of the journal; null until it is there. */
  readonly seq: number | null;
}

export interface SwapQuery {
  readonly account: number;
  readonly before: number | null;
  readonly limit: number;
}

/** Coins that other locks of a party name, which are not on the ledger yet. */
export interface NamedCoins {
  readonly signed: readonly ContractId[];
  /** By locks that are prepared only. */
  readonly prepared: readonly ContractId[];
}

/** How a phase ended without a commit. */
export interface PhaseEnd {
  /** When the swap is looked at again. */
  readonly lookMs: number;
  /** Counts as a settlement that the ledger refused. */
  readonly isRefusal: boolean;
  /** A lock that failed and not by the trader's doing. */
  readonly isLockFailed: boolean;
  readonly fault: string | null;
}

/** An attempt that is about to be sent. */
export interface SwapAttempt {
  readonly phase: SwapPhase;
  readonly dedupOffset: number;
  readonly submissionId: string;
}

/** What fronts read and change. */
/** A swap with what is shown of it, as one transaction had it: what follows needs no other read. */
export interface SwapRecord extends SwapRow {
  readonly quotes: readonly QuoteRow[];
  readonly moves: readonly MoveRow[];
}

export interface SwapRepository {
  /** Asserts that the account is one of a wallet: nobody else has a session. */
  trader(account: number): Promise<Trader>;
  /** Null where the account has `openMax` that are not over. */
  add(swap: NewSwap, openMax: number): Promise<SwapRecord | null>;
  swap(swapNo: number): Promise<SwapRow | null>;
  /** Newest first. */
  swapsOf(query: SwapQuery): Promise<SwapRow[]>;
  quotes(swapNo: number): Promise<QuoteRow[]>;
  moves(swapNo: number): Promise<MoveRow[]>;
  /**
   * Quotes that the account took and has not signed for, or called off, or took its coins back from, since then;
   * those it may still sign for included.
   */
  unkept(account: number, sinceMs: number): Promise<number>;
  /**
   * Null where the swap is no longer in the state, or was signed or is under way meanwhile, or where the
   * account has taken as many quotes as `taken` allows.
   */
  step(step: SwapStep): Promise<SwapRecord | null>;
  /** Quotes can be taken until then, if that is later than before. */
  extend(swapNo: number, dueMs: number): Promise<void>;
  /** Asks for something to sign; drops what was prepared before and is not signed. */
  requestPrepare(swap: SwapRow, phase: SwapPhase): Promise<boolean>;
  /**
   * Null where this is not what is to be signed now, or it is too late. What other locks of the trader
   * have prepared with the same coins is dropped. Spec RFQ-27.
   */
  sign(swap: SwapRow, hash: string, signature: string, nowMs: number): Promise<SwapRecord | null>;
}

/** What the settlement thread works on. */
export interface SwapStore extends SwapRepository {
  /** Those that are not over, oldest first. */
  open(limit: number): Promise<SwapRow[]>;
  /** Those that may be looked at by now. */
  due(nowMs: number): Promise<SwapRow[]>;
  /** False where the provider was heard before. */
  addQuote(swapNo: number, quote: Omit<QuoteRow, "quoteNo">, atMs: number): Promise<boolean>;
  /** What a lock of the party besides this swap's is to pay with. */
  namedCoins(swap: SwapRow): Promise<NamedCoins>;
  /** Keeps what is to be signed, unless a signed lock of the trader names one of its coins by now. */
  prepared(
    swap: SwapRow,
    answer: PreparedSubmission | string,
    inputs?: readonly ContractId[],
  ): Promise<void>;
  /** The operator wants it called off; false where it is over or being settled. */
  requestAbort(swapNo: number): Promise<boolean>;
  begin(swapNo: number, attempt: SwapAttempt): Promise<void>;
  /** The last attempt's outcome is not known, and it is looked at again at `lookMs`. */
  unknown(swapNo: number, lookMs: number): Promise<void>;
  /** No attempt of the phase is or comes on the ledger. */
  endPhase(swapNo: number, end: PhaseEnd): Promise<void>;
  /** Looked at again from then on. */
  postpone(swapNo: number, lookMs: number): Promise<void>;
  /** Null before the ledger was read for the first time. */
  cursor(): Promise<number | null>;
  /** Keeps what concerns known swaps, and moves the cursor, all or nothing. */
  advance(
    created: readonly SwapContract[],
    archived: readonly ContractId[],
    through: number,
  ): Promise<void>;
  /** Contracts of a swap, oldest first. */
  contracts(swapId: string): Promise<readonly (SwapContract & { readonly isArchived: boolean })[]>;
  /** Steps the journal does not have yet, in order. */
  openMoves(limit: number): Promise<MoveRow[]>;
  recorded(moveNo: number, seq: number): Promise<void>;
  /** The seq of a step that the journal has; null if it is not found. */
  seqOfMove(moveNo: number): Promise<number | null>;
}
