// A venue's part in choosing a leader, from its start to its end: it stands by, takes the lead, and holds the lease.

import { randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import { hostname } from "node:os";
import type { PostgresConnectionOptions } from "../../adapters/postgres/connection.ts";
import { openPostgres } from "../../adapters/postgres/connection.ts";
import { PostgresLeadership } from "../../adapters/postgres/leadership-store.ts";
import type { SafetyFigures } from "../../adapters/telemetry/safety-figures.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Candidate, LeadershipStore } from "../../ports/leadership.ts";
import type { Log } from "../../ports/log.ts";
import type { CountersBuffer } from "../../wire/counters-buffer.ts";
import { LeaseBuffer } from "../../wire/lease-buffer.ts";
import type { Config, LeaseSettings } from "../config/config.ts";
import type { VenueDatabase } from "../database.ts";
import type { PortClaim } from "../port-claim.ts";
import { buildInfo, runningSince } from "../program-version.ts";
import type { WorkerThread } from "../spawn.ts";
import { FollowerServer } from "./follower-server.ts";
import { FollowerSnapshots } from "./follower-snapshots.ts";
import { HeldLease } from "./held-lease.ts";
import type { MarkFile } from "./mark-file.ts";
import { type Leadership, StandBy, type StandByParts } from "./stand-by.ts";

/** A venue that follows, as the operator sees it. */
export interface FollowingVenue {
  status(): object;
}

export interface SeatParts {
  readonly config: Config;
  readonly settings: LeaseSettings;
  readonly database: VenueDatabase;
  readonly port: number;
  readonly claim: PortClaim;
  readonly memory: SharedArrayBuffer;
  readonly counters: CountersBuffer;
  readonly mark: MarkFile;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called once, when another venue is found to lead. */
  readonly onFollowing: (following: FollowingVenue) => void;
}

/** What a venue needs while it waits to lead. */
export interface WaitParts
  extends Pick<StandByParts, "table" | "onState" | "onEvents" | "onClaimed"> {
  readonly clock: Clock;
  readonly figures: SafetyFigures;
}

export class Seat {
  readonly #parts: SeatParts;
  readonly #store: LeadershipStore;
  readonly #candidate: Candidate;
  readonly #buffer: LeaseBuffer;
  #server: Promise<FollowerServer> | null = null;
  #held: HeldLease | null = null;

  constructor(parts: SeatParts) {
    const { config, settings, port, memory } = parts;
    this.#parts = parts;
    this.#buffer = new LeaseBuffer(memory);
    const address = ownAddress(config.host, port);
    const name = randomBytes(8).toString("hex");
    this.#candidate = { name, address, leaseMs: settings.leaseMs };
    this.#store = new PostgresLeadership(this.connection);
  }

  /** The connection of sessions that must end when another venue leads. */
  get connection(): PostgresConnectionOptions {
    return { ...this.#parts.database.connection, leader: this.#candidate.name };
  }

  /** Closes the follower's server, so that the fronts can listen at its address. Idempotent. */
  async freeAddress(): Promise<void> {
    const server = await this.#server?.catch(() => null);
    this.#server = null;
    await server?.close();
  }

  /** Waits until this venue leads; see StandBy. */
  async untilLeading(given: WaitParts): Promise<Leadership> {
    const { table, clock, figures, onState, onEvents, onClaimed } = given;
    const { config, database, mark, log, signal, onFollowing } = this.#parts;
    let snapshots: FollowerSnapshots | null = null;
    const standBy = new StandBy({
      store: this.#store,
      candidate: this.#candidate,
      database,
      table,
      lease: this.#buffer,
      mark,
      log,
      signal,
      onState,
      onEvents,
      onClaimed,
      onFollowing: () => {
        if (this.#server !== null) return;
        this.#server = this.#listen(standBy);
        this.#server.catch((err) => log.error({ err }, "the follower's server failed"));
        snapshots = new FollowerSnapshots({
          config,
          database,
          table,
          clock,
          log,
          figures,
          standBy,
        });
        onFollowing({ status: () => this.#status(standBy) });
      },
    });
    try {
      return await standBy.untilLeading();
    } finally {
      void (snapshots as FollowerSnapshots | null)?.close();
    }
  }

  /** Holds the lease from now on, and returns a database whose sessions end with it. */
  hold(leadership: Leadership, journal: WorkerThread): HeldLease {
    const { settings, counters, log } = this.#parts;
    this.#held = new HeldLease({
      store: this.#store,
      candidate: this.#candidate,
      settings,
      leadership,
      buffer: this.#buffer,
      counters,
      journal,
      log,
    });
    return this.#held;
  }

  /** The same database with sessions that end when another venue leads. */
  leadersDatabase(): VenueDatabase {
    const { database } = this.#parts;
    const { connection } = this;
    const sql = openPostgres(connection, "queries");
    const close = async () => {
      await sql.end({ timeout: 2 });
      await database.close();
    };
    return { ...database, connection, sql, close };
  }

  async close(): Promise<void> {
    await this.freeAddress();
    await (this.#held ?? this.#store).close();
  }

  async #listen(standBy: StandBy): Promise<FollowerServer> {
    const { config, port, claim } = this.#parts;
    await claim.release();
    const build = buildInfo(config);
    return FollowerServer.open({ host: config.host, port }, this.#buffer, () => ({
      seq: standBy.seq,
      leader: standBy.lease?.address ?? "",
      epoch: standBy.lease?.epoch ?? "0",
      build,
    }));
  }

  #status(standBy: StandBy): object {
    const { lease, seq } = standBy;
    return {
      is_running: true,
      ...runningSince(),
      role: "follower",
      address: this.#candidate.address,
      leader: lease?.address ?? "",
      writer_epoch: Number(lease?.epoch ?? 0),
      seq,
      distance: this.#buffer.distance(),
      pid: process.pid,
    };
  }
}

/** The address by which operators tell the venues of a database apart; PUBLIC_URL is the same for all of them. */
function ownAddress(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? hostname() : host;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}
