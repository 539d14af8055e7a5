// Stores the operator's decisions on deposits that are unclaimed or too small, and changes of asset terms, each with an
// audit row. The settlement thread carries out the decisions.

import {
  type CustodyAdmin,
  type CustodyTerms,
  DepositState,
  type HeldDeposit,
  WithdrawalStage,
} from "../../../../ports/ledger/custody.ts";
import { numberOrNull, type Stored } from "../../rows.ts";
import { code, codes, type Sql, type Statements } from "../../sql.ts";

const { pending, credited, unclaimed, tooSmall, returning, returned } = DepositState;

const rowsMax = 1_000;

export class PostgresCustodyAdmin implements CustodyAdmin {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async heldDeposits(isEndedToo: boolean): Promise<HeldDeposit[]> {
    const rows = await this.#sql<Stored<HeldDeposit>[]>`
      select d.deposit_id, d.recorded_ms, d.asset, d.units::text as units, d.sender, d.reference,
             d.account, d.state, d.update_id, r.update_id as returned_by, r.reason
      from deposits d left join deposit_returns r on r.deposit_id = d.deposit_id
      where d.state not in ${codes(pending, credited)}
        and (${isEndedToo} or d.state <> ${code(returned)})
      order by d.deposit_id desc limit ${rowsMax}`;
    return rows.map((row) => ({
      depositId: Number(row.deposit_id),
      recordedMs: Number(row.recorded_ms),
      asset: Number(row.asset),
      units: BigInt(row.units),
      sender: row.sender,
      reference: row.reference,
      account: numberOrNull(row.account),
      state: Number(row.state),
      updateId: row.update_id,
      returnedBy: row.returned_by,
      reason: row.reason,
    }));
  }

  async credit(depositId: number, account: number, nowMs: number): Promise<boolean> {
    return this.#sql.begin(async (tx) => {
      const { count } = await tx`
        update deposits set state = ${code(pending)}, account = ${account}, seq_before = null
        where deposit_id = ${depositId} and state in ${codes(unclaimed, tooSmall)}`;
      if (count === 0) return false;
      await audit(tx, nowMs, "credit", `${depositId}`, `to account ${account}`);
      return true;
    });
  }

  async sendBack(depositId: number, nowMs: number): Promise<boolean> {
    return this.#sql.begin(async (tx) => {
      const { count } = await tx`
        update deposits set state = ${code(returning)} where deposit_id = ${depositId} and state in ${codes(unclaimed, tooSmall)}`;
      if (count === 0) return false;
      // A failed return starts a new round with new command ids, because command ids are never reused.
      await tx`
        insert into deposit_returns (deposit_id, asset, units, destination, created_ms)
        select deposit_id, asset, units, sender, ${nowMs} from deposits
        where deposit_id = ${depositId}
        on conflict (deposit_id) do update
          set state = ${code(WithdrawalStage.requested)}, round = deposit_returns.round + 1, attempts = 0, created_ms = ${nowMs},
              dedup_offset = null, deadline_ms = null, submission_id = null, inputs = null,
              is_unknown = false, due_ms = 0, reason = null
          where deposit_returns.state = ${code(WithdrawalStage.failed)}`;
      await audit(tx, nowMs, "return", `${depositId}`, "to its sender");
      return true;
    });
  }

  async terms(): Promise<CustodyTerms[]> {
    const rows = await this.#sql<Stored<CustodyTerms>[]>`
      select asset, deposit_min, withdrawal_min, withdrawal_fee from custody_terms order by asset`;
    return rows.map(({ asset, deposit_min, withdrawal_min, withdrawal_fee }) => ({
      asset: Number(asset),
      depositMin: BigInt(deposit_min),
      withdrawalMin: BigInt(withdrawal_min),
      withdrawalFee: BigInt(withdrawal_fee),
    }));
  }

  async setTerms(terms: CustodyTerms, code: string, detail: string, nowMs: number): Promise<void> {
    const { asset, depositMin, withdrawalMin, withdrawalFee } = terms;
    await this.#sql.begin(async (tx) => {
      await tx`
        insert into custody_terms (asset, deposit_min, withdrawal_min, withdrawal_fee)
        values (${asset}, ${String(depositMin)}, ${String(withdrawalMin)}, ${String(withdrawalFee)})
        on conflict (asset) do update
          set deposit_min = excluded.deposit_min, withdrawal_min = excluded.withdrawal_min,
              withdrawal_fee = excluded.withdrawal_fee`;
      await audit(tx, nowMs, "terms", code, detail);
    });
  }

  async audit(): Promise<{ atMs: number; action: string; subject: string; detail: string }[]> {
    const rows = await this.#sql<
      { at_ms: string; action: string; subject: string; detail: string }[]
    >`select at_ms, action, subject, detail from custody_audit
      order by audit_id desc limit ${rowsMax}`;
    return rows.map(({ at_ms: atMs, ...row }) => ({ atMs: Number(atMs), ...row }));
  }
}

async function audit(
  sql: Statements,
  atMs: number,
  action: string,
  subject: string,
  detail: string,
): Promise<void> {
  await sql`
    insert into custody_audit (at_ms, action, subject, detail)
    values (${atMs}, ${action}, ${subject}, ${detail})`;
}
