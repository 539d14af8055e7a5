// Snapshots in PostgreSQL: a row each, its bytes in parts. What is inside is the caller's business;
// a snapshot of another format is never offered, and the journal from the start replaces it.

import type { StoredSnapshot } from "../../ports/event-store.ts";
import { bytesOf, type PgSession } from "./pg-session.ts";

/** Raised when the packed state changes its shape. */
const snapshotFormat = 1;
/** A bad snapshot falls back to the one before; a third is there should both be of one bad day. */
const snapshotsKept = 3;
/** Far below the server's limit of 1 GB for a value, large enough to forget the round trips. */
const partBytes = 8 * 2 ** 20;

/** Newest first, at most `limit`; one that lost a part is left out like any bad one. */
export async function readSnapshots(session: PgSession, limit: number): Promise<StoredSnapshot[]> {
  const heads = await session.ask<{ seq: string; state_hash: string; byte_count: string }>(
    `select seq, state_hash, byte_count from snapshots
     where format_version = ${snapshotFormat} order by seq desc limit ${Math.trunc(limit)}`,
  );
  const snapshots: StoredSnapshot[] = [];
  for (const { seq, state_hash, byte_count } of heads) {
    const parts = await session.run<{ bytes: string }>(
      {
        name: "snapshot_parts",
        text: "select bytes from snapshot_parts where seq = $1::bigint order by part",
      },
      [seq],
    );
    const bytes = Buffer.concat(parts.map((part) => bytesOf(part.bytes)));
    if (bytes.length === Number(byte_count))
      snapshots.push({ seq: Number(seq), stateHash: state_hash, bytes });
  }
  return snapshots;
}

/** Stores the snapshot, replacing one of the same seq, and drops the oldest beyond those kept. */
export async function writeSnapshot(session: PgSession, snapshot: StoredSnapshot): Promise<void> {
  const { seq, stateHash, bytes } = snapshot;
  await session.ask("begin");
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
    await session.ask(
      `delete from snapshots
       where seq not in (select seq from snapshots order by seq desc limit ${snapshotsKept})`,
    );
    await session.ask("commit");
  } catch (error) {
    await session.ask("rollback").catch(() => undefined);
    throw error;
  }
}
