// Starts a venue on an open database: keys and clock, threads, recovery, seeds, then the fronts. Later the venue
// (venue.ts) stops what is started here; if a step of the start fails, this file stops it.
//
//   keys ─▶ clock ─▶ threads ─▶ writer's lock ─▶ recovery, sealed epochs compared ─▶ seeds ─▶ fronts open

import type { WorkerInit } from "../../workers/init.ts";
import { PostgresEventStore } from "../adapters/postgres/event-store.ts";
import { PostgresMarketSamples } from "../adapters/postgres/queries/history/market-samples.ts";
import { PostgresEpochs } from "../adapters/postgres/queries/journal/epochs.ts";
import { loadMarketTable } from "../adapters/postgres/queries/journal/markets.ts";
import { EventLoopRunner } from "../adapters/runtime/agent-runner.ts";
import { alignedInterval } from "../adapters/runtime/aligned-interval.ts";
import { CommandRingSink } from "../adapters/runtime/command-ring-sink.ts";
import type { FolderLock } from "../adapters/runtime/folder-lock.ts";
import { RingClearingClient } from "../adapters/runtime/ring-clearing-client.ts";
import { systemEntropy } from "../adapters/runtime/system-entropy.ts";
import type { VenueClock } from "../adapters/runtime/venue-clock.ts";
import { clearingClientSources } from "../adapters/runtime/venue-memory.ts";
import { SafetyFigures } from "../adapters/telemetry/safety-figures.ts";
import { ThreadFigures } from "../adapters/telemetry/thread-figures.ts";
import { ThreadWatch } from "../adapters/telemetry/thread-watch.ts";
import { present } from "../core/assert.ts";
import type { MarketTable } from "../core/markets.ts";
import type { Log } from "../ports/log.ts";
import { CountersBuffer, RunState } from "../wire/counters-buffer.ts";
import { Doorbell } from "../wire/doorbell.ts";
import { packSnapshot } from "../wire/snapshot-codec.ts";
import { SpscRing } from "../wire/spsc-ring.ts";
import type { Config } from "./config/config.ts";
import type { VenueDatabase } from "./database.ts";
import { ClearingTicks } from "./duties/clearing-ticks.ts";
import { ClockMonitor } from "./duties/clock-monitor.ts";
import {
  checkEpochTerms,
  checkNewestEpochs,
  EpochScheduler,
  type EpochSchedulerParts,
} from "./duties/epochs.ts";
import { IdleAccounts } from "./duties/idle-accounts.ts";
import { MarketSampler } from "./duties/market-sampler.ts";
import { SnapshotScheduler } from "./duties/snapshots.ts";
import { VenueKeys } from "./keys/venue-keys.ts";
import { type ReplayTold, recoverSeed, type SeedOptions, type VenueSeed } from "./recovery.ts";
import { ThreadGroup, type WorkerKind, type WorkerThread } from "./spawn.ts";
import { createTopology, type Topology } from "./topology.ts";

/** Deadline of the commands that the main thread sends for the operator; they may wait longer than a customer's. */
const clearingDeadlineMs = 60_000;

export interface VenueParts {
  readonly config: Config;
  readonly log: Log;
  readonly folder: FolderLock;
  readonly database: VenueDatabase;
  readonly table: MarketTable;
  readonly topology: Topology;
  readonly counters: CountersBuffer;
  readonly threads: ThreadGroup;
  readonly journal: WorkerThread;
  readonly fronts: readonly WorkerThread[];
  readonly clearing: RingClearingClient;
  readonly runner: EventLoopRunner;
  readonly stopTicks: () => void;
  readonly snapshots: SnapshotScheduler;
  readonly idleAccounts: IdleAccounts;
  readonly sampler: MarketSampler;
  readonly epochs: EpochScheduler;
  readonly seed: VenueSeed;
  readonly keys: VenueKeys;
  readonly time: ClockMonitor;
  readonly port: number;
  readonly spawnSettlement: () => WorkerThread;
}

export interface VenueOpening {
  readonly onReplay?: ReplayTold;
  /** True if the operator confirms that the machine's clock is right. */
  readonly acceptsClock?: boolean;
}

type StartBase = Pick<
  VenueParts,
  | "config"
  | "log"
  | "folder"
  | "database"
  | "topology"
  | "counters"
  | "threads"
  | "keys"
  | "time"
  | "port"
>;

