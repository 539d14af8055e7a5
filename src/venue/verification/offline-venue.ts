// A venue without threads or listeners, for the command line while no venue runs: takes the writer's lock, recovers,
// executes commands one by one on this thread, and commits each before it answers. Its events are the same as those of
// a running venue, because the same engine makes them.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Sql } from "../../adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../adapters/postgres/event-store.ts";
import { newestEventMs } from "../../adapters/postgres/queries/journal/journal-time.ts";
import { loadMarketTable } from "../../adapters/postgres/queries/journal/markets.ts";
import { type VenueClock, venueClock } from "../../adapters/runtime/venue-clock.ts";
import type { MarketTable } from "../../core/markets.ts";
import type { ClearingClient } from "../../ports/clearing-client.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EventStore } from "../../ports/journal/event-store.ts";
import type { Log } from "../../ports/log.ts";
import type { SecretBox } from "../../services/access/secret-box.ts";
import { foldSnapshot } from "../../services/journal/snapshot-folding.ts";
import { ClockBuffer } from "../../wire/clock-buffer.ts";
import type { Config } from "../config/config.ts";
import { openDatabase } from "../database.ts";
import { beginning, clockRefusalMessage } from "../duties/clock-monitor.ts";
import { hasMasterKey, missingKey } from "../keys/master-key.ts";
import { VenueKeys } from "../keys/venue-keys.ts";
import { MarkFile } from "../leadership/mark-file.ts";
import type { VenueCalls } from "../operator/verbs/verb.ts";
import { programVersion } from "../program-version.ts";
import { OfflineClearingClient } from "./offline-clearing-client.ts";

export interface OfflineVenue extends VenueCalls {
  readonly clearing: ClearingClient;
  readonly table: MarketTable;
  readonly sql: Sql;
  readonly box: SecretBox;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly marketClock: Clock;
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface OfflineOptions {
  /** Whether MASTER_KEY may be a key that the venue does not use yet. */
  readonly bringsNewKey: boolean;
  /** Whether closing the offline venue stops an embedded database server; false if the caller still uses the server. */
  readonly endsServer: boolean;
  /** Whether nothing is to be written, so that the journal may be any copy, such as a restored one. */
  readonly isTrial: boolean;
}

const usualOptions: OfflineOptions = { bringsNewKey: false, endsServer: true, isTrial: false };

/** Opens an offline venue for the process that owns the data folder. */
export async function openOfflineVenue(
  config: Config,
  log: Log,
  options: Partial<OfflineOptions> = {},
): Promise<OfflineVenue> {
  const { databaseUrl, synchronousWaitMs, dataDir } = config;
  const { bringsNewKey, endsServer, isTrial } = { ...usualOptions, ...options };
  const database = await openDatabase({
    databaseUrl,
    synchronousWaitMs,
    dataDir,
    log,
    ownsFolder: endsServer,
  });
  const { sql, connection } = database;
  const store = new PostgresEventStore({ connection, log, isStopping: () => true });
  const close = async () => {
    await store.close();
    await database.close();
  };
  try {
    const mark = isTrial ? null : await MarkFile.open({ dataDir, connection, log });
    await mark?.compare(store);
    const epoch = await store.becomeWriter();
    const keys = await VenueKeys.open(config, sql, log, { bringsNewKey });
    const table = await loadMarketTable(sql);
    const clock = clockOf(config, await newestEventMs(sql));
    const clearing = await OfflineClearingClient.open(store, table, clock, log);
    return {
      clearing,
      table,
      sql,
      box: keys.box,
      masterKeys: keys.control(async () => undefined),
      store,
      clock,
      marketClock: clock,
      settle: () => clearing.settle(),
      status: async () => {
        return { is_running: false, version: programVersion(), committed_seq: clearing.seq };
      },
      clockControl: () => withoutVenue("the clock can be compared only while one runs"),
      marketControl: () => withoutVenue("the market's time can be moved only while one runs"),
      faults: () => withoutVenue("faults happen only to clients of a running venue"),
      ledger: async () => withoutVenue(),
      settlement: () => withoutVenue(),
      handOver: async () => withoutVenue("there is nothing to hand over"),
      snapshot: async () => {
        await clearing.settle();
        return foldSnapshot(store, table, clearing.seq);
      },
      close: async () => {
        await clearing.settle();
        await mark?.noteHead(store, epoch);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function withoutVenue(why = "the ledger is reached only through a running venue"): never {
  throw new Error(`no venue is running here: ${why}`);
}

/** Returns the clock of a stopped venue: it starts at the time at which the next start of the venue would begin. */
function clockOf(config: Config, journalMs: number): VenueClock {
  const began = beginning(config, journalMs, false);
  if (began.kind === "refused") throw new Error(clockRefusalMessage(began.aheadMs));
  const memory = ClockBuffer.allocate();
  new ClockBuffer(memory).store(began.offsetMs * 1000, 0, 0);
  return venueClock(memory);
}

/** Throws if no venue was started in the folder: a mistyped folder must not become a second venue. */
export async function checkStarted({ dataDir, masterKey }: Config): Promise<void> {
  if (masterKey !== null || (await hasMasterKey(dataDir))) return;
  if (existsSync(join(dataDir, "postgres"))) throw missingKey(dataDir);
  const hint = "start one, or set DATA_DIR to the folder of an existing venue";
  throw new Error(`no venue has been started in ${dataDir}: ${hint}`);
}
