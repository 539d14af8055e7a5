// Stores snapshots in PostgreSQL: one row each, with the bytes in parts. The caller defines the content. Snapshots of
// another format are ignored; if none has the current format, the journal is replayed from the start.

import type { StoredSnapshot } from "../../ports/journal/event-store.ts";
import { firstField } from "./copy-format.ts";
import type { PgSession } from "./pg-session.ts";
import type { Sql } from "./sql.ts";

/** Number of the snapshot format; increase it when the packed state changes its shape. */
const snapshotFormat = 1;
/**
 * Number of snapshots to retain. If the newest is damaged, the previous one is used; a third covers two damaged ones. A
 * fork also retains the one with which it began, because its journal has no event before it.
 */
const snapshotsRetained = 3;
/** Size of a part: far below the server's limit of 1 GB per value, yet large enough to make round trips negligible. */
const partBytes = 8 * 2 ** 20;

/** The row of a snapshot, without the snapshot's bytes. */
export interface SnapshotHead {
  readonly seq: number;
  readonly stateHash: string;
  readonly byteCount: number;
  /** Sum of the bytes of all parts. */
  readonly storedBytes: number;
}

type HeadRow = Record<"seq" | "state_hash" | "byte_count" | "stored_bytes", string>;

/** Returns the heads of at most `limit` snapshots, newest first. */
export async function readSnapshotHeads(
  session: PgSession,
  limit: number,
): Promise<SnapshotHead[]> {
  const heads = await session.queryText<HeadRow>(
    `select seq, state_hash, byte_count,
       (select coalesce(sum(octet_length(bytes)), 0) from snapshot_parts
        where snapshot_parts.seq = snapshots.seq) as stored_bytes
     from snapshots
     where format_version = ${snapshotFormat} order by seq desc limit ${Math.trunc(limit)}`,
  );
  return heads.map(({ seq, state_hash, byte_count, stored_bytes }) => ({
    seq: Number(seq),
    stateHash: state_hash,
    byteCount: Number(byte_count),
    storedBytes: Number(stored_bytes),
  }));
}

/** True if the snapshot is still stored as it was when its head was read. */
export async function isSnapshotKept(session: PgSession, head: SnapshotHead): Promise<boolean> {
  const heads = await readSnapshotHeads(session, Number.MAX_SAFE_INTEGER);
  return heads.some(({ seq, byteCount }) => seq === head.seq && byteCount === head.byteCount);
}

/**
 * Returns the stored bytes of the snapshot, in memory that threads can share. They are read by COPY, because a text
 * result costs ten times as much.
 */
export async function readSnapshotBytes(
  session: PgSession,
  { seq, storedBytes }: SnapshotHead,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(new SharedArrayBuffer(storedBytes));
  let end = 0;
  await session.copyOut(
    `copy (select bytes from snapshot_parts where seq = ${BigInt(seq)} order by part)
     to stdout (format binary)`,
    (message) => {
      const field = firstField(message);
      // Copy the bytes at once, because the client reuses its memory.
      if (field === null || end + field.length > bytes.length) return;
      bytes.set(field, end);
      end += field.length;
    },
  );
  return bytes.subarray(0, end);
}

/** Stores the snapshot, replacing one of the same seq, and deletes the oldest snapshots that need not be retained. */
export async function writeSnapshot(session: PgSession, snapshot: StoredSnapshot): Promise<void> {
  const { seq, stateHash, bytes } = snapshot;
  await session.queryText("begin");
  try {
    await session.run(
      { name: "snapshot_drop", text: "delete from snapshots where seq = $1::bigint" },
      [seq],
    );
    await session.run(
      {
        name: "snapshot_add",
        text: `insert into snapshots (seq, state_hash, format_version, byte_count)
               values ($1::bigint, $2::text, $3::smallint, $4::bigint)`,
      },
      [seq, stateHash, snapshotFormat, bytes.length],
    );
    for (let part = 0; part * partBytes < bytes.length; part += 1) {
      const slice = bytes.subarray(part * partBytes, (part + 1) * partBytes);
      await session.run(
        {
          name: "snapshot_part_add",
          text: `insert into snapshot_parts (seq, part, bytes)
                 values ($1::bigint, $2::integer, $3::bytea)`,
        },
        [seq, part, Buffer.from(slice.buffer, slice.byteOffset, slice.byteLength)],
      );
    }
    await session.queryText(
      `delete from snapshots
       where seq not in (select seq from snapshots order by seq desc limit ${snapshotsRetained})
         and seq not in (select seq from fork_origin)`,
    );
    await session.queryText("commit");
  } catch (error) {
    await session.queryText("rollback").catch(() => undefined);
    throw error;
  }
}

/** Seq of the newest stored snapshot; 0 without one. */
export async function newestSnapshotSeq(sql: Sql): Promise<number> {
  const [row] = await sql<{ seq: string | null }[]>`select max(seq) as seq from snapshots`;
  return Number(row?.seq ?? 0);
}
