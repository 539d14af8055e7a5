// Converts settlement rows between tables and ports.

import { BatchState, statesUnderWay } from "../../../../ports/ledger/batch-states.ts";
import type {
  BatchPhase,
  BatchRow,
  Coin,
  SettledFill,
} from "../../../../ports/ledger/settlement-store.ts";
import { numberOrNull, type Stored } from "../../rows.ts";
import { code, codes, type Statements } from "../../sql.ts";

export type StoredBatch = Stored<BatchRow>;

export interface StoredFill {
  readonly trade_id: string;
  readonly ts_us: string;
  readonly market: number;
  readonly qty: string;
  readonly quote: string;
  readonly taker_account: number;
  readonly maker_account: number;
  readonly taker_fee: string;
  readonly maker_fee: string;
  readonly taker_side: number;
}

export const fillColumns = `f.trade_id, f.ts_us, f.market, f.qty, f.quote, f.taker_account, f.maker_account,
  f.taker_fee, f.maker_fee, f.taker_side`;

/** Condition for an allocation `a` of which at least one coin is gone. */
export const isSpentLock = `exists (
  select from unnest(a.holdings) as coin (id)
  where not exists (select from settlement_holdings h where h.contract_id = coin.id))`;

export function batchOf(row: StoredBatch): BatchRow {
  return {
    batchId: row.batch_id,
    partyA: row.party_a,
    partyB: row.party_b,
    state: Number(row.state),
    phase: row.phase as BatchPhase,
    openedMs: Number(row.opened_ms),
    fillCount: Number(row.fill_count),
    dueMs: Number(row.due_ms),
    attempts: Number(row.attempts),
    setbacks: Number(row.setbacks),
    round: Number(row.round),
    deadlineMs: numberOrNull(row.deadline_ms),
    dedupOffset: numberOrNull(row.dedup_offset),
    submissionId: row.submission_id,
    token: row.token,
    isUnknown: row.is_unknown,
    updateId: row.update_id,
    reason: row.reason,
  };
}

const buySide = 0;

export function fillOf(row: StoredFill): SettledFill {
  const isTakerBuyer = row.taker_side === buySide;
  const { taker_account: taker, maker_account: maker } = row;
  const [takerFee, makerFee] = [BigInt(row.taker_fee), BigInt(row.maker_fee)];
  return {
    tradeId: Number(row.trade_id),
    tsMs: Math.floor(Number(row.ts_us) / 1000),
    market: row.market,
    buyer: isTakerBuyer ? taker : maker,
    seller: isTakerBuyer ? maker : taker,
    qty: Number(row.qty),
    quote: BigInt(row.quote),
    buyerFee: isTakerBuyer ? takerFee : makerFee,
    sellerFee: isTakerBuyer ? makerFee : takerFee,
  };
}

/** True if all inputs of a payment, given as a JSON list, are archived. */
export function areSpent(inputs: string | null, archived: readonly string[]): boolean {
  if (inputs === null) return false;
  const coins = JSON.parse(inputs) as string[];
  return coins.length > 0 && coins.every((coin) => archived.includes(coin));
}

/**
 * States of batches that are sealed and have not ended: those in the condition of the partial index, so that it
 * applies.
 */
export const underWay = codes(...statesUnderWay);

/** Parses an amount: an integer that the server may write with a fraction of zeros. */
export function whole(text: string): bigint {
  return BigInt(text.split(".")[0] ?? "0");
}

/** Stores coins seen on the ledger; coins that are already stored stay unchanged. */
export async function addCoins(sql: Statements, coins: readonly Coin[]): Promise<void> {
  if (coins.length === 0) return;
  const rows = coins.map(({ contractId, party, asset, amount, isLocked }) => ({
    contract_id: contractId,
    party,
    asset,
    amount: String(amount),
    is_locked: isLocked,
  }));
  await sql`insert into settlement_holdings ${sql.rows(rows)} on conflict do nothing`;
}

/** Records the end of a batch: releases the coins that were leased to it, and stores the reason. */
export async function auditEnd(
  sql: Statements,
  end: { batchId: string; nowMs: number; status: string; reason: string },
): Promise<void> {
  const { batchId, nowMs, status, reason } = end;
  await sql`update settlement_holdings set batch_id = null where batch_id = ${batchId}`;
  await sql`
    insert into settlement_audit (batch_id, at_ms, status, reason)
    values (${batchId}, ${nowMs}, ${status}, ${reason})`;
}

/** Confirms a batch; idempotent. Returns false if another update already confirmed it. */
export async function confirmIn(
  sql: Statements,
  batchId: string,
  updateId: string,
  offset: number,
): Promise<boolean> {
  const { count } = await sql`
    update settlement_batches
    set state = ${code(BatchState.confirmed)}, is_unknown = false, update_id = ${updateId}, confirmed_offset = ${offset},
        reason = null
    where batch_id = ${batchId} and state in ${underWay}`;
  // The batch's coins stay leased until ledger updates show which are spent.
  if (count > 0) return true;
  const [row] = await sql<{ update_id: string | null }[]>`
    select update_id from settlement_batches where batch_id = ${batchId}`;
  return row === undefined || row.update_id === updateId;
}
