// A gateway process: the fronts of a venue on a machine of their own. It starts from the newest snapshot and the
// journal in PostgreSQL, which it only reads, and then follows the leader over the bus. It decides nothing, and holds
// nothing that the venue needs.
//
//   leader's announcement ─▶ snapshot and journal up to it ─▶ fronts follow ─▶ open

import { NatsBus } from "../../adapters/nats/nats-bus.ts";
import { openPostgres, type Sql } from "../../adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../adapters/postgres/event-store.ts";
import { grantAdvice } from "../../adapters/postgres/gateway-rights.ts";
import { firstMissing } from "../../adapters/postgres/migrate.ts";
import { PostgresEpochs } from "../../adapters/postgres/queries/journal/epochs.ts";
import { loadMarketTable } from "../../adapters/postgres/queries/journal/markets.ts";
import { codeOf } from "../../adapters/postgres/retryable.ts";
import type { FolderLock } from "../../adapters/runtime/folder-lock.ts";
import { systemEntropy } from "../../adapters/runtime/system-entropy.ts";
import type { MarketTable } from "../../core/markets.ts";
import { busSubjects } from "../../ports/bus.ts";
import type { Log } from "../../ports/log.ts";
import { announced } from "../../services/journal/replay.ts";
import { BusMessageReader } from "../../wire/bus-message.ts";
import { CountersBuffer, RunState } from "../../wire/counters-buffer.ts";
import { Doorbell } from "../../wire/doorbell.ts";
import type { Config } from "../config/config.ts";
import { checkFixFiles } from "../config/fix-files.ts";
import { applyProcessSettings } from "../config/process-settings.ts";
import { databaseFault, externalDatabase } from "../database.ts";
import { ClockMonitor } from "../duties/clock-monitor.ts";
import { checkVenueName } from "../duties/epochs.ts";
import { venueTurn } from "../folder-turn.ts";
import { initMaker, sharedMemoryOf } from "../init-maker.ts";
import { KeyWatch } from "../keys/key-watch.ts";
import { VenueKeys } from "../keys/venue-keys.ts";
import { PortClaim } from "../port-claim.ts";
import { recoverSeed, type VenueSeed } from "../recovery.ts";
import { ThreadGroup, type WorkerThread } from "../spawn.ts";
import { createTopology, type Topology } from "../topology.ts";
import { isDoneWithin } from "../venue.ts";
import { gatewaySettings } from "./gateway-settings.ts";

/** How long a thread may take to exit before it is terminated. */
const endWaitMs = 2_000;
/** SQL state of a missing right. */
const lackingRight = "42501";
/** How long a gateway waits for its leader before it says what may be wrong. */
const silentMs = 10_000;

interface GatewayParts {
  readonly config: Config;
  readonly log: Log;
  readonly folder: FolderLock;
  readonly sql: Sql;
  readonly port: number;
  readonly claim: PortClaim;
  readonly topology: Topology;
  readonly counters: CountersBuffer;
  readonly threads: ThreadGroup;
  readonly time: ClockMonitor;
  readonly fronts: readonly WorkerThread[];
  readonly keyWatch: KeyWatch;
  /** Resolves when the leader has markets that this gateway does not know. */
  readonly outdated: Promise<unknown>;
}

export interface GatewayOpening {
  /** Called once the data folder is this gateway's and its database is right; a leader is then waited for. */
  readonly onLocked?: () => void;
}

export class GatewayProcess {
  readonly #parts: GatewayParts;
  #closing: Promise<void> | null = null;

