// Deposits and withdrawals as the settlement thread works on them. A state is left only by a guarded
// update; the coins of an attempt are leased under its name among settlement's holdings.

import { createHash } from "node:crypto";
import { EventKind } from "../../../core/events.ts";
import type {
  CustodyPlace,
  CustodyStore,
  DepositRow,
  DueWithdrawal,
  Receipt,
} from "../../../ports/custody.ts";
import { decodeEventBytes } from "../../../wire/event-codec.ts";
import type { Sql } from "../connection.ts";
import {
  depositOf,
  dueWithdrawalOf,
  type StoredDeposit,
  type StoredWithdrawal,
} from "./custody-rows.ts";

const eventsPerTurn = 200;
const rowsPerTurn = 100;

export class PostgresCustody implements CustodyStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async saveQuotes(
    places: readonly (Pick<CustodyPlace, "admin" | "instrument" | "registry" | "custody"> & {
      readonly asset: number;
    })[],
    quotedMs: number,
  ): Promise<void> {
    for (const { asset, admin, instrument, registry, custody } of places) {
      await this.#sql`
        insert into custody_places (asset, admin, instrument, registry, custody, quoted_ms)
        values (${asset}, ${admin}, ${instrument}, ${registry}, ${custody}, ${quotedMs})
        on conflict (asset) do update
          set admin = excluded.admin, instrument = excluded.instrument,
              registry = excluded.registry, custody = excluded.custody,
              quoted_ms = excluded.quoted_ms`;
    }
  }

  async depositMinimums(): Promise<ReadonlyMap<number, bigint>> {
    const rows = await this.#sql<{ asset: number; deposit_min: string }[]>`
      select asset, deposit_min from custody_terms`;
    return new Map(rows.map(({ asset, deposit_min: least }) => [asset, BigInt(least)]));
  }

  async depositCursor(): Promise<number | null> {
    const [row] = await this.#sql<{ ledger_offset: string | null }[]>`
      select ledger_offset from custody_cursor`;
    const text = row?.ledger_offset ?? null;
    return text === null ? null : Number(text);
  }

  async addReceipts(receipts: readonly Receipt[], through: number): Promise<void> {
    await this.#sql.begin(async (tx) => {
      for (const each of receipts) {
        const { contractId, updateId, offset, recordedMs, sender, asset, reference } = each;
        await tx`
          insert into deposits (contract_id, update_id, ledger_offset, recorded_ms, sender, asset,
                                units, amount, reference, account, state)
          values (${contractId}, ${updateId}, ${offset}, ${recordedMs}, ${sender}, ${asset},
                  ${String(each.units)}, ${String(each.amount)}, ${reference}, ${each.account},
                  ${each.state})
          on conflict (contract_id) do nothing`;
      }
      await tx`
        update custody_cursor set ledger_offset = ${through}
        where ledger_offset is null or ledger_offset < ${through}`;
    });
  }

  async openDeposits(): Promise<DepositRow[]> {
    const rows = await this.#sql<StoredDeposit[]>`
      select * from deposits where state = 1 order by deposit_id limit ${rowsPerTurn}`;
    return rows.map(depositOf);
  }

  async beginCredit(depositId: number, seqBefore: number): Promise<void> {
    await this.#sql`
      update deposits set seq_before = ${seqBefore}
      where deposit_id = ${depositId} and state = 1 and seq_before is null`;
  }

  async credited(depositId: number, seq: number): Promise<void> {
    await this.#sql`
      update deposits set state = 2, seq = ${seq} where deposit_id = ${depositId} and state = 1`;
  }

  async unclaimed(depositId: number): Promise<void> {
    await this.#sql`
      update deposits set state = 3 where deposit_id = ${depositId} and state = 1`;
  }

  async takeRequested(): Promise<number> {
    return this.#sql.begin(async (tx) => {
      const rows = await tx<{ seq: string; body: Uint8Array }[]>`
        select seq, body from journal
        where kind = 39 and seq > (select journal_seq from custody_cursor)
        order by seq limit ${eventsPerTurn}`;
      for (const { seq, body } of rows) {
        const event = decodeEventBytes(new Uint8Array(body), 0, body.length);
        if (event.kind !== EventKind.withdrawalRequested) continue;
        const [row] = await tx<{ destination: string }[]>`
          select destination from withdrawals where withdrawal_id = ${event.withdrawalId}`;
        const digest = createHash("sha256")
          .update(row?.destination ?? "")
          .digest();
        const isSame =
          digest.readBigInt64BE(0) === event.destinationHigh &&
          digest.readBigInt64BE(8) === event.destinationLow;
        if (!isSame) throw new Error(`withdrawal ${event.withdrawalId} was changed in SQL`);
        await tx`
          update withdrawals set state = 1, seq = ${seq}
          where withdrawal_id = ${event.withdrawalId} and state = 0`;
      }
      const last = rows.at(-1);
      if (last !== undefined) await tx`update custody_cursor set journal_seq = ${last.seq}`;
      return rows.length;
    });
  }

  async dueWithdrawals(nowMs: number): Promise<DueWithdrawal[]> {
    const rows = await this.#sql<StoredWithdrawal[]>`
      select * from withdrawals where state in (1, 2, 5, 6) and due_ms <= ${nowMs}
        and seq <= (select journal_seq from custody_cursor)
      order by due_ms, withdrawal_id limit ${rowsPerTurn}`;
    return rows.map(dueWithdrawalOf);
  }

  async beginAttempt(attempt: {
    readonly withdrawalId: number;
    readonly dedupOffset: number;
    readonly deadlineMs: number;
    readonly submissionId: string;
    readonly inputs: readonly string[];
  }): Promise<boolean> {
    const { withdrawalId, dedupOffset, deadlineMs, submissionId, inputs } = attempt;
    return this.#sql
      .begin(async (tx) => {
        await lease(tx as unknown as Sql, inputs, leaseOf(withdrawalId));
        const { count } = await tx`
          update withdrawals
          set state = 2, attempts = attempts + 1, is_unknown = true,
              dedup_offset = ${dedupOffset}, deadline_ms = ${deadlineMs},
              submission_id = ${submissionId}, inputs = ${JSON.stringify(inputs)}
          where withdrawal_id = ${withdrawalId} and state in (1, 2)`;
        // The ledger's own log may have shown meanwhile that it is paid.
        if (count === 0) throw new LeasedElsewhere("the withdrawal needs no attempt any more");
        return true;
      })
      .catch(isLeasedElsewhere);
  }

  async postpone(withdrawalId: number, dueMs: number, reason: string): Promise<void> {
    await this.#sql`
      update withdrawals set due_ms = ${dueMs}, reason = ${reason}
      where withdrawal_id = ${withdrawalId} and state in (1, 2)`;
  }

  async endRound(withdrawalId: number, dueMs: number, reason: string): Promise<void> {
    await this.#sql.begin(async (tx) => {
      await tx`
        update withdrawals
        set due_ms = ${dueMs}, reason = ${reason}, round = round + 1, is_unknown = false,
            dedup_offset = null, deadline_ms = null, submission_id = null, inputs = null
        where withdrawal_id = ${withdrawalId} and state in (1, 2)`;
      await free(tx as unknown as Sql, withdrawalId);
    });
  }

  async paid(withdrawalId: number, updateId: string, offset: number): Promise<void> {
    await markPaid(this.#sql, withdrawalId, updateId, offset);
  }

  async giveUp(withdrawalId: number, reason: string): Promise<void> {
    await this.#sql.begin(async (tx) => {
      const { count } = await tx`
        update withdrawals set state = 6, reason = ${reason}, due_ms = 0, is_unknown = false
        where withdrawal_id = ${withdrawalId} and state in (1, 2)`;
      if (count > 0) await free(tx as unknown as Sql, withdrawalId);
    });
  }

  async close(withdrawalId: number): Promise<void> {
    await this.#sql`
      update withdrawals set state = case state when 5 then 3 else 4 end
      where withdrawal_id = ${withdrawalId} and state in (5, 6)`;
  }

  async freeCoins(
    custody: string,
    asset: number,
  ): Promise<{ contractId: string; amount: bigint }[]> {
    const rows = await this.#sql<{ contract_id: string; amount: string }[]>`
      select contract_id, amount::text as amount from settlement_holdings
      where party = ${custody} and asset = ${asset} and not is_locked and batch_id is null
      order by amount, contract_id`;
    return rows.map(({ contract_id: contractId, amount }) => {
      return { contractId, amount: BigInt(amount) };
    });
  }

  async leaseForMerge(inputs: readonly string[], untilMs: number): Promise<boolean> {
    return this.#sql
      .begin(async (tx) => {
        await lease(tx as unknown as Sql, inputs, `m:${untilMs}`);
        return true;
      })
      .catch(isLeasedElsewhere);
  }

  async releaseMerges(recordedMs: number): Promise<void> {
    await this.#sql`
      update settlement_holdings set batch_id = null
      where batch_id like 'm:%' and substr(batch_id, 3)::bigint < ${recordedMs}`;
  }
}

/**
 * By an attempt's answer, or by the ledger's own log, whichever comes first. Its coins stay leased: that
 * log takes them out of the holdings.
 */
export async function markPaid(
  sql: Sql,
  withdrawalId: number,
  updateId: string,
  offset: number,
): Promise<void> {
  await sql`
    update withdrawals
    set state = 5, update_id = ${updateId}, ledger_offset = ${offset}, is_unknown = false,
        due_ms = 0, reason = null
    where withdrawal_id = ${withdrawalId} and state = 2`;
}

class LeasedElsewhere extends Error {
  override name = "LeasedElsewhere";
}

function isLeasedElsewhere(error: unknown): false {
  if (error instanceof LeasedElsewhere) return false;
  throw error;
}

function leaseOf(withdrawalId: number): string {
  return `w:${withdrawalId}`;
}

/** Every coin or none; one that is leased by the same name stays so. */
async function lease(sql: Sql, inputs: readonly string[], name: string): Promise<void> {
  const { count } = await sql`
    update settlement_holdings set batch_id = ${name}
    where contract_id = any (${textArray(inputs)}::text[])
      and (batch_id is null or batch_id = ${name})`;
  if (count < inputs.length) throw new LeasedElsewhere("a coin is gone or is being spent");
}

async function free(sql: Sql, withdrawalId: number): Promise<void> {
  await sql`
    update settlement_holdings set batch_id = null where batch_id = ${leaseOf(withdrawalId)}`;
}

/** The client is told no types, so a list travels as the text of an array. */
function textArray(values: readonly string[]): string {
  return `{${values.map((value) => JSON.stringify(value)).join(",")}}`;
}
