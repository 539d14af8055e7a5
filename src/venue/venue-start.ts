// Starts a venue: database, keys and clock, threads, recovery, seeds, then the fronts. Later the venue (venue.ts) stops
// what is started here; if a step of the start fails, this file stops it. Threads load their code from the first step on.
//
//   database ─▶ journal mark ─▶ keys ─▶ clock ─▶ threads begin ─▶ writer's lock ─▶ recovery, sealed epochs compared ─▶ seeds ─▶ fronts open

import { PostgresEventStore } from "../adapters/postgres/event-store.ts";
import { PostgresMarketSamples } from "../adapters/postgres/queries/history/market-samples.ts";
import { PostgresEpochs } from "../adapters/postgres/queries/journal/epochs.ts";
import { loadMarketTable } from "../adapters/postgres/queries/journal/markets.ts";
import { newestSnapshotSeq } from "../adapters/postgres/snapshots.ts";
import { EventLoopRunner } from "../adapters/runtime/agent-runner.ts";
import { CommandRingSink } from "../adapters/runtime/command-ring-sink.ts";
import type { FolderLock } from "../adapters/runtime/folder-lock.ts";
import { RingClearingClient } from "../adapters/runtime/ring-clearing-client.ts";
import { monotonicMs } from "../adapters/runtime/system-clock.ts";
import { systemEntropy } from "../adapters/runtime/system-entropy.ts";
import { type MarketClock, marketClock, type VenueClock } from "../adapters/runtime/venue-clock.ts";
import { clearingClientSources } from "../adapters/runtime/venue-memory.ts";
import { SafetyFigures } from "../adapters/telemetry/safety-figures.ts";
import { ThreadFigures } from "../adapters/telemetry/thread-figures.ts";
import { ThreadWatch } from "../adapters/telemetry/thread-watch.ts";
import { present } from "../core/assert.ts";
import type { MarketTable } from "../core/markets.ts";
import type { Log } from "../ports/log.ts";
import { CountersBuffer, RunState } from "../wire/counters-buffer.ts";
import { Doorbell } from "../wire/doorbell.ts";
import { LeaseBuffer } from "../wire/lease-buffer.ts";
import { SpscRing } from "../wire/spsc-ring.ts";
import type { Config } from "./config/config.ts";
import { Crew } from "./crew.ts";
import { openDatabase, type VenueDatabase } from "./database.ts";
import { ClearingTicks, type ClearingTicksParts } from "./duties/clearing-ticks.ts";
import { ClockMonitor } from "./duties/clock-monitor.ts";
import {
  checkEpochTerms,
  checkNewestEpochs,
  type EpochScheduler,
  type EpochSchedulerParts,
} from "./duties/epochs.ts";
import { IdleAccounts } from "./duties/idle-accounts.ts";
import { JournalMarker } from "./duties/journal-marker.ts";
import { keepEpochs } from "./duties/keep-epochs.ts";
import type { LiabilityScheduler } from "./duties/liabilities.ts";
import { MarketSampler } from "./duties/market-sampler.ts";
import { MarketTime } from "./duties/market-time.ts";
import { SnapshotScheduler } from "./duties/snapshots.ts";
import { checkForkStart } from "./fork/fork-start.ts";
import { initMaker } from "./init-maker.ts";
import { VenueKeys } from "./keys/venue-keys.ts";
import type { HeldLease } from "./leadership/held-lease.ts";
import { MarkFile } from "./leadership/mark-file.ts";
import { type FollowingVenue, Seat } from "./leadership/seat.ts";
import { takeLead } from "./leadership/take-lead.ts";
import type { PortClaim } from "./port-claim.ts";
import {
  type ReplayTold,
  recoverSeed,
  type SeedOptions,
  type VenueSeed,
  type WarmSeed,
} from "./recovery.ts";
import { ThreadGroup, type WorkerThread } from "./spawn.ts";
import { StepTimes } from "./step-times.ts";
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
  /** Serves the gateways; null without a bus. */
  readonly bus: WorkerThread | null;
  readonly clearing: RingClearingClient;
  readonly runner: EventLoopRunner;
  readonly ticks: ClearingTicks;
  readonly snapshots: SnapshotScheduler;
  readonly idleAccounts: IdleAccounts;
  readonly sampler: MarketSampler;
  readonly epochs: EpochScheduler;
  readonly liabilities: LiabilityScheduler;
  readonly seed: WarmSeed;
  /** null for a venue that is alone on its database. */
  readonly lease: HeldLease | null;
  readonly keys: VenueKeys;
  readonly mark: MarkFile;
  readonly marker: JournalMarker;
  readonly time: ClockMonitor;
  /** The time of events: that of `time`, or in a venue that can be rewound that of `marketTime`. */
  readonly marketClock: MarketClock;
  /** Moves the market's time; null for a venue that cannot be rewound. */
  readonly marketTime: MarketTime | null;
  readonly port: number;
  readonly claim: PortClaim;
  readonly spawnSettlement: () => WorkerThread;
}

