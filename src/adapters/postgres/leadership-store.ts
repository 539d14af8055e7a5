// Stores the lease of the leading venue (ports/leadership.ts) in PostgreSQL. Two sessions do it, both apart from the
// journal's, whose commits may wait for the standby: one whose commits wait for the standby too, for claims, and one
// whose commits wait for nothing, for renewals. A lost session is replaced at the next call.
//
// claim_leadership (sql/0006_chain_of_a_leader.sql) locks the lease, ends the holder's sessions and raises the epoch.
// Once that is committed, and the standby has it, the sessions that the old holder opened meanwhile are ended too; later
// ones find another holder and refuse themselves.

import type {
  Candidate,
  ChainMark,
  LeadershipStore,
  Lease,
  Renewal,
  RenewalAnswer,
} from "../../ports/leadership.ts";
import type { PostgresConnectionOptions } from "./connection-options.ts";
import { PgSession } from "./pg-session.ts";
import { PostgresFault } from "./postgres-fault.ts";
import { checkReplication } from "./replication-check.ts";
import type { Value } from "./sql.ts";

/** Longest time in ms for an answer to a read or renewal; a broken network is noticed by then. */
const answerMsMax = 1_000;
/** Longest time in ms for a claim, which waits for sessions to end and for the standby. */
const claimMsMax = 10_000;
/** Age in seconds at which the row of a follower is removed. */
const followerSeconds = 5;

/** Channel on which followers are told that the lease was handed over. */
const handedChannel = "rialto_leadership";

const quick = {
  jit: "off",
  statement_timeout: "800",
  lock_timeout: "500",
  synchronous_commit: "off",
};
const durable = { jit: "off", statement_timeout: "8000", lock_timeout: "3000" };

interface LeaseRow {
  readonly holder: string;
  readonly is_connected: boolean;
  readonly epoch: string;
  readonly address: string;
  readonly lease_ms: number;
  readonly renewals: string;
  readonly handed_to: string | null;
  readonly settled_seq: string;
  readonly base_seq: string;
  readonly base_hash: Buffer;
  readonly chain_seq: string;
  readonly chain_hash: Buffer;
}

interface RenewedRow {
  readonly slowest: string | null;
  readonly nearest: string | null;
  readonly nearest_on_bus: string | null;
}

export class PostgresLeadership implements LeadershipStore {
  readonly #connection: PostgresConnectionOptions;
  #hear: (() => void) | null = null;
  #quick: PgSession | null = null;
  #durable: PgSession | null = null;

  /** `connection` demands a synchronous standby if the venue does; it names this process as the leader it may become. */
  constructor(connection: PostgresConnectionOptions) {
    this.#connection = connection;
  }

