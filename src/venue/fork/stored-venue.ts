// A venue as its data folder has it, running or stopped, opened for reading only: who it is, its journal, and its state after
// any event. The server refuses every change of these sessions.

import type { Sql } from "../../adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../adapters/postgres/event-store.ts";
import { PostgresEpochs } from "../../adapters/postgres/queries/journal/epochs.ts";
import {
  type Ancestor,
  readForkOrigin,
} from "../../adapters/postgres/queries/journal/fork-origin.ts";
import { loadMarketTable } from "../../adapters/postgres/queries/journal/markets.ts";
import type { VenueEvent } from "../../core/generated/events.ts";
import { MarketTable } from "../../core/markets.ts";
import { apply } from "../../engine/state/apply/apply.ts";
import { captureState, restoreState } from "../../engine/state/snapshot/venue-snapshot.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";
import type { EpochTerms } from "../../ports/journal/epoch-store.ts";
import type { Log } from "../../ports/log.ts";
import { nonceKeyCheck } from "../../services/epochs/nonce-key.ts";
import { announced, newestSnapshot } from "../../services/journal/replay.ts";
import { foldChunk } from "../../wire/records/event-bytes.ts";
import { type Config, readConfig } from "../config/config.ts";
import { VenueKeys } from "../keys/venue-keys.ts";
import { openStoredDatabase } from "../stored-database.ts";
import { forkSettings } from "./fork-file.ts";
import type { JournalSpan } from "./fork-point.ts";

/** Who a venue is. */
export interface VenueIdentity {
  readonly name: string;
  /** Check of its nonce key, which no other venue has and which never changes. */
  readonly venue: string;
  readonly epochMs: number;
  /** Where it comes from, oldest first; empty if it is no fork. */
  readonly ancestors: readonly Ancestor[];
}

export interface StateAfter {
  readonly state: VenueState;
  /** The snapshot from which the state was computed; 0 for none. */
  readonly snapshotSeq: number;
}

export interface StoredVenue {
  readonly config: Config;
  readonly sql: Sql;
  readonly store: Pick<PostgresEventStore, "readEvents">;
  readonly identity: VenueIdentity;
  readonly span: JournalSpan;
  /** The state after the last whole transaction up to `untilSeq`. */
  stateAfter(
    untilSeq: number,
    onProgress: (done: number, total: number) => void,
  ): Promise<StateAfter>;
  close(): Promise<void>;
}

/** Opens the venue of a data folder. Throws if none was started there, or none has run yet. */
export async function openStoredVenue(
  environment: NodeJS.ProcessEnv,
  dataDir: string,
  logFor: (config: Config) => Log,
): Promise<StoredVenue> {
  const own = { ...environment, DATA_DIR: dataDir };
  const config = readConfig({ ...own, ...forkSettings(own) });
  const log = logFor(config);
  const database = await openStoredDatabase(config, log, { isReadOnly: true });
  const { sql, connection } = database;
  const store = new PostgresEventStore({ connection, log, isStopping: () => true });
  const close = async () => {
    await store.close();
    await database.close();
  };
  try {
    const origin = await readForkOrigin(sql);
    const stored = await new PostgresEpochs(sql).terms();
    const terms = stored ?? (await termsToCome(config, sql, log));
    const { venue: name, nonceKeyCheck: venue, epochMs } = terms;
    const lastSeq = await store.lastSeq();
    return {
      config,
      sql,
      store,
      identity: { name, venue, epochMs, ancestors: origin?.ancestors ?? [] },
      span: { baseSeq: origin?.seq ?? 0, baseUs: origin?.tsUs ?? 0, lastSeq },
      stateAfter: async (untilSeq, onProgress) =>
        stateAfter(store, await loadMarketTable(sql), untilSeq, onProgress),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The terms that a venue has which has not begun its first epoch: it has run for less than a second. */
async function termsToCome(
  config: Config,
  sql: Sql,
  log: Log,
): Promise<Omit<EpochTerms, "firstEpoch">> {
  const { nonceKey } = await VenueKeys.open(config, sql, log);
  const { venueName: venue, epochMs } = config;
  return { venue, epochMs, nonceKeyCheck: nonceKeyCheck(nonceKey) };
}

/** Folds whole transactions only: the events of one that has not ended by `untilSeq` are left out. */
async function stateAfter(
  store: PostgresEventStore,
  table: MarketTable,
  untilSeq: number,
  onProgress: (done: number, total: number) => void,
): Promise<StateAfter> {
  const { state } = await newestSnapshot(announced(store, untilSeq), table);
  const snapshotSeq = state.seq;
  let open: VenueEvent[] = [];
  let seq = snapshotSeq;
  await store.readEvents(snapshotSeq, untilSeq, (chunk) => {
    foldChunk(chunk, (event) => {
      open.push(event);
      if (!event.isTransactionEnd) return;
      for (const one of open) apply(state, one);
      open = [];
    });
    seq += chunk.count;
    onProgress(seq - snapshotSeq, untilSeq - snapshotSeq);
  });
  return { state: withOwnMarkets(state, table), snapshotSeq };
}

/** The state with a table of only the markets that it has: the table may list markets that were added later. */
function withOwnMarkets(state: VenueState, table: MarketTable): VenueState {
  if (state.marketCount === table.markets.length) return state;
  const own = new MarketTable(table.markets.slice(0, state.marketCount), table.assets);
  return restoreState(own, captureState(state));
}
