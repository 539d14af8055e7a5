// Converts rows of deposits and withdrawals to the ports' types.

import type {
  DepositRow,
  DepositState,
  DuePayment,
  WithdrawalRow,
  WithdrawalStage,
} from "../../../../ports/ledger/custody.ts";
import { numberOrNull, type Stored } from "../../rows.ts";

export type StoredDeposit = Stored<DepositRow>;

export function depositOf(row: StoredDeposit): DepositRow {
  return {
    depositId: Number(row.deposit_id),
    contractId: row.contract_id,
    updateId: row.update_id,
    recordedMs: Number(row.recorded_ms),
    asset: Number(row.asset),
    amount: BigInt(row.amount),
    account: numberOrNull(row.account),
    state: row.state as DepositState,
    seqBefore: numberOrNull(row.seq_before),
  };
}

export type StoredWithdrawal = Stored<Omit<WithdrawalRow, "stage">> & { readonly state: number };

export function withdrawalOf(row: StoredWithdrawal): WithdrawalRow {
  return {
    withdrawalId: Number(row.withdrawal_id),
    account: Number(row.account),
    asset: Number(row.asset),
    amount: BigInt(row.amount),
    fee: BigInt(row.fee),
    destination: row.destination,
    createdMs: Number(row.created_ms),
    stage: row.state as WithdrawalStage,
    updateId: row.update_id,
  };
}

export type StoredPayment = Stored<Omit<DuePayment, "stage" | "inputs">> & {
  readonly state: number;
  readonly inputs: string | null;
};

export function duePaymentOf(row: StoredPayment): DuePayment {
  return {
    paymentId: Number(row.payment_id),
    asset: Number(row.asset),
    // The value is an integer, but the server may print it with a fraction of zeros.
    units: BigInt(row.units.split(".")[0] ?? "0"),
    destination: row.destination,
    createdMs: Number(row.created_ms),
    stage: row.state as WithdrawalStage,
    round: Number(row.round),
    attempts: Number(row.attempts),
    dedupOffset: numberOrNull(row.dedup_offset),
    deadlineMs: numberOrNull(row.deadline_ms),
    submissionId: row.submission_id,
    inputs: JSON.parse(row.inputs ?? "[]") as string[],
    isUnknown: row.is_unknown,
  };
}