/** Starts all threads on an open database. If a step fails, stops them, closes the database and rethrows. */
export async function openOn(
  given: Pick<StartBase, "config" | "log" | "folder" | "database" | "port">,
  { onReplay, acceptsClock = false }: VenueOpening,
): Promise<VenueParts> {
  const { config, log, database } = given;
  const { fronts, matchers } = config;
  const limiterSeed = Buffer.from(systemEntropy.bytes(4)).readInt32LE();
  const topology = createTopology({ fronts, matchers, limiterSeed });
  const counters = new CountersBuffer(topology.memory.counters);
  const threads = new ThreadGroup(counters);
  let time: ClockMonitor | null = null;
  try {
    const { sql } = database;
    const keys = await VenueKeys.open(config, sql, log);
    const ground = { config, sql, log, isAccepted: acceptsClock };
    time = await ClockMonitor.open(ground, topology.memory.clock);
    const base = { ...given, topology, counters, threads, keys, time };
    return await threads.untilFault(startThreads(base, onReplay));
  } catch (error) {
    counters.advanceTo(RunState.stopped);
    await threads.terminate();
    await time?.close();
    await database.close();
    throw error;
  }
}

async function startThreads(base: StartBase, onReplay?: ReplayTold): Promise<VenueParts> {
  const { config, log, database, topology, counters, threads, time } = base;
  const { slots, memory } = topology;
  const table = await loadMarketTable(database.sql);
  const epochParts = epochPartsOf(base, table);
  const sealed = await beginEpochCheck(base, epochParts);
  const initOf = initMaker(base, table);
  const spawn = (kind: WorkerKind, slot: number, index: number) =>
    threads.spawn(kind, initOf(slot, index));
  const journal = spawn("journal", slots.journal, 0);
  const isLocked = journal.next("ready");
  // Fronts load and warm up while the state is being recovered.
  const fronts = slots.fronts.map((slot, index) => spawn("front", slot, index));
  const seeded = [
    journal,
    spawn("clearing", slots.clearing, 0),
    ...slots.matchers.map((slot, index) => spawn("matcher", slot, index)),
    ...fronts,
  ];
  const offer = (bytes: Uint8Array): Uint8Array => {
    const shared = sharedMemoryOf(bytes);
    for (const thread of seeded) thread.offer(shared);
    return bytes;
  };
  let offered: Uint8Array | null = null;
  const seed = await recover(base, table, {
    locked: isLocked,
    ...(onReplay !== undefined && { onReplay }),
    onWhole: (bytes) => {
      offered = offer(bytes);
    },
  });
  const { seq, bytes, snapshotSeq, replayed, tookMs } = seed;
  if (bytes !== offered) offer(bytes);
  log.info({ seq, snapshotSeq, replayed, tookMs }, "state recovered");
  counters.storeCommittedSeq(seq);
  counters.storeIssuedSeq(seq);
  const ready = seeded.map((thread) => thread.next("ready"));
  const unwritten = packSnapshot(seed.unwritten);
  for (const thread of seeded) {
    thread.tell({ kind: "seed", seq, part: thread === journal ? unwritten : new Uint8Array() });
  }
  await Promise.all([...ready, sealed.whenChecked]);
  const opened = fronts.map((front) => front.next("ready"));
  for (const front of fronts) front.tell({ kind: "start" });
  await Promise.all(opened);
  const clearing = clearingClientOf(topology, counters, time.clock);
  const bell = new Doorbell(present(memory.bells[slots.main], "the main thread's doorbell"));
  const watch = new ThreadWatch(new ThreadFigures(memory.threadFigures, slots.main), {
    hasLoop: true,
  });
  const look = () => watch.look();
  const vitals = { thread: slots.main, counters, bell, spinUs: 0, look };
  const runner = new EventLoopRunner(clearing, vitals);
  const ticks = new ClearingTicks({ clearing, counters, clock: time.clock, tickMs: config.tickMs });
  counters.advanceTo(RunState.running);
  threads.watchHeartbeats(config.heartbeatTimeoutMs);
  return {
    ...base,
    table,
    journal,
    fronts,
    clearing,
    runner,
    stopTicks: alignedInterval(() => ticks.look(), config.tickMs, true),
    snapshots: keepSnapshots(base, table, seed, journal),
    epochs: new EpochScheduler({ ...epochParts, startSeq: seed.seq }),
    ...keepTables(base, clearing),
    seed,
    spawnSettlement: () => spawn("settlement", slots.settlement, 0),
  };
}

/**
 * Returns shared memory with exactly these bytes. Bytes that already fill a shared memory, as those of a stored
 * snapshot do, are not copied.
 */
function sharedMemoryOf(bytes: Uint8Array): SharedArrayBuffer {
  const { buffer, byteLength } = bytes;
  if (buffer instanceof SharedArrayBuffer && buffer.byteLength === byteLength) return buffer;
  const shared = new SharedArrayBuffer(byteLength);
  new Uint8Array(shared).set(bytes);
  return shared;
}

/** Starts the background tasks on database tables that run at set times. */
function keepTables(
  { config, database, log, time }: StartBase,
  clearing: RingClearingClient,
): Pick<VenueParts, "idleAccounts" | "sampler"> {
  const { sql } = database;
  const { idleAccountMs: idleMs, marketSampleDays: keepDays } = config;
  const dutyMs = () => time.clock.dutyMs();
  return {
    idleAccounts: new IdleAccounts({ sql, clearing, log, idleMs, dutyMs }),
    sampler: new MarketSampler({ store: new PostgresMarketSamples(sql), log, keepDays, dutyMs }),
  };
}

