// What the database knows of a cluster: who leads, who follows, and whether a standby confirms commits. Reads only; the
// commit by which it asks the standby changes no row.

import type { Sql } from "../../connection.ts";
import type { PostgresConnectionOptions } from "../../connection-options.ts";
import { OutcomeUnknown, PgSession } from "../../pg-session.ts";

/** The lease as an operator sees it. */
export interface LeaderFacts {
  /** Empty if nobody holds the lease. */
  readonly holder: string;
  readonly address: string;
  readonly epoch: string;
  /** Time since the last renewal, on the server's clock. */
  readonly ageMs: number;
  readonly leaseMs: number;
  /** True if the holder has a session of its lease. */
  readonly isConnected: boolean;
}

export async function leaderFacts(sql: Sql): Promise<LeaderFacts> {
  const [row] = await sql<Record<string, string>[]>`
    select holder, address, writer_epoch::text as epoch, lease_ms::text as lease_ms,
           floor(extract(epoch from clock_timestamp() - renewed_at) * 1000)::text as age_ms,
           exists (select from pg_stat_activity where datname = current_database()
                     and application_name = 'rialto-lease ' || holder)::text as is_connected
    from leadership`;
  return {
    holder: row?.["holder"] ?? "",
    address: row?.["address"] ?? "",
    epoch: row?.["epoch"] ?? "0",
    ageMs: Number(row?.["age_ms"] ?? 0),
    leaseMs: Number(row?.["lease_ms"] ?? 0),
    isConnected: row?.["is_connected"] === "true",
  };
}

export interface FollowerFacts {
  readonly address: string;
  /** Events of the journal that it lacks. */
  readonly distance: number;
  /** Time since it last reported, on the server's clock. */
  readonly ageMs: number;
}

/** The venues that follow, the nearest first. */
export async function followerFacts(sql: Sql): Promise<FollowerFacts[]> {
  const rows = await sql<Record<string, string>[]>`
    select address, greatest(0, last_seq - seq)::text as distance,
           floor(extract(epoch from clock_timestamp() - seen_at) * 1000)::text as age_ms
    from followers, journal_head order by seq desc, follower`;
  return rows.map((row) => ({
    address: row["address"] ?? "",
    distance: Number(row["distance"]),
    ageMs: Number(row["age_ms"]),
  }));
}

/**
 * Commits a message that no table has, and waits at most `waitMs` for the standby. Returns the time in ms that it took;
 * null if no standby confirmed it in time, or if the server gave up waiting.
 */
export async function confirmationMs(
  options: PostgresConnectionOptions,
  waitMs: number,
): Promise<number | null> {
  const session = await PgSession.open(
    { ...options, synchronous: { waitMs } },
    "queries",
    {},
    waitMs,
  );
  const beganMs = performance.now();
  let isAnswered = false;
  try {
    await session.queryText("select pg_logical_emit_message(true, 'rialto', 'doctor')");
    isAnswered = true;
  } catch (error) {
    // The session's own limit ends the connection while the commit waits.
    if (!session.isLost && !(error instanceof OutcomeUnknown)) throw error;
  } finally {
    await session.close();
  }
  return isAnswered ? performance.now() - beganMs : null;
}
