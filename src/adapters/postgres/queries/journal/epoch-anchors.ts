// Stores attempts and confirmations of epoch commitments on the ledger.

import { assert } from "../../../../core/assert.ts";
import type { EpochRecord } from "../../../../ports/journal/epoch-store.ts";
import type {
  AnchorAttempt,
  EpochAnchor,
  EpochAnchorStore,
  EpochCommitment,
} from "../../../../ports/ledger/epoch-anchors.ts";
import type { Sql } from "../../connection.ts";
import { type EpochColumns, epochColumns, epochOf } from "./epoch-columns.ts";

interface AnchorColumns {
  readonly epoch: string;
  readonly network: string;
  readonly dedup_offset: string;
  readonly root: string;
  readonly update_id: string | null;
  readonly ledger_offset: string | null;
  readonly contract_id: string | null;
  readonly record_time: string | null;
}

const columns = `epoch::text, network, dedup_offset::text, encode(root, 'hex') as root, update_id,
  ledger_offset::text, contract_id,
  to_char(record_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as record_time`;

export class PostgresEpochAnchors implements EpochAnchorStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async lastConfirmed(): Promise<EpochAnchor | null> {
    const sql = this.#sql;
    const [row] = await sql<AnchorColumns[]>`
      select ${sql.raw(columns)} from epoch_anchors
      where update_id is not null order by epoch_anchors.epoch desc limit 1`;
    return row === undefined ? null : anchorOf(row);
  }

  async nextSealed(epoch: number | null): Promise<EpochRecord | null> {
    const sql = this.#sql;
    const [row] = await sql<EpochColumns[]>`
      select ${sql.raw(epochColumns)} from epochs
      where epochs.epoch > ${epoch ?? -1} order by epochs.epoch limit 1`;
    return row === undefined ? null : epochOf(row);
  }

  async anchors(epochs: readonly number[]): Promise<EpochAnchor[]> {
    const sql = this.#sql;
    const rows = await sql<AnchorColumns[]>`
      select ${sql.raw(columns)} from epoch_anchors
      where epoch = any (${`{${epochs}}`}::bigint[])`;
    return rows.map(anchorOf);
  }

  async attempt({
    epoch,
    commandId,
    network,
    dedupOffset,
    root,
  }: AnchorAttempt): Promise<EpochAnchor> {
    const sql = this.#sql;
    const [row] = await sql<AnchorColumns[]>`
      insert into epoch_anchors as a (epoch, command_id, dedup_offset, attempts, network, root)
      values (${epoch}, ${commandId}, ${dedupOffset}, 1, ${network}, decode(${root}, 'hex'))
      on conflict (epoch) do update set attempts = a.attempts + 1
      returning ${sql.raw(columns)}`;
    assert(row !== undefined, "the stored attempt must be returned");
    return anchorOf(row);
  }

  async confirm(epoch: number, commitment: EpochCommitment): Promise<void> {
    const { updateId, offset, contractId, recordTime, blob } = commitment;
    await this.#sql`
      update epoch_anchors set update_id = ${updateId}, ledger_offset = ${offset},
                               contract_id = ${contractId}, record_time = ${recordTime}::timestamptz,
                               created_event_blob = decode(${blob}::text, 'base64')
      where epoch = ${epoch} and update_id is null`;
  }

  async blob(epoch: number): Promise<string | null> {
    const [row] = await this.#sql<{ blob: Buffer | null }[]>`
      select created_event_blob as blob from epoch_anchors where epoch = ${epoch}`;
    return row?.blob?.toString("base64") ?? null;
  }
}

function anchorOf(row: AnchorColumns): EpochAnchor {
  const { update_id: updateId } = row;
  return {
    epoch: Number(row.epoch),
    network: row.network,
    dedupOffset: Number(row.dedup_offset),
    root: row.root,
    confirmed:
      updateId === null
        ? null
        : {
            updateId,
            offset: Number(row.ledger_offset),
            contractId: row.contract_id,
            recordTime: row.record_time,
          },
  };
}