export interface VenueOpening {
  /** Told the port of the public API once it is this venue's, long before the venue answers there. */
  readonly onPort?: (port: number) => void;
  readonly onReplay?: ReplayTold;
  /** True if the operator confirms that the machine's clock is right. */
  readonly acceptsClock?: boolean;
  /** Ends the wait of a venue that follows another. */
  readonly signal?: AbortSignal;
  /** Called when another venue leads, so that this one follows it. */
  readonly onFollowing?: (following: FollowingVenue) => void;
}

type StartBase = { readonly crew: Crew } & Pick<
  VenueParts,
  | "config"
  | "log"
  | "folder"
  | "database"
  | "topology"
  | "counters"
  | "threads"
  | "keys"
  | "mark"
  | "time"
  | "marketClock"
  | "marketTime"
  | "port"
  | "claim"
>;

/** Opens the database and starts all threads. If a step fails, stops them, closes the database and rethrows. */
export async function openOn(
  settled: Pick<StartBase, "config" | "log" | "folder" | "port" | "claim">,
  opening: VenueOpening,
): Promise<VenueParts> {
  const { config, log } = settled;
  const { fronts, matchers, gatewaySlots } = config;
  const limiterSeed = Buffer.from(systemEntropy.bytes(4)).readInt32LE();
  const topology = createTopology({ fronts, matchers, gatewaySlots, limiterSeed });
  const counters = new CountersBuffer(topology.memory.counters);
  const threads = new ThreadGroup(counters);
  let database: VenueDatabase | null = null;
  let time: ClockMonitor | null = null;
  let seat: Seat | null = null;
  try {
    const crew = new Crew(threads, topology);
    const { databaseUrl, synchronousWaitMs, dataDir } = config;
    const reached = { databaseUrl, synchronousWaitMs, dataDir };
    database = await openDatabase({ ...reached, log, ownsFolder: true });
    const given = { ...settled, database };
    const { sql, connection } = database;
    await checkForkStart(sql, config);
    const mark = await MarkFile.open({ dataDir: config.dataDir, connection, log });
    await mark.compare();
    // A venue that follows may have been given the key of a rotation that its leader has yet to begin.
    const keys = await VenueKeys.open(config, sql, log, { bringsNewKey: config.lease !== null });
    const ground = { config, sql, log, isAccepted: opening.acceptsClock ?? false };
    time = await ClockMonitor.open(ground, topology.memory.clock);
    // Before the threads begin: they look once whether the market has a time of its own.
    const marketTime = await openMarketTime(given, topology, time);
    const market = { marketTime, marketClock: marketClock(topology.memory.clock) };
    threads.check();
    const base = { ...given, topology, counters, threads, crew, keys, mark, time, ...market };
    if (config.lease === null) return await threads.untilFault(startThreads(base, null, opening));
    const { signal = new AbortController().signal, onFollowing = () => undefined } = opening;
    const { lease: memory } = topology.memory;
    seat = new Seat({ ...base, settings: config.lease, memory, signal, onFollowing });
    return await threads.untilFault(startThreads(base, seat, opening));
  } catch (error) {
    counters.advanceTo(RunState.stopped);
    await threads.terminate();
    await seat?.close();
    await time?.close();
    await database?.close();
    throw error;
  }
}

/** Starts the market's time of a venue that can be rewound; null for another venue. */
async function openMarketTime(
  { config, database: { sql } }: Pick<StartBase, "config" | "database">,
  { memory }: Topology,
  { clock }: ClockMonitor,
): Promise<MarketTime | null> {
  if (!config.isRewind) return null;
  return MarketTime.open({ config, sql, memory: memory.clock, edgeMs: clock.nowMs() });
}

