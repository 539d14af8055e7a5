// Stores payments from custody's coins: withdrawals and returned deposits. A state changes only by an update that also
// checks the previous state. The coins of an attempt are leased in settlement's table of holdings, under the payment's
// name.

import {
  type DuePayment,
  type PaymentAttempt,
  type PaymentKind,
  type PaymentStore,
  WithdrawalStage,
} from "../../../../ports/ledger/custody.ts";
import { code, codes, type Sql, type Statements } from "../../sql.ts";
import { free, isLeasedElsewhere, LeasedElsewhere, lease } from "../settlement/coin-leases.ts";
import { duePaymentOf, type StoredPayment } from "./custody-rows.ts";

interface PaymentTable {
  readonly table: string;
  /** View through which the payer reads payments of this kind. */
  readonly view: string;
  readonly id: string;
  /** Prefix of the name under which a payment leases its coins. */
  readonly lease: string;
}

const tables: Readonly<Record<PaymentKind, PaymentTable>> = {
  withdrawal: {
    table: "withdrawals",
    view: "withdrawal_payments",
    id: "withdrawal_id",
    lease: "w",
  },
  return: { table: "deposit_returns", view: "return_payments", id: "deposit_id", lease: "r" },
};

const { requested, underWay, completed, failed, paid, givenUp } = WithdrawalStage;
/** Stages in which a payment may still be made on the ledger. */
const openStages = codes(requested, underWay);
/**
 * Stages in which a payment is still to be made, or its end is still to be reported to clearing. They must be the
 * stages in the condition of the partial index; otherwise the index does not apply.
 */
export const dueStages = codes(requested, underWay, paid, givenUp);

const rowsPerTurn = 100;

export class PostgresPayments implements PaymentStore {
  readonly kind: PaymentKind;
  readonly #sql: Sql;
  readonly #of: PaymentTable;

  constructor(sql: Sql, kind: PaymentKind) {
    this.#sql = sql;
    this.kind = kind;
    this.#of = tables[kind];
  }

  async due(nowMs: number): Promise<DuePayment[]> {
    const sql = this.#sql;
    const rows = await sql<StoredPayment[]>`
      select * from ${sql.identifier(this.#of.view)} where state in ${dueStages} and due_ms <= ${nowMs}
      order by due_ms, payment_id limit ${rowsPerTurn}`;
    return rows.map(duePaymentOf);
  }

  async begin(attempt: PaymentAttempt): Promise<boolean> {
    const { paymentId, dedupOffset, deadlineMs, submissionId, inputs } = attempt;
    const { table, id } = this.#of;
    return this.#sql
      .begin(async (tx) => {
        await lease(tx, inputs, this.#leaseOf(paymentId));
        const { count } = await tx`
          update ${tx.identifier(table)}
          set state = ${code(underWay)}, attempts = attempts + 1, is_unknown = true,
              dedup_offset = ${dedupOffset}, deadline_ms = ${deadlineMs},
              submission_id = ${submissionId}, inputs = ${JSON.stringify(inputs)}
          where ${tx.identifier(id)} = ${paymentId} and state in ${openStages}`;
        // The payment is no longer open, for example because a ledger update has shown meanwhile that it was made.
        if (count === 0) throw new LeasedElsewhere("the payment no longer needs an attempt");
        return true;
      })
      .catch(isLeasedElsewhere);
  }

  async postpone(paymentId: number, dueMs: number, reason: string): Promise<void> {
    const sql = this.#sql;
    const { table, id } = this.#of;
    await sql`
      update ${sql.identifier(table)} set due_ms = ${dueMs}, reason = ${reason}
      where ${sql.identifier(id)} = ${paymentId} and state in ${openStages}`;
  }

  async endRound(paymentId: number, dueMs: number, reason: string): Promise<void> {
    const { table, id } = this.#of;
    await this.#sql.begin(async (tx) => {
      await tx`
        update ${tx.identifier(table)}
        set due_ms = ${dueMs}, reason = ${reason}, round = round + 1, is_unknown = false,
            dedup_offset = null, deadline_ms = null, submission_id = null, inputs = null
        where ${tx.identifier(id)} = ${paymentId} and state in ${openStages}`;
      await free(tx, this.#leaseOf(paymentId));
    });
  }

  async paid(paymentId: number, updateId: string, offset: number): Promise<void> {
    await markPaid(this.#sql, { kind: this.kind, paymentId, updateId, offset });
  }

  async giveUp(paymentId: number, reason: string): Promise<void> {
    const { table, id } = this.#of;
    await this.#sql.begin(async (tx) => {
      const { count } = await tx`
        update ${tx.identifier(table)} set state = ${code(givenUp)}, reason = ${reason}, due_ms = 0, is_unknown = false
        where ${tx.identifier(id)} = ${paymentId} and state in ${openStages}`;
      if (count > 0) await free(tx, this.#leaseOf(paymentId));
    });
  }

  async close(paymentId: number): Promise<void> {
    const sql = this.#sql;
    const { table, id } = this.#of;
    await sql`
      update ${sql.identifier(table)} set state = case state when ${code(paid)} then ${code(completed)} else ${code(failed)} end
      where ${sql.identifier(id)} = ${paymentId} and state in ${codes(paid, givenUp)}`;
  }

  #leaseOf(paymentId: number): string {
    return `${this.#of.lease}:${paymentId}`;
  }
}

/** Returns the coins that a payment's attempts may spend, as a JSON list; null before the first attempt. */
export async function inputsOf(
  sql: Statements,
  { kind, paymentId }: { readonly kind: PaymentKind; readonly paymentId: number },
): Promise<string | null> {
  const { table, id } = tables[kind];
  const [row] = await sql<{ inputs: string | null }[]>`
    select inputs from ${sql.identifier(table)} where ${sql.identifier(id)} = ${paymentId}`;
  return row?.inputs ?? null;
}

/**
 * Marks a payment as paid, when an attempt succeeds or when the payment is seen in the ledger's updates, whichever
 * comes first. The payment's coins stay leased until those updates remove them from the holdings.
 */
export async function markPaid(
  sql: Statements,
  made: {
    readonly kind: PaymentKind;
    readonly paymentId: number;
    readonly updateId: string;
    readonly offset: number;
  },
): Promise<void> {
  const { kind, paymentId, updateId, offset } = made;
  const { table, id } = tables[kind];
  await sql`
    update ${sql.identifier(table)}
    set state = ${code(paid)}, update_id = ${updateId}, ledger_offset = ${offset}, is_unknown = false,
        due_ms = 0, reason = null
    where ${sql.identifier(id)} = ${paymentId} and state = ${code(underWay)}`;
}
