// Reads deposits and withdrawals for the fronts, and stores the withdrawals that clients request.

import { EventKind } from "../../../../core/generated/events.ts";
import {
  type CustodyAsset,
  type CustodyRepository,
  type DepositRow,
  type NewWithdrawal,
  type PageQuery,
  type WithdrawalRow,
  WithdrawalStage,
} from "../../../../ports/ledger/custody.ts";
import type { MemberReader, MemberRecord } from "../../../../ports/ledger/member-reader.ts";
import { decodeEventBytes } from "../../../../wire/records/event-bytes.ts";
import type { Sql } from "../../connection.ts";
import type { Stored } from "../../rows.ts";
import { code } from "../../sql.ts";
import {
  depositOf,
  type StoredDeposit,
  type StoredWithdrawal,
  withdrawalOf,
} from "./custody-rows.ts";

export class PostgresMembers implements MemberReader {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async memberOf(account: number): Promise<MemberRecord | null> {
    const [row] = await this.#sql<{ party: string; was_active: boolean }[]>`
      select party, was_active from settlement_members where account = ${account}`;
    return row === undefined ? null : { party: row.party, wasActive: row.was_active };
  }
}

export class PostgresCustodyRepository implements CustodyRepository {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async asset(asset: number): Promise<CustodyAsset | null> {
    const [row] = await this.#sql<Stored<CustodyAsset>[]>`
      select p.admin, p.instrument, p.registry, p.custody, p.quoted_ms,
             t.deposit_min, t.withdrawal_min, t.withdrawal_fee
      from custody_places p join custody_terms t on t.asset = p.asset where p.asset = ${asset}`;
    if (row === undefined) return null;
    const { admin, instrument, registry, custody } = row;
    return {
      ...{ admin, instrument, registry, custody },
      quotedMs: Number(row.quoted_ms),
      depositMin: BigInt(row.deposit_min),
      withdrawalMin: BigInt(row.withdrawal_min),
      withdrawalFee: BigInt(row.withdrawal_fee),
    };
  }

  async deposits({ account, before, limit }: PageQuery): Promise<DepositRow[]> {
    const rows = await this.#sql<StoredDeposit[]>`
      select * from deposits
      where account = ${account} and deposit_id < ${before ?? Number.MAX_SAFE_INTEGER}
      order by deposit_id desc limit ${limit}`;
    return rows.map(depositOf);
  }

  async withdrawalByKey(account: number, key: string): Promise<WithdrawalRow | null> {
    const [row] = await this.#sql<StoredWithdrawal[]>`
      select * from withdrawals
      where account = ${account} and idempotency_key = ${key} and seq is not null
      order by withdrawal_id limit 1`;
    return row === undefined ? null : withdrawalOf(row);
  }

  async withdrawal(account: number, withdrawalId: number): Promise<WithdrawalRow | null> {
    const [row] = await this.#sql<StoredWithdrawal[]>`
      select * from withdrawals
      where withdrawal_id = ${withdrawalId} and account = ${account} and seq is not null`;
    return row === undefined ? null : withdrawalOf(row);
  }

  async withdrawalAt(account: number, seq: number): Promise<WithdrawalRow | null> {
    const [found] = await this.#sql<{ body: Uint8Array }[]>`
      select body from journal
      where seq = ${seq} and account = ${account} and kind = ${EventKind.withdrawalRequested}`;
    if (found === undefined) return null;
    const event = decodeEventBytes(new Uint8Array(found.body), 0, found.body.length);
    if (event.kind !== EventKind.withdrawalRequested) return null;
    await this.takeWithdrawal(event.withdrawalId, seq);
    return this.withdrawal(account, event.withdrawalId);
  }

  async withdrawals({ account, before, limit }: PageQuery): Promise<WithdrawalRow[]> {
    const rows = await this.#sql<StoredWithdrawal[]>`
      select * from withdrawals
      where account = ${account} and seq is not null
        and withdrawal_id < ${before ?? Number.MAX_SAFE_INTEGER}
      order by withdrawal_id desc limit ${limit}`;
    return rows.map(withdrawalOf);
  }

  async addWithdrawal(row: NewWithdrawal): Promise<number> {
    const { account, key, asset, amount, fee, destination, createdMs } = row;
    const [added] = await this.#sql<{ withdrawal_id: string }[]>`
      insert into withdrawals (account, idempotency_key, asset, amount, fee, destination, created_ms)
      values (${account}, ${key}, ${asset}, ${String(amount)}, ${String(fee)}, ${destination},
              ${createdMs})
      returning withdrawal_id`;
    return Number(added?.withdrawal_id);
  }

  async takeWithdrawal(withdrawalId: number, seq: number): Promise<void> {
    await this.#sql`
      update withdrawals set state = ${code(WithdrawalStage.requested)}, seq = ${seq}
      where withdrawal_id = ${withdrawalId} and state = ${code(WithdrawalStage.submitted)}`;
  }

  async dropWithdrawal(withdrawalId: number): Promise<void> {
    await this.#sql`
      delete from withdrawals where withdrawal_id = ${withdrawalId} and state = ${code(WithdrawalStage.submitted)} and seq is null`;
  }
}
