// Converts rows of swaps between PostgreSQL and the services.

import { AccountFlag } from "../../../../core/accounts.ts";
import type { Side } from "../../../../core/orders.ts";
import type { SwapReason, SwapState } from "../../../../core/swaps.ts";
import type { ContractId } from "../../../../ports/ledger/ledger.ts";
import type { PreparedSubmission, SwapContract } from "../../../../ports/swaps/swap-ledger.ts";
import type { MoveRow, QuoteRow, SwapPhase, SwapRow } from "../../../../ports/swaps/swap-store.ts";
import { numberOrNull, type Stored } from "../../rows.ts";

/** Columns of a swap, with those of its accepted quote and of its account. */
export type StoredSwap = Stored<
  Omit<SwapRow, "trader" | "taken" | "isMember" | "isFrozen" | "freeUnits">
> &
  Stored<SwapRow["trader"]> & {
    readonly [Column in keyof StoredQuote]: StoredQuote[Column] | null;
  } & {
    readonly party_key: string;
    /** Flags and membership of the account; undefined if the row was read without them. */
    readonly flags?: number | null;
    readonly auth_cid?: string | null;
  };

function takenOf(row: StoredSwap): QuoteRow | null {
  if (row.quote_no === null) return null;
  return {
    quoteNo: Number(row.quote_no),
    provider: row.provider ?? "",
    providerParty: row.provider_party ?? "",
    quoteId: row.quote_id ?? "",
    priceTicks: Number(row.price_ticks),
    lots: Number(row.lots),
    validUntilMs: 0,
  };
}

/** Parses a JSON list of the contract ids of coins. */
export function inputsOf(text: string | null): readonly ContractId[] {
  return text === null ? [] : (JSON.parse(text) as ContractId[]);
}

/**
 * The column `prepared` has what the ledger answered as JSON: the transaction to sign or, before a quote is accepted, what
 * the trader has free.
 */
type Answered = PreparedSubmission | { readonly free: string };

/** Formats what the trader has free for the column `prepared`. */
export function fundsText(freeUnits: bigint): string {
  return JSON.stringify({ free: String(freeUnits) } satisfies Answered);
}

function answeredIn(text: string | null): Pick<SwapRow, "prepared" | "freeUnits"> {
  if (text === null) return { prepared: null, freeUnits: null };
  const answered = JSON.parse(text) as Answered;
  if ("free" in answered) return { prepared: null, freeUnits: BigInt(answered.free) };
  return { prepared: answered, freeUnits: null };
}

export function swapOf(row: StoredSwap): SwapRow {
  const { party, party_key: publicKey } = row;
  return {
    swapNo: Number(row.swap_no),
    swapId: row.swap_id,
    trader: { account: Number(row.account), party, publicKey },
    market: Number(row.market),
    side: row.side as Side,
    askedLots: numberOrNull(row.asked_lots),
    askedQuote: row.asked_quote === null ? null : BigInt(row.asked_quote),
    state: row.state as SwapState,
    reason: row.reason as SwapReason,
    createdMs: Number(row.created_ms),
    windowEndsMs: Number(row.window_ends_ms),
    dueMs: Number(row.due_ms),
    taken: takenOf(row),
    isWallet: row.is_wallet,
    acceptedMs: Number(row.accepted_ms ?? 0),
    allocateBeforeMs: Number(row.allocate_before_ms),
    settleBeforeMs: Number(row.settle_before_ms),
    signBeforeMs: Number(row.sign_before_ms),
    prepareFor: row.prepare_for as SwapPhase,
    ...answeredIn(row.prepared),
    prepareFault: row.prepare_fault,
    inputs: inputsOf(row.inputs),
    signature: row.signature,
    takenSignature: row.taken_signature,
    isLockFailed: row.is_lock_failed,
    phase: (row.phase ?? 0) as SwapPhase,
    dedupOffset: numberOrNull(row.dedup_offset),
    submissionId: row.submission_id,
    isUnknown: row.is_unknown,
    attempts: Number(row.attempts),
    refusals: Number(row.refusals),
    isAbortAsked: row.is_abort_asked,
    isMember: (row.auth_cid ?? null) !== null,
    isFrozen: ((row.flags ?? 0) & AccountFlag.frozen) !== 0,
    updateId: row.update_id,
  };
}

export type StoredQuote = Stored<QuoteRow>;

export function quoteOf(row: StoredQuote): QuoteRow {
  return {
    quoteNo: Number(row.quote_no),
    provider: row.provider,
    providerParty: row.provider_party,
    quoteId: row.quote_id,
    priceTicks: Number(row.price_ticks),
    lots: Number(row.lots),
    validUntilMs: Number(row.valid_until_ms),
  };
}

export type StoredMove = Stored<Omit<MoveRow, "from" | "to">> & {
  readonly from_state: number;
  readonly to_state: number;
};

export function moveOf(row: StoredMove): MoveRow {
  return {
    moveNo: Number(row.move_no),
    swapNo: Number(row.swap_no),
    account: Number(row.account),
    market: Number(row.market),
    side: row.side as Side,
    from: row.from_state as SwapState,
    to: row.to_state as SwapState,
    reason: row.reason as SwapReason,
    priceTicks: Number(row.price_ticks),
    lots: Number(row.lots),
    details: row.details,
    atMs: Number(row.at_ms),
    seq: numberOrNull(row.seq),
  };
}

/** Formats a contract as JSON; amounts become strings, because JSON cannot represent bigints. */
export function contractText(contract: SwapContract): string {
  const legs = contract.legs.map((leg) => ({ ...leg, amount: String(leg.amount) }));
  return JSON.stringify({ ...contract, legs });
}

export function contractOf(text: string): SwapContract {
  const body = JSON.parse(text) as SwapContract;
  const legs = body.legs.map((leg) => ({ ...leg, amount: BigInt(leg.amount) }));
  return { ...body, legs };
}
