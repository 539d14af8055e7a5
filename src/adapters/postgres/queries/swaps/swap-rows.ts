// Rows of swaps as PostgreSQL gives them, and as the services have them.

import { AccountFlag } from "../../../../core/accounts.ts";
import type { Side } from "../../../../core/orders.ts";
import type { SwapReason, SwapState } from "../../../../core/swaps.ts";
import type { ContractId } from "../../../../ports/ledger/ledger.ts";
import type { PreparedSubmission, SwapContract } from "../../../../ports/swaps/swap-ledger.ts";
import type { MoveRow, QuoteRow, SwapPhase, SwapRow } from "../../../../ports/swaps/swap-store.ts";

export interface StoredSwap {
  readonly swap_no: string;
  readonly swap_id: string;
  readonly account: number;
  readonly party: string;
  readonly party_key: string;
  readonly market: number;
  readonly side: number;
  readonly asked_lots: string | null;
  readonly asked_quote: string | null;
  readonly state: number;
  readonly reason: number;
  readonly created_ms: string;
  readonly window_ends_ms: string;
  readonly due_ms: string;
  readonly quote_no: string | null;
  readonly provider: string | null;
  readonly provider_party: string | null;
  readonly quote_id: string | null;
  readonly price_ticks: string | null;
  readonly lots: string | null;
  readonly is_wallet: boolean;
  readonly accepted_ms: string | null;
  readonly allocate_before_ms: string;
  readonly settle_before_ms: string;
  readonly sign_before_ms: string;
  readonly prepare_for: number;
  readonly prepared: string | null;
  readonly prepare_fault: string | null;
  readonly inputs: string | null;
  readonly signature: string | null;
  readonly is_lock_failed: boolean;
  readonly phase: number | null;
  readonly dedup_offset: string | null;
  readonly submission_id: string | null;
  readonly is_unknown: boolean;
  readonly attempts: number;
  readonly refusals: number;
  readonly is_abort_asked: boolean;
  readonly update_id: string | null;
  /** Of the account's standing and membership, where the row was read with them. */
  readonly flags?: number | null;
  readonly auth_cid?: string | null;
}

function numberOrNull(text: string | null): number | null {
  return text === null ? null : Number(text);
}

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

/** Ids of coins. */
export function inputsOf(text: string | null): readonly ContractId[] {
  return text === null ? [] : (JSON.parse(text) as ContractId[]);
}

export function swapOf(row: StoredSwap): SwapRow {
  const { account, party, party_key: publicKey } = row;
  return {
    swapNo: Number(row.swap_no),
    swapId: row.swap_id,
    trader: { account, party, publicKey },
    market: row.market,
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
    prepared: row.prepared === null ? null : (JSON.parse(row.prepared) as PreparedSubmission),
    prepareFault: row.prepare_fault,
    inputs: inputsOf(row.inputs),
    signature: row.signature,
    isLockFailed: row.is_lock_failed,
    phase: (row.phase ?? 0) as SwapPhase,
    dedupOffset: numberOrNull(row.dedup_offset),
    submissionId: row.submission_id,
    isUnknown: row.is_unknown,
    attempts: row.attempts,
    refusals: row.refusals,
    isAbortAsked: row.is_abort_asked,
    isMember: (row.auth_cid ?? null) !== null,
    isFrozen: ((row.flags ?? 0) & AccountFlag.frozen) !== 0,
    updateId: row.update_id,
  };
}

export interface StoredQuote {
  readonly quote_no: string;
  readonly provider: string;
  readonly provider_party: string;
  readonly quote_id: string;
  readonly price_ticks: string;
  readonly lots: string;
  readonly valid_until_ms: string;
}

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

export interface StoredMove {
  readonly move_no: string;
  readonly swap_no: string;
  readonly account: number;
  readonly market: number;
  readonly side: number;
  readonly from_state: number;
  readonly to_state: number;
  readonly reason: number;
  readonly price_ticks: string;
  readonly lots: string;
  readonly details: string;
  readonly at_ms: string;
  readonly seq: string | null;
}

export function moveOf(row: StoredMove): MoveRow {
  return {
    moveNo: Number(row.move_no),
    swapNo: Number(row.swap_no),
    account: row.account,
    market: row.market,
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

/** Amounts are bigints, which JSON does not have. */
export function contractText(contract: SwapContract): string {
  const legs = contract.legs.map((leg) => ({ ...leg, amount: String(leg.amount) }));
  return JSON.stringify({ ...contract, legs });
}

export function contractOf(text: string): SwapContract {
  const body = JSON.parse(text) as SwapContract;
  const legs = body.legs.map((leg) => ({ ...leg, amount: BigInt(leg.amount) }));
  return { ...body, legs };
}