function clearingClientOf(
  { memory, slots }: Topology,
  counters: CountersBuffer,
  clock: VenueClock,
): RingClearingClient {
  const clearingBell = new Doorbell(present(memory.bells[slots.clearing], "clearing's doorbell"));
  const { main } = clearingClientSources(memory);
  const own = present(memory.sources[main], "the main thread's command source");
  return new RingClearingClient({
    name: "main",
    source: main,
    sink: new CommandRingSink(own, clearingBell, counters, true),
    replies: new SpscRing(own.committed),
    clock,
    deadlineMs: clearingDeadlineMs,
  });
}

function epochPartsOf(
  { config, database, counters, log, keys, topology, time }: StartBase,
  { markets, assets }: MarketTable,
): Omit<EpochSchedulerParts, "startSeq"> {
  const { venueName, epochMs, logLevel } = config;
  const { connection } = database;
  const { nonceKey } = keys;
  return {
    venueName,
    epochMs,
    task: { connection, markets, assets, nonceKey, logLevel },
    clock: time.clock,
    dutyMs: () => time.clock.dutyMs(),
    log,
    committedSeq: () => counters.committedSeq(),
    figures: new SafetyFigures(topology.memory.safety),
  };
}

/**
 * Starts comparing the newest sealed entries with the journal. Throws if the settings differ from those of the existing
 * epochs.
 */
async function beginEpochCheck(
  { config, database, log }: StartBase,
  parts: Omit<EpochSchedulerParts, "startSeq">,
): Promise<{ readonly whenChecked: Promise<void> }> {
  const terms = await new PostgresEpochs(database.sql).terms();
  checkEpochTerms(terms, parts);
  const entriesMax = terms === null ? 0 : config.epochCheckEntries;
  // The check runs on a pool thread during the recovery. The venue serves only when both have succeeded.
  const whenChecked = checkNewestEpochs({ ...parts.task, entriesMax }, log);
  whenChecked.catch(() => undefined);
  return { whenChecked };
}

/**
 * Recovers the state. Waits for `locked` before it replays the journal: the journal thread then holds the writer's
 * lock.
 */
async function recover(
  { database, config, log }: StartBase,
  table: MarketTable,
  steps: Pick<SeedOptions, "locked" | "onWhole" | "onReplay">,
): Promise<VenueSeed> {
  const { connection } = database;
  const store = new PostgresEventStore({ connection, log, isStopping: () => false });
  try {
    const { projectionIntervalMs } = config;
    return await recoverSeed(store, table, { projectionIntervalMs, ...steps }, log);
  } finally {
    // Do not wait for the close: the server may take a while to end a session.
    void store.close();
  }
}

function initMaker(
  { config, database, topology, keys, port }: StartBase,
  table: MarketTable,
): (thread: number, index: number) => WorkerInit {
  const { memory, slots, threadNames } = topology;
  const { markets, assets } = table;
  const { connection } = database;
  const { masterKey: _, masterKeysEarlier: __, ...rest } = config;
  const settings = { ...rest, nonceKey: keys.nonceKey, port };
  return (thread, index) => ({
    thread,
    index,
    name: present(threadNames[thread], "the name of a thread"),
    threadNames,
    memory,
    slots,
    markets,
    assets,
    connection,
    // Read for each thread, so that a thread started later gets the keys that are current at that time.
    settings: { ...settings, masterKeys: keys.box.keys },
  });
}

function keepSnapshots(
  { config, database, counters, log, topology, time }: StartBase,
  table: MarketTable,
  seed: VenueSeed,
  journal: WorkerThread,
): SnapshotScheduler {
  const { markets, assets } = table;
  const { connection } = database;
  return new SnapshotScheduler({
    rules: { intervalMs: config.snapshotIntervalMs, events: config.snapshotEvents },
    task: { connection, markets, assets, logLevel: config.logLevel },
    clock: time.clock,
    log,
    committedSeq: () => counters.committedSeq(),
    settle: () => settleJournal(journal, counters),
    figures: new SafetyFigures(topology.memory.safety),
    snapshotSeq: seed.snapshotSeq,
  });
}

/** Makes the journal write all pending rows; returns the seq up to which rows are complete. */
export async function settleJournal(
  journal: WorkerThread,
  counters: CountersBuffer,
): Promise<number> {
  const wanted = counters.committedSeq();
  for (;;) {
    const settled = journal.next("settled");
    journal.tell({ kind: "settle" });
    const { seq } = await settled;
    // An answer with a lower seq belongs to an earlier request.
    if (seq >= wanted) return seq;
  }
}
