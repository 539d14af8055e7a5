// Rows of deposits and withdrawals as the ports have them.

import type {
  DepositRow,
  DepositState,
  DuePayment,
  WithdrawalRow,
  WithdrawalStage,
} from "../../../../ports/ledger/custody.ts";

export interface StoredDeposit {
  readonly deposit_id: string;
  readonly contract_id: string;
  readonly update_id: string;
  readonly recorded_ms: string;
  readonly asset: number;
  readonly amount: string;
  readonly account: number | null;
  readonly state: number;
  readonly seq_before: string | null;
}

export function depositOf(row: StoredDeposit): DepositRow {
  return {
    depositId: Number(row.deposit_id),
    contractId: row.contract_id,
    updateId: row.update_id,
    recordedMs: Number(row.recorded_ms),
    asset: row.asset,
    amount: BigInt(row.amount),
    account: row.account,
    state: row.state as DepositState,
    seqBefore: numberOf(row.seq_before),
  };
}

export interface StoredWithdrawal {
  readonly withdrawal_id: string;
  readonly account: number;
  readonly asset: number;
  readonly amount: string;
  readonly fee: string;
  readonly destination: string;
  readonly created_ms: string;
  readonly state: number;
  readonly update_id: string | null;
}

export function withdrawalOf(row: StoredWithdrawal): WithdrawalRow {
  return {
    withdrawalId: Number(row.withdrawal_id),
    account: row.account,
    asset: row.asset,
    amount: BigInt(row.amount),
    fee: BigInt(row.fee),
    destination: row.destination,
    createdMs: Number(row.created_ms),
    stage: row.state as WithdrawalStage,
    updateId: row.update_id,
  };
}

export interface StoredPayment {
  readonly payment_id: string;
  readonly asset: number;
  readonly units: string;
  readonly destination: string;
  readonly created_ms: string;
  readonly state: number;
  readonly round: number;
  readonly attempts: number;
  readonly dedup_offset: string | null;
  readonly deadline_ms: string | null;
  readonly submission_id: string | null;
  readonly inputs: string | null;
  readonly is_unknown: boolean;
}

export function duePaymentOf(row: StoredPayment): DuePayment {
  return {
    paymentId: Number(row.payment_id),
    asset: row.asset,
    // Whole; the server may write it with an empty fraction.
    units: BigInt(row.units.split(".")[0] ?? "0"),
    destination: row.destination,
    createdMs: Number(row.created_ms),
    stage: row.state as WithdrawalStage,
    round: row.round,
    attempts: row.attempts,
    dedupOffset: numberOf(row.dedup_offset),
    deadlineMs: numberOf(row.deadline_ms),
    submissionId: row.submission_id,
    inputs: JSON.parse(row.inputs ?? "[]") as string[],
    isUnknown: row.is_unknown,
  };
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}
