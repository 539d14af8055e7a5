// Stores deposits, the ledger's names for each asset, and custody's coins for the settlement thread. A state changes
// only by an update that also checks the previous state. Payments are in payments.ts.

import { createHash } from "node:crypto";
import { present } from "../../../../core/assert.ts";
import { EventKind } from "../../../../core/generated/events.ts";
import {
  type CustodyAsset,
  type CustodyStore,
  type DepositRow,
  DepositState,
  type Receipt,
  WithdrawalStage,
} from "../../../../ports/ledger/custody.ts";
import { decodeEventBytes } from "../../../../wire/records/event-bytes.ts";
import type { Sql } from "../../connection.ts";
import { code } from "../../sql.ts";
import { isLeasedElsewhere, lease } from "../settlement/coin-leases.ts";
import { depositOf, type StoredDeposit } from "./custody-rows.ts";
import { dueStages } from "./payments.ts";

const { unclaimed, returning, returned } = DepositState;

const eventsPerTurn = 200;
const rowsPerTurn = 100;

export class PostgresCustody implements CustodyStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async saveQuotes(
    assets: readonly (Pick<CustodyAsset, "admin" | "instrument" | "registry" | "custody"> & {
      readonly asset: number;
    })[],
    quotedMs: number,
  ): Promise<void> {
    for (const { asset, admin, instrument, registry, custody } of assets) {
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
    // Require the row: if a missing row counted as "nothing read yet", deposits would be skipped.
    const { ledger_offset: offset } = present(row, "the row of the ledger cursor must exist");
    return offset === null ? null : Number(offset);
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
      select * from deposits where state = ${code(DepositState.pending)} order by deposit_id limit ${rowsPerTurn}`;
    return rows.map(depositOf);
  }

  async hasOpenPayments(): Promise<boolean> {
    const [row] = await this.#sql<{ is_open: boolean }[]>`
      select exists (select from deposits where state = ${code(DepositState.pending)})
          or exists (select from withdrawals where state in ${dueStages})
          or exists (select from deposit_returns where state in ${dueStages}) as is_open`;
    return row?.is_open ?? true;
  }

  async beginCredit(depositId: number, seqBefore: number): Promise<void> {
    await this.#sql`
      update deposits set seq_before = ${seqBefore}
      where deposit_id = ${depositId} and state = ${code(DepositState.pending)} and seq_before is null`;
  }

  async credited(depositId: number, seq: number): Promise<void> {
    await this.#sql`
      update deposits set state = ${code(DepositState.credited)}, seq = ${seq} where deposit_id = ${depositId} and state = ${code(DepositState.pending)}`;
  }

  async unclaimed(depositId: number): Promise<void> {
    await this.#sql`
      update deposits set state = ${code(DepositState.unclaimed)} where deposit_id = ${depositId} and state = ${code(DepositState.pending)}`;
  }

  async takeRequested(): Promise<number> {
    return this.#sql.begin(async (tx) => {
      const rows = await tx<{ seq: string; body: Uint8Array }[]>`
        select seq, body from journal
        where kind = ${code(EventKind.withdrawalRequested)} and seq > (select journal_seq from custody_cursor)
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
          update withdrawals set state = ${code(WithdrawalStage.requested)}, seq = ${seq}
          where withdrawal_id = ${event.withdrawalId} and state = ${code(WithdrawalStage.submitted)}`;
      }
      const last = rows.at(-1);
      if (last !== undefined) await tx`update custody_cursor set journal_seq = ${last.seq}`;
      return rows.length;
    });
  }

  async endReturn(depositId: number, isPaid: boolean): Promise<void> {
    await this.#sql`
      update deposits set state = ${isPaid ? returned : unclaimed} where deposit_id = ${depositId} and state = ${code(returning)}`;
  }

  async freeCoins(
    custody: string,
    asset: number,
  ): Promise<{ contractId: string; amount: bigint }[]> {
    const rows = await this.#sql<{ contract_id: string; amount: string }[]>`
      select contract_id, amount::text as amount from settlement_holdings
      where party = ${custody} and asset = ${asset} and not is_locked and batch_id is null
      order by settlement_holdings.amount, contract_id`;
    return rows.map(({ contract_id: contractId, amount }) => {
      return { contractId, amount: BigInt(amount) };
    });
  }

  async coinCount(custody: string, asset: number): Promise<number> {
    const [row] = await this.#sql<{ count: string }[]>`
      select count(*)::text as count from settlement_holdings
      where party = ${custody} and asset = ${asset}`;
    return Number(row?.count ?? 0);
  }

  async leaseForMerge(inputs: readonly string[], untilMs: number): Promise<boolean> {
    return this.#sql
      .begin(async (tx) => {
        await lease(tx, inputs, `m:${untilMs}`);
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
