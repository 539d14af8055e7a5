// Records the answers that one user got about deposits and withdrawals, and compares them with the venue's tables. A
// payment is identified by its amount, which is unique for a user; a withdrawal by its idempotency key.

import type { Sql } from "../../src/adapters/postgres/connection.ts";

/** State of a payment to custody on the ledger; `sent` means that its outcome is unknown. */
export type PaymentOutcome = "sent" | "paid";

export interface ToldWithdrawal {
  readonly amount: string;
  /** The withdrawal's id; null until the venue has reported it. */
  id: string | null;
  /** The ledger update that completed the withdrawal; null until the venue has reported it. */
  updateId: string | null;
}

/** State codes in the tables, as defined in src/ports/ledger/custody.ts. */
const creditedState = 2;
const completedState = 3;

interface DepositFact {
  readonly amount: string;
  readonly state: number;
  readonly update_id: string;
}

interface WithdrawalFact {
  readonly idempotency_key: string;
  readonly amount: string;
  readonly state: number;
  readonly update_id: string | null;
}

export class MoneyHistory {
  readonly account: number;
  /** Payments to custody by amount in minor units, as the ledger answered them. */
  readonly payments = new Map<string, PaymentOutcome>();
  /** Ledger update ids of deposits that the venue reported as credited, by amount in minor units. */
  readonly credited = new Map<string, string>();
  /** Withdrawals by idempotency key. */
  readonly withdrawals = new Map<string, ToldWithdrawal>();
  /** Contradictory answers that were found while the venue was running. */
  readonly contradictions: string[] = [];

  constructor(account: number) {
    this.account = account;
  }

  toldCredited(amount: string, updateId: string): void {
    const before = this.credited.get(amount);
    if (before !== undefined && before !== updateId) {
      this.contradictions.push(
        `deposit of ${amount}: reported with update ${before}, then ${updateId}`,
      );
    }
    this.credited.set(amount, updateId);
  }

  toldWithdrawal(key: string, id: string, status: string, updateId: string | null): void {
    const told = this.withdrawals.get(key);
    if (told === undefined) return;
    if (told.id !== null && told.id !== id) {
      this.contradictions.push(`withdrawal ${key}: reported with id ${told.id}, then ${id}`);
    }
    told.id = id;
    const isSame = status === "completed" && updateId === told.updateId;
    if (told.updateId !== null && !isSame) {
      this.contradictions.push(
        `withdrawal ${key}: reported as completed, then as ${status} by ${updateId}`,
      );
    }
    if (status === "failed") this.contradictions.push(`withdrawal ${key} failed`);
    if (status === "completed") told.updateId = updateId;
  }

  /**
   * Returns differences between the answers and the tables. With `isOver`, also payments and withdrawals that should
   * have completed by now.
   */
  async faults(sql: Sql, isOver: boolean): Promise<string[]> {
    const deposits = await sql<DepositFact[]>`
      select amount::text as amount, state, update_id from deposits where account = ${this.account}`;
    const withdrawals = await sql<WithdrawalFact[]>`
      select idempotency_key, amount::text as amount, state, update_id from withdrawals
      where account = ${this.account}`;
    return [
      ...this.contradictions,
      ...this.#depositFaults(deposits, isOver),
      ...this.#withdrawalFaults(withdrawals, isOver),
    ].map((message) => `account ${this.account}: ${message}`);
  }

  #depositFaults(rows: readonly DepositFact[], isOver: boolean): string[] {
    const faults: string[] = [];
    for (const amount of this.payments.keys()) {
      const found = rows.filter((row) => row.amount === amount);
      if (found.length > 1) faults.push(`payment of ${amount} is recorded ${found.length} times`);
      const isCredited = found[0]?.state === creditedState;
      const told = this.credited.get(amount);
      if (told !== undefined && !(isCredited && found[0]?.update_id === told)) {
        faults.push(
          `deposit of ${amount}: reported as credited by ${told}, but the table has ${found[0]?.update_id}`,
        );
      }
      if (isOver && this.payments.get(amount) === "paid" && !isCredited) {
        faults.push(
          `payment of ${amount} was not credited; the state of its row is ${found[0]?.state}`,
        );
      }
    }
    const unknown = rows.filter(({ amount }) => !this.payments.has(amount));
    return [...faults, ...unknown.map(({ amount }) => `deposit of ${amount} without a payment`)];
  }

  #withdrawalFaults(rows: readonly WithdrawalFact[], isOver: boolean): string[] {
    const faults: string[] = [];
    for (const [key, told] of this.withdrawals) {
      const found = rows.find((row) => row.idempotency_key === key);
      if (told.id !== null && found?.amount !== told.amount) {
        faults.push(
          `withdrawal ${key}: reported with amount ${told.amount}, but the table has ${found?.amount}`,
        );
      }
      if (told.updateId !== null && found?.update_id !== told.updateId) {
        faults.push(
          `withdrawal ${key}: reported as paid by ${told.updateId}, but the table has ${found?.update_id}`,
        );
      }
      if (isOver && told.id !== null && found?.state !== completedState) {
        faults.push(`withdrawal ${key} did not complete; its state is ${found?.state}`);
      }
    }
    return faults;
  }
}
