// `migrate`, `snapshot`, `replay`: what an operator does to the store rather than to accounts.

import type { Command } from "commander";
import { PostgresEventStore } from "../../adapters/postgres/event-store.ts";
import { loadMarketTable } from "../../adapters/postgres/queries/markets.ts";
import { createLog } from "../../adapters/telemetry/log.ts";
import { readConfig } from "../config.ts";
import { controlSocketPath, isAnswered } from "../control-socket.ts";
import { openDatabase } from "../database.ts";
import { openOfflineVenue } from "../offline-venue.ts";
import { type Verification, verifyReplay } from "../verification.ts";
import { complain, ExitCode, say, show } from "./output.ts";
import { callVenue } from "./venue-call.ts";

export function addMaintenanceCommands(program: Command): void {
  program
    .command("migrate")
    .description("bring the database to this program's schema")
    .addHelpText("after", "\nExample:\n  $ DATABASE_URL=postgres://… rialto migrate")
    .action(migrateDatabase);
  program
    .command("status")
    .description("how far the venue is")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ rialto status --json")
    .action(async ({ json }: { json?: boolean }) => show(await callVenue("status", {}), !!json));
  program
    .command("ledger")
    .description("where the ledger network is, how far it is, and who the venue is there")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ rialto ledger --json")
    .action(async ({ json }: { json?: boolean }) => show(await callVenue("ledger", {}), !!json));
  program
    .command("snapshot")
    .description("fold and store a snapshot now, so that the next start replays less")
    .addHelpText("after", "\nExample:\n  $ rialto snapshot")
    .action(async () => show(await callVenue("snapshot", {}), false));
  program
    .command("funding-tick")
    .description("settle the funding of all perpetual markets now (development tools only)")
    .addHelpText("after", "\nExample:\n  $ rialto funding-tick")
    .action(async () => show(await callVenue("funding/tick", {}), false));
  program
    .command("replay")
    .description("rebuild the state from the journal and compare it with what is stored")
    .requiredOption("--verify", "compare with every snapshot and the projections")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ rialto replay --verify")
    .action(({ json }: { json?: boolean }) => replay(json ?? false));
}

async function migrateDatabase(): Promise<void> {
  const { databaseUrl, dataDir, logLevel } = readConfig(process.env);
  const log = createLog(logLevel, "main");
  const database = await openDatabase({ databaseUrl, dataDir, log, leavesRunning: true });
  const { migrated, serverVersion } = database;
  await database.close();
  for (const name of migrated) say(`applied ${name}`);
  say(`PostgreSQL ${serverVersion}: the schema is current`);
}

async function replay(asJson: boolean): Promise<void> {
  const config = readConfig(process.env);
  const isRunning = await isAnswered(controlSocketPath(config.dataDir));
  const verification = isRunning ? await verifyRunning() : await verifyStopped();
  if (process.stderr.isTTY) process.stderr.write("\n");
  show(shown(verification), asJson);
  if (verification.differences.length === 0) return;
  complain("The journal and what is stored differ.");
  process.exitCode = ExitCode.differs;
}

/** In the spelling of every other result. */
function shown(verification: Verification): object {
  const { seq, stateHash, snapshotsCompared, tookMs, eventsPerSecond } = verification;
  return {
    seq,
    state_hash: stateHash,
    snapshots_compared: snapshotsCompared,
    took_ms: tookMs,
    events_per_second: eventsPerSecond,
    differences: verification.differences,
  };
}

/** Against the snapshot just taken: the rows of a running venue move while they are read. */
async function verifyRunning(): Promise<Verification> {
  const { seq } = (await callVenue("snapshot", {})) as { seq: number };
  const { databaseUrl, dataDir, logLevel } = readConfig(process.env);
  const log = createLog(logLevel, "main");
  const database = await openDatabase({ databaseUrl, dataDir, log, leavesRunning: true });
  const { connection, sql } = database;
  const store = new PostgresEventStore({ connection, log, isStopping: () => true });
  try {
    const table = await loadMarketTable(sql);
    return await verifyReplay(store, table, { untilSeq: seq, sql: null, onProgress: progress });
  } finally {
    await store.close();
    await database.close();
  }
}

async function verifyStopped(): Promise<Verification> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel, "main");
  const venue = await openOfflineVenue(config, log);
  try {
    await venue.settle();
    const { table, sql, store } = venue;
    const untilSeq = await store.lastSeq();
    return await verifyReplay(store, table, { untilSeq, sql, onProgress: progress });
  } finally {
    await venue.close();
  }
}

function progress(seq: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\rreplayed ${seq} events`);
}