async function startThreads(
  given: StartBase,
  seat: Seat | null,
  opening: VenueOpening,
): Promise<VenueParts> {
  const { topology, threads, crew } = given;
  const { slots } = topology;
  const table = await loadMarketTable(given.database.sql);
  const epochParts = epochPartsOf(given, table);
  const sealed = await beginEpochCheck(given, epochParts);
  const connection = seat?.connection ?? given.database.connection;
  const initOf = initMaker({ ...given, connection, isGateway: false }, table);
  // Threads warm up while the state is being recovered, or while another venue leads.
  crew.begin(initOf);
  const led = seat === null ? null : await takeLead(seat, { ...given, table, crew });
  const base = led === null ? given : { ...given, database: led.database };
  const { warm = null, chainHash = new Uint8Array() } = led ?? {};
  const recovered = warm ?? (await offerRecovered(base, crew, table, opening));
  const steps = new StepTimes<"state" | "engine" | "alone" | "lease" | "bus" | "fronts">(
    led?.claimedMs,
  );
  steps.done("state");
  const begins = () => crew.seedFronts(recovered.seq);
  // Without another leader before it, nobody waits for this venue yet, and all threads begin together.
  const early = led === null ? begins() : null;
  const [time] = await Promise.all([
    led === null ? given.time : judgeClockAgain(given, opening),
    seedEngine(base, crew, recovered, chainHash),
  ]);
  steps.done("engine");
  await Promise.all([sealed.whenChecked, led?.isAlone]);
  steps.done("alone");
  const running = { ...base, time };
  if (led?.lease.isPlanned === false) acceptOnlyCancels(running);
  // Without gateways, nobody waits for anything but the fronts.
  const begun = early ?? (crew.bus === null ? begins() : null);
  await led?.isSilent;
  steps.done("lease");
  await crew.openBus(recovered.seq);
  steps.done("bus");
  await (begun ?? begins());
  // Fronts know orders that closed before from their rows only.
  if (led !== null) await settleJournal(crew.journal, base.counters);
  await led?.freeAddress();
  await given.claim.release();
  await crew.openFronts();
  steps.done("fronts");
  base.log.info(steps.ms, "this venue serves; each step's end in ms after the claim or the start");
  return run(running, crew, {
    table,
    seed: recovered,
    lease: led?.lease ?? null,
    spawnSettlement: () => threads.spawnWith("settlement", initOf(slots.settlement, 0)),
  });
}

/** Judges the clock of a venue that leads now: the leader's newest event may be ahead of this machine's clock. */
async function judgeClockAgain(
  { config, database, log, topology, time }: StartBase,
  { acceptsClock: isAccepted = false }: VenueOpening,
): Promise<ClockMonitor> {
  await time.close();
  return ClockMonitor.open({ config, sql: database.sql, log, isAccepted }, topology.memory.clock);
}

/** Lets the engine begin with the recovered state. */
async function seedEngine(
  { counters, log }: StartBase,
  crew: Crew,
  recovered: WarmSeed,
  chainHash: Uint8Array,
): Promise<void> {
  const { seq, snapshotSeq, replayed, tookMs } = recovered;
  log.info({ seq, snapshotSeq, replayed, tookMs }, "state recovered");
  counters.storeCommittedSeq(seq);
  counters.storeIssuedSeq(seq);
  await crew.seedEngine(recovered, chainHash);
}

/** Recovers the state and offers it to all threads, if possible before it is checked. */
async function offerRecovered(
  base: StartBase,
  crew: Crew,
  table: MarketTable,
  { onReplay }: VenueOpening,
): Promise<VenueSeed> {
  let offered: Uint8Array | null = null;
  const seed = await recover(base, table, {
    locked: crew.isLocked,
    ...(onReplay !== undefined && { onReplay }),
    onWhole: (bytes) => {
      offered = crew.offer(bytes);
    },
  });
  if (seed.bytes !== offered) crew.offer(seed.bytes);
  return seed;
}