  private constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  /**
   * Starts a gateway. Waits for a leader as long as there is none. Throws a ConfigError if the settings lack a bus or a
   * database, and an error in words if the database cannot be used or has another schema than this program.
   */
  static async open(
    config: Config,
    log: Log,
    { onLocked = () => undefined }: GatewayOpening = {},
  ): Promise<GatewayProcess> {
    applyProcessSettings();
    const connection = externalDatabase(gatewaySettings(config));
    checkFixFiles(config.fix);
    const folder = await venueTurn(config.dataDir);
    const sql = openPostgres(connection, "queries");
    let claim: PortClaim | null = null;
    try {
      claim = await PortClaim.of(config.host, config.port);
      const { port } = claim;
      await checkDatabase(sql, config);
      onLocked();
      return new GatewayProcess(await startFronts({ config, log, folder, sql, port, claim }));
    } catch (error) {
      await claim?.release();
      await sql.end({ timeout: 2 });
      await folder.release();
      throw rightsFault(error);
    }
  }

  get port(): number {
    return this.#parts.port;
  }

  /** Seq of the last event that the fronts have. */
  get committedSeq(): number {
    return this.#parts.counters.committedSeq();
  }

  /** Calls back with the first fault of any thread; the caller must then abort the gateway. */
  whenFaulted(tell: (fault: Error) => void): void {
    this.#parts.threads.whenFaulted(tell);
  }

  /** Calls back when the leader has markets that this gateway does not know; a new start knows them. */
  whenOutdated(tell: () => void): void {
    void this.#parts.outdated.then(tell);
  }

  /** Refuses new requests, waits for the answers of those sent to the leader, and stops. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Stops without waiting for answers. */
  async abort(): Promise<void> {
    const { counters, threads, fronts, topology, time, sql, folder, keyWatch } = this.#parts;
    await keyWatch.close();
    threads.beginEnd();
    counters.advanceTo(RunState.stopped);
    for (const front of fronts) front.tell({ kind: "stop" });
    for (const bell of topology.memory.bells) new Doorbell(bell).ring();
    await isDoneWithin(threads.ended(), endWaitMs);
    await threads.terminate();
    await time.close();
    await sql.end({ timeout: 2 });
    await folder.release();
  }

  async #close(): Promise<void> {
    const { counters, fronts, config, log } = this.#parts;
    counters.advanceTo(RunState.draining);
    const answered = fronts.map((front) => {
      const drained = front.next("drained");
      front.tell({ kind: "drain" });
      return drained;
    });
    if (!(await isDoneWithin(Promise.all(answered), config.stopTimeoutMs)))
      log.warn({}, "the stop timed out; the outcome of some requests is unknown");
    await this.abort();
  }
}

/** Throws, in words for the operator, unless the database can be read, has this program's schema, and is the venue's. */
async function checkDatabase(sql: Sql, config: Config): Promise<void> {
  const { databaseUrl } = gatewaySettings(config);
  const missing = await firstMissing(sql).catch((error: unknown) => {
    throw lacksRight(error) ? error : databaseFault(error, databaseUrl);
  });
  if (missing !== null)
    throw new Error(
      `the database lacks migration ${missing}: start the leader of this version first`,
    );
  checkVenueName(await new PostgresEpochs(sql).terms(), config.venueName);
}

function lacksRight(error: unknown): boolean {
  return codeOf(error) === lackingRight;
}