  async read(): Promise<Lease> {
    const [row] = await this.#quickly<LeaseRow>(
      `select holder, writer_epoch as epoch, address, lease_ms, renewals, handed_to, settled_seq, base_seq, base_hash,
              chain_seq, chain_hash,
              exists (select from pg_stat_activity where datname = current_database()
                        and application_name = 'rialto-lease ' || holder) as is_connected
       from leadership`,
    );
    if (row === undefined) throw new PostgresFault("corrupt", "leadership has no row");
    return leaseOf(row);
  }

  async follow({ name, address }: Candidate, seq: number, hasBus: boolean): Promise<void> {
    await this.#quickly(
      `insert into followers (follower, address, seq, has_bus) values ($1, $2, $3, $4)
       on conflict (follower) do update
         set address = excluded.address, seq = excluded.seq, has_bus = excluded.has_bus, seen_at = now()`,
      [name, address, seq, String(hasBus)],
    );
    await this.#quickly(
      `delete from followers where seen_at < now() - interval '${followerSeconds} seconds'`,
    );
  }

  listen(hear: () => void): void {
    this.#hear = hear;
  }

  async prepare(): Promise<void> {
    await this.#claiming();
  }

  async claim(candidate: Candidate, seen: Lease): Promise<string | null> {
    const session = await this.#claiming();
    try {
      // A venue that could not commit would only take the lease from those that can.
      if (this.#connection.synchronous !== undefined)
        await checkReplication((text) => session.queryText(text));
      const { name, address, leaseMs } = candidate;
      const [row] = (await session.query({
        text: "select claim_leadership($1, $2, $3, $4, $5)::text as epoch",
        name: "claim",
        values: [name, address, String(leaseMs), seen.holder, String(seen.renewals)],
      })) as object[] as { epoch: string | null }[];
      return row?.epoch ?? null;
    } catch (error) {
      // If the claim was committed after all, the next read shows this process as the holder.
      this.#durable = null;
      await session.close();
      throw error;
    }
  }

  async endSessions(holder: string): Promise<void> {
    const session = await this.#claiming();
    const values = [holder];
    await session.query({ text: "select end_leader_sessions($1)", name: undefined, values });
  }

  async renew(
    holder: string,
    { settledSeq, chain, handedTo }: Renewal,
  ): Promise<RenewalAnswer | null> {
    const [row] = await this.#quickly<RenewedRow>(
      `update leadership set renewals = renewals + 1, renewed_at = clock_timestamp(), settled_seq = $2, handed_to = $3,
         base_seq = coalesce($4, base_seq), base_hash = coalesce($5, base_hash),
         chain_seq = coalesce($6, chain_seq), chain_hash = coalesce($7, chain_hash)
       where holder = $1
       returning
         (select min(seq) from followers where ${isSeen}) as slowest,
         (select follower from followers where ${isSeen} order by seq desc limit 1) as nearest,
         (select follower from followers where ${isSeen} and has_bus order by seq desc limit 1) as nearest_on_bus`,
      [
        ...[holder, settledSeq, handedTo, chain?.baseSeq ?? null],
        ...[chain?.base ?? null, chain?.seq ?? null, chain?.hash ?? null],
      ],
    );
    if (row === undefined) return null;
    if (handedTo !== null) await this.#quickly(`notify ${handedChannel}`);
    const { slowest, nearest, nearest_on_bus: nearestOnBus } = row;
    return { slowestSeq: slowest === null ? null : Number(slowest), nearest, nearestOnBus };
  }

  async release(holder: string): Promise<void> {
    await this.#quickly(
      "update leadership set holder = '', renewals = renewals + 1 where holder = $1",
      [holder],
    );
  }

  async close(): Promise<void> {
    const open = [this.#quick, this.#durable];
    [this.#quick, this.#durable] = [null, null];
    await Promise.all(open.map((session) => session?.close()));
  }

  async #quickly<Row extends object>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    const { synchronous: _, ...connection } = this.#connection;
    this.#quick = await this.#opened(this.#quick, async () => {
      const session = await PgSession.open(connection, "lease", quick, answerMsMax);
      if (this.#hear !== null) await session.listen(handedChannel, this.#hear);
      return session;
    });
    const bound = values.map((value) =>
      value === null || value instanceof Uint8Array ? bytesOrNull(value) : String(value),
    );
    return (await this.#quick.query({ text, name: undefined, values: bound })) as object[] as Row[];
  }

  async #claiming(): Promise<PgSession> {
    this.#durable = await this.#opened(this.#durable, async () =>
      PgSession.open(this.#connection, "lease", durable, claimMsMax),
    );
    return this.#durable;
  }

  async #opened(session: PgSession | null, open: () => Promise<PgSession>): Promise<PgSession> {
    return session === null || session.isLost ? open() : session;
  }
}

/**
 * True for a follower that has reported lately and whose session is open: one that is killed follows no more. A leader
 * that followed a moment ago is none.
 */
const isSeen = `seen_at > now() - interval '${followerSeconds} seconds' and follower <> holder
  and exists (select from pg_stat_activity where datname = current_database()
                and application_name = 'rialto-lease ' || follower)`;

function bytesOrNull(value: Uint8Array | null): Buffer | null {
  return value === null ? null : Buffer.from(value);
}

function leaseOf(row: LeaseRow): Lease {
  const chain: ChainMark = {
    baseSeq: Number(row.base_seq),
    base: row.base_hash,
    seq: Number(row.chain_seq),
    hash: row.chain_hash,
  };
  return {
    holder: row.holder,
    isConnected: row.is_connected,
    epoch: row.epoch,
    address: row.address,
    leaseMs: row.lease_ms,
    renewals: Number(row.renewals),
    handedTo: row.handed_to,
    settledSeq: Number(row.settled_seq),
    chain: row.chain_hash.length === 0 ? null : chain,
  };
}
