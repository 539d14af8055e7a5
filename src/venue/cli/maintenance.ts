// What `migrate` and `replay` do: they work on the database directly.

import { PostgresEventStore } from "../../adapters/postgres/event-store.ts";
import { PostgresFault } from "../../adapters/postgres/postgres-fault.ts";
import { loadMarketTable } from "../../adapters/postgres/queries/journal/markets.ts";
import { StoredProjections } from "../../adapters/postgres/queries/journal/projections.ts";
import { controlSocketPath, isAnswered } from "../../adapters/runtime/control-socket.ts";
import { AssertionFailure } from "../../core/assert.ts";
import { UnknownEvent } from "../../wire/records/event-bytes.ts";
import { type Config, readConfig } from "../config/config.ts";
import { openDatabase } from "../database.ts";
import { commandTurn } from "../folder-turn.ts";
import { VenueKeys } from "../keys/venue-keys.ts";
import { type EpochVerification, verifyEpochs } from "../verification/epoch-verification.ts";
import { checkStarted, openOfflineVenue } from "../verification/offline-venue.ts";
import { listed, type Verification, verifyReplay } from "../verification/verification.ts";
import { complain, ExitCode, logOf, show } from "./terminal/output.ts";
import { ProgressBar } from "./terminal/progress-bar.ts";
import { callVenue } from "./venue-call.ts";

export async function migrateDatabase(): Promise<void> {
  const config = readConfig(process.env);
  const { databaseUrl, synchronousWaitMs, dataDir } = config;
  const log = logOf(config, "main");
  const folder = await commandTurn(dataDir);
  try {
    const database = await openDatabase({
      databaseUrl,
      synchronousWaitMs,
      dataDir,
      log,
      ownsFolder: folder !== null,
    });
    const { migrated, serverVersion } = database;
    await database.close();
    show({ postgresql: serverVersion, applied: migrated, schema: "current" });
  } finally {
    await folder?.release();
  }
}

export async function replay(): Promise<void> {
  const verified = await verify(readConfig(process.env));
  show(shown(verified));
  if (differencesOf(verified).length === 0) return;
  complain("The journal and the stored state differ.");
  process.exitCode = ExitCode.differs;
}

async function verify(config: Config): Promise<Verified> {
  if (await isAnswered(controlSocketPath(config.dataDir))) return verifyRunning(config);
  await checkStarted(config);
  const folder = await commandTurn(config.dataDir);
  try {
    return await (folder === null ? verifyRunning(config) : verifyStopped(config));
  } finally {
    await folder?.release();
  }
}

interface Verified {
  readonly replay: Verification;
  readonly epochs: EpochVerification;
  /** Differences found before the comparison: the error of a trial recovery, if it failed. */
  readonly before: readonly string[];
}

function differencesOf({ before, epochs, replay }: Verified): string[] {
  return [...before, ...epochs.differences, ...replay.differences];
}

/** Returns the result with its field names as printed. */
function shown(verified: Verified): object {
  const { seq, stateHash, snapshotsCompared, tookMs, eventsPerSecond } = verified.replay;
  const { epochs, headEpoch, headRoot, entries, tookMs: epochsMs } = verified.epochs;
  return {
    seq,
    state_hash: stateHash,
    snapshots_compared: snapshotsCompared,
    snapshots_of_older_format: verified.replay.snapshotsPassedOver,
    took_ms: tookMs,
    events_per_second: eventsPerSecond,
    rows_compared: verified.replay.rowsCompared,
    rows_behind: verified.replay.rowsBehind,
    epochs_compared: epochs,
    head_epoch: headEpoch,
    head_root: headRoot,
    entries_hashed_per_second: epochsMs === 0 ? 0 : Math.round((entries / epochsMs) * 1000),
    differences: listed(differencesOf(verified)),
  };
}

/**
 * Takes a snapshot first. The venue writes all pending rows before it, so only rows that change afterwards may lag
 * behind the journal.
 */
async function verifyRunning(config: Config): Promise<Verified> {
  await callVenue("snapshot", {});
  return verifyStored(config, { before: async () => [], isAtRest: false });
}

/** Compares the rows as they are, before a recovery updates the rows that lag behind the journal. */
async function verifyStopped(config: Config): Promise<Verified> {
  return verifyStored(config, { before: () => recoveryFaults(config), isAtRest: true });
}

/**
 * Recovers the venue as a start would. Returns the error if it fails because the journal was altered, and nothing if it
 * succeeds; throws any other error.
 */
async function recoveryFaults(config: Config): Promise<string[]> {
  try {
    const log = logOf(config, "main");
    const venue = await openOfflineVenue(config, log, { endsServer: false, isTrial: true });
    await venue.close();
    return [];
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [`the venue cannot be recovered: ${error.message}`];
  }
}

/** Whether a recovery failed because the journal was altered, rather than for another reason. */
function isDamage(error: unknown): error is Error {
  if (error instanceof PostgresFault) return error.code === "corrupt";
  return error instanceof AssertionFailure || error instanceof UnknownEvent;
}

interface VerifyOptions {
  /** Finds further differences. Called once the database snapshot in which the rows are read is open. */
  readonly before: () => Promise<string[]>;
  readonly isAtRest: boolean;
}

async function verifyStored(config: Config, options: VerifyOptions): Promise<Verified> {
  const { databaseUrl, synchronousWaitMs, dataDir } = config;
  const log = logOf(config, "main");
  const { isAtRest } = options;
  const database = await openDatabase({
    databaseUrl,
    synchronousWaitMs,
    dataDir,
    log,
    ownsFolder: isAtRest,
  });
  const { connection, sql } = database;
  const store = new PostgresEventStore({ connection, log, isStopping: () => true });
  const projections = await StoredProjections.open(connection);
  try {
    const untilSeq = await projections.lastSeq();
    const before = await options.before();
    const afterSeq = await store.baseSeq();
    const table = await loadMarketTable(sql);
    const { nonceKey } = await VenueKeys.open(config, sql, log);
    const hashing = new ProgressBar("entries hashed");
    const epochs = await verifyEpochs({
      connection,
      table,
      nonceKey,
      afterSeq,
      untilSeq,
      isAtRest,
      onProgress: (seq) => hashing.show(seq, untilSeq),
    });
    hashing.end();
    const replaying = new ProgressBar("entries replayed");
    const replay = await verifyReplay(store, table, {
      afterSeq,
      untilSeq,
      projections,
      onProgress: (seq) => replaying.show(seq, untilSeq),
    });
    replaying.end();
    return { before, epochs, replay };
  } finally {
    await projections.close();
    await store.close();
    await database.close();
  }
}