/** Returns the same error with the advice of gateway-rights.sql if the login lacks a right. */
function rightsFault(error: unknown): unknown {
  if (!lacksRight(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Error(
    `the login of DATABASE_URL lacks a right of a gateway: ${message}; ${grantAdvice}`,
  );
}

type StartGround = Pick<GatewayParts, "config" | "log" | "folder" | "sql" | "port" | "claim">;

async function startFronts(ground: StartGround): Promise<GatewayParts> {
  const { config, log, sql } = ground;
  const limiterSeed = Buffer.from(systemEntropy.bytes(4)).readInt32LE();
  const topology = createTopology({
    ...{ fronts: config.fronts, matchers: 0, gatewaySlots: 0, limiterSeed },
  });
  const counters = new CountersBuffer(topology.memory.counters);
  const threads = new ThreadGroup(counters);
  let time: ClockMonitor | null = null;
  let keyWatch: KeyWatch | null = null;
  try {
    // The leader may still have to begin the rotation to the MASTER_KEY of this gateway.
    const keys = await VenueKeys.open(config, sql, log, { bringsNewKey: true });
    time = await ClockMonitor.open({ config, sql, log, isAccepted: false }, topology.memory.clock);
    const table = await loadMarketTable(sql);
    const connection = externalDatabase(gatewaySettings(config));
    const initOf = initMaker(
      { ...{ config, connection, topology, keys }, port: ground.port, isGateway: true },
      table,
    );
    const fronts = topology.slots.fronts.map((slot, index) =>
      threads.spawnWith("front", initOf(slot, index)),
    );
    const outdated = Promise.race(fronts.map((front) => front.next("outdated")));
    keyWatch = new KeyWatch({ keys, threads: fronts, log });
    const seed = await threads.untilFault(recoverAnnounced(config, table, log));
    await threads.untilFault(seedFronts(fronts, seed, { counters, claim: ground.claim }));
    counters.advanceTo(RunState.running);
    threads.watchHeartbeats(config.heartbeatTimeoutMs);
    return { ...ground, topology, counters, threads, time, fronts, keyWatch, outdated };
  } catch (error) {
    await keyWatch?.close();
    counters.advanceTo(RunState.stopped);
    await threads.terminate();
    await time?.close();
    throw error;
  }
}

/** Gives the fronts their state; resolves when they follow the leader and listen. */
async function seedFronts(
  fronts: readonly WorkerThread[],
  { seq, bytes }: VenueSeed,
  { counters, claim }: Pick<GatewayParts, "counters" | "claim">,
): Promise<void> {
  counters.storeCommittedSeq(seq);
  counters.storeIssuedSeq(seq);
  const shared = sharedMemoryOf(bytes);
  const ready = fronts.map((front) => front.next("ready"));
  for (const front of fronts) {
    front.offer(shared);
    front.tell({ kind: "seed", seq, part: new Uint8Array() });
  }
  await Promise.all(ready);
  await claim.release();
  const opened = fronts.map((front) => front.next("ready"));
  for (const front of fronts) front.tell({ kind: "start" });
  await Promise.all(opened);
}

/** Recovers the state up to the seq that the leader announces as durable: the journal may show later events. */
async function recoverAnnounced(config: Config, table: MarketTable, log: Log): Promise<VenueSeed> {
  const durableSeq = await announcedSeq(config, log);
  const connection = externalDatabase(gatewaySettings(config));
  const store = new PostgresEventStore({ connection, log, isStopping: () => false });
  try {
    const { projectionIntervalMs } = config;
    const seed = await recoverSeed(
      announced(store, durableSeq),
      table,
      { projectionIntervalMs },
      log,
    );
    const { seq, snapshotSeq, replayed, tookMs } = seed;
    log.info({ seq, snapshotSeq, replayed, tookMs }, "state recovered");
    return seed;
  } finally {
    void store.close();
  }
}

/** Waits for a leader of this version; returns the last seq that it announces as durable. */
async function announcedSeq(config: Config, log: Log): Promise<number> {
  const { bus: settings } = gatewaySettings(config);
  const bus = new NatsBus({ settings, name: `${config.venueName} gateway start`, log });
  const reader = new BusMessageReader();
  const venue = config.venueName;
  let told = "";
  const tell = (reason: string) => {
    if (reason !== told) log.error({ venue, reason }, "the leader cannot be followed; waiting");
    told = reason;
  };
  const silent = setTimeout(() => {
    if (told === "")
      log.warn(
        { venue },
        "no venue of this VENUE_NAME is heard: start it with NATS_URL, or correct VENUE_NAME",
      );
  }, silentMs);
  try {
    return await new Promise((resolve) => {
      log.info({ venue }, "waiting for the leader");
      bus.subscribe(busSubjects(venue).groups, (message) => {
        const fault = reader.open(message);
        if (fault === null) resolve(reader.header.durableSeq);
        else tell(fault);
      });
    });
  } finally {
    clearTimeout(silent);
    await bus.close();
  }
}