/** Starts the main thread's own work; the venue then runs. */
function run(
  base: StartBase,
  { journal, fronts, bus }: Crew,
  parts: Pick<VenueParts, "table" | "seed" | "lease" | "spawnSettlement">,
): VenueParts {
  const { config, topology, counters, threads, time, marketClock: clock } = base;
  const { slots, memory } = topology;
  const clearing = clearingClientOf(topology, counters, { clock: time.clock, market: clock });
  const bell = new Doorbell(present(memory.bells[slots.main], "the main thread's doorbell"));
  const watch = new ThreadWatch(new ThreadFigures(memory.threadFigures, slots.main), {
    hasLoop: true,
  });
  const look = () => watch.look();
  const vitals = { thread: slots.main, counters, bell, spinUs: 0, look };
  const ticks = ticksOf({ clearing, counters, clock, tickMs: config.tickMs });
  const runner = new EventLoopRunner(ticks, vitals);
  counters.advanceTo(RunState.running);
  threads.watchHeartbeats(config.heartbeatTimeoutMs);
  parts.lease?.publish(() => settleJournal(journal, counters));
  return {
    ...base,
    ...parts,
    journal,
    fronts,
    bus,
    clearing,
    runner,
    ticks,
    snapshots: keepSnapshots(base, parts.table, parts.seed, journal),
    ...keepEpochs({
      ...{ config, clearing, seed: parts.seed, memory },
      parts: epochPartsOf(base, parts.table),
    }),
    marker: new JournalMarker({
      journal,
      file: base.mark,
      epoch: String(new LeaseBuffer(memory.lease).epoch()),
      committedSeq: () => counters.committedSeq(),
    }),
    ...keepTables(base, clearing),
  };
}

function ticksOf(parts: Omit<ClearingTicksParts, "monotonicMs" | "later">): ClearingTicks {
  const later = (run: () => void, delayMs: number) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  };
  return new ClearingTicks({ ...parts, monotonicMs, later });
}

/** Accepts only cancels for the time that the operator has set for take-overs that were not planned. */
function acceptOnlyCancels({ config, counters, log }: StartBase): void {
  const forMs = config.lease?.cancelOnlyMs ?? 0;
  if (forMs === 0) return;
  counters.setCancelOnly(true);
  log.warn({ forMs }, "only cancels are accepted after a take-over that was not planned");
  setTimeout(() => {
    counters.setCancelOnly(false);
    log.info({}, "orders are accepted again");
  }, forMs).unref();
}

/** Starts the background tasks on database tables that run at set times. */
function keepTables(
  { config, database, log, marketClock: { dutyMs } }: StartBase,
  clearing: RingClearingClient,
): Pick<VenueParts, "idleAccounts" | "sampler"> {
  const { sql } = database;
  const { marketSampleDays: keepDays } = config;
  // Where the market's time leaps, an account would look idle for long that was opened a minute ago.
  const idleMs = config.isRewind ? 0 : config.idleAccountMs;
  return {
    idleAccounts: new IdleAccounts({ sql, clearing, log, idleMs, dutyMs }),
    sampler: new MarketSampler({ store: new PostgresMarketSamples(sql), log, keepDays, dutyMs }),
  };
}

function clearingClientOf(
  { memory, slots }: Topology,
  counters: CountersBuffer,
  clocks: { readonly clock: VenueClock; readonly market: MarketClock },
): RingClearingClient {
  const clearingBell = new Doorbell(present(memory.bells[slots.clearing], "clearing's doorbell"));
  const { main } = clearingClientSources(memory);
  const own = present(memory.sources[main], "the main thread's command source");
  return new RingClearingClient({
    name: "main",
    source: main,
    sink: new CommandRingSink(own, clearingBell, counters, true),
    replies: new SpscRing(own.committed),
    ...clocks,
    deadlineMs: clearingDeadlineMs,
  });
}

function epochPartsOf(
  { config, database, counters, log, keys, topology, time, marketClock: { dutyMs } }: StartBase,
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
    // Epochs divide the journal by the time of its entries, which is the market's (REW-13).
    dutyMs,
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
  const epochs = new PostgresEpochs(database.sql);
  checkEpochTerms(await epochs.terms(), parts);
  // Without a sealed epoch there is nothing to compare, and a pool thread would only delay the others.
  const [newest] = await epochs.epochs(null, 1);
  const entriesMax = newest === undefined ? 0 : config.epochCheckEntries;
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

function keepSnapshots(
  { config, database, counters, log, topology, time }: StartBase,
  table: MarketTable,
  seed: WarmSeed,
  journal: WorkerThread,
): SnapshotScheduler {
  const { markets, assets } = table;
  const { connection } = database;
  const { snapshotIntervalMs: intervalMs, snapshotEvents: events } = config;
  // Followers build the snapshots; the leader builds one only if none of them does.
  const isAlone = config.lease === null;
  const rules = isAlone
    ? { intervalMs, events }
    : { intervalMs: 2 * intervalMs, events: 2 * events };
  return new SnapshotScheduler({
    rules,
    ...(!isAlone && { newestStored: () => newestSnapshotSeq(database.sql) }),
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
