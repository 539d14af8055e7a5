// Snapshots in PostgreSQL: a row each, its bytes in parts. What is inside is the caller's business;
// a snapshot of another format is never offered, and the journal from the start replaces it.

import type { StoredSnapshot } from "../../ports/event-store.ts";
import type { Sql } from "./connection.ts";

/** Raised when the packed state changes its shape. */
const snapshotFormat = 1;
/** A bad snapshot falls back to the one before; a third is there should both be of one bad day. */
const snapshotsKept = 3;
/** A part travels as hexadecimal text, twice its size, in one message. */
const partBytes = 4 * 2 ** 20;

/** Newest first, at most `limit`. */
export async function readSnapshots(sql: Sql, limit: number): Promise<StoredSnapshot[]> {
  const heads = await sql<{ seq: string; state_hash: string; byte_count: string }[]>`
    select seq, state_hash, byte_count from snapshots
    where format_version = ${snapshotFormat} order by seq desc limit ${limit}`;
  const snapshots: StoredSnapshot[] = [];
  for (const { seq, state_hash, byte_count } of heads) {
    const parts = await sql<{ bytes: Buffer }[]>`
      select bytes from snapshot_parts where seq = ${seq} order by part`;
    const bytes = Buffer.concat(parts.map((part) => part.bytes));
    // A snapshot that lost a part is left out; the caller falls back as from any bad one.
    if (bytes.length === Number(byte_count))
      snapshots.push({ seq: Number(seq), stateHash: state_hash, bytes });
  }
  return snapshots;
}

/** Stores the snapshot, replacing one of the same seq, and drops the oldest beyond those kept. */
export async function writeSnapshot(sql: Sql, snapshot: StoredSnapshot): Promise<void> {
  const { seq, stateHash, bytes } = snapshot;
  await sql.begin(async (tx) => {
    await tx`delete from snapshots where seq = ${seq}`;
    await tx`
      insert into snapshots (seq, state_hash, format_version, byte_count)
      values (${seq}, ${stateHash}, ${snapshotFormat}, ${bytes.length})`;
    for (let part = 0; part * partBytes < bytes.length; part += 1) {
      const slice = Buffer.from(bytes.subarray(part * partBytes, (part + 1) * partBytes));
      await tx`insert into snapshot_parts (seq, part, bytes) values (${seq}, ${part}, ${slice})`;
    }
    await tx`
      delete from snapshots
      where seq not in (select seq from snapshots order by seq desc limit ${snapshotsKept})`;
  });
}
