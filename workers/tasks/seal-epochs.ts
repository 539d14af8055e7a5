// Tasks of the pool: hash journal entries of the open epoch, and seal epochs whose time is over.
// Everything they need comes with the call; only database sessions are kept between two of them.

import type { PostgresConnectionOptions } from "../../src/adapters/postgres/connection.ts";
import { PostgresEpochWriter } from "../../src/adapters/postgres/epoch-writer.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { createLog } from "../../src/adapters/telemetry/log.ts";
import { type Market, MarketTable } from "../../src/core/markets.ts";
import type { Asset } from "../../src/core/money/assets.ts";
import type { EpochTerms } from "../../src/ports/journal/epoch-store.ts";
import type { Begun } from "../../src/services/epochs/epoch-sealer.ts";
import {
  type EpochClosing,
  type HashedStep,
  hashEntries,
  type SealedStep,
  type SealingStores,
  sealEpochs,
} from "../../src/services/epochs/epoch-sealing.ts";
import { LeafHasher } from "../../src/services/epochs/leaf-hasher.ts";
import type { OpenEpoch } from "../../src/services/epochs/open-epoch.ts";

/** What every call brings. */
export interface EpochTask {
  readonly connection: PostgresConnectionOptions;
  readonly markets: readonly Market[];
  readonly assets: readonly Asset[];
  readonly nonceKey: Uint8Array;
  readonly logLevel: string;
}

export interface BeginTask extends EpochTask {
  readonly terms: EpochTerms;
}

export interface HashTask extends EpochTask {
  readonly open: OpenEpoch;
  readonly untilSeq: number;
}

export interface SealTask extends EpochTask {
  readonly closing: EpochClosing;
}

/** The terms all epochs share, and the newest one. */
export function beginEpochsTask(task: BeginTask): Promise<Begun> {
  return withStores(task, async ({ epochs }) => {
    const terms = await epochs.agree(task.terms);
    return { terms, newest: await epochs.newest() };
  });
}

export function hashEntriesTask(task: HashTask): Promise<HashedStep> {
  return withStores(task, (stores) =>
    hashEntries(stores, leavesOf(task), task.open, task.untilSeq),
  );
}

export function sealEpochsTask(task: SealTask): Promise<SealedStep> {
  return withStores(task, (stores) => sealEpochs(stores, leavesOf(task), task.closing));
}

function leavesOf({ markets, assets, nonceKey }: EpochTask): LeafHasher {
  return new LeafHasher(new MarketTable(markets, assets), nonceKey);
}

interface OpenStores extends SealingStores {
  readonly key: string;
  close(): Promise<void>;
}

/**
 * The thread's two database sessions, which later tasks use again: at full load there are several tasks a second, and
 * to open a session costs the server as much as many thousand entries. They end with the thread, which the pool ends
 * when it had nothing to do for some seconds.
 */
let kept: OpenStores | null = null;

async function withStores<T>(
  task: EpochTask,
  work: (stores: SealingStores) => Promise<T>,
): Promise<T> {
  const key = JSON.stringify(task.connection);
  if (kept !== null && kept.key !== key) await closeStores();
  kept ??= openStores(task, key);
  try {
    return await work(kept);
  } catch (error) {
    await closeStores();
    throw error;
  }
}

function openStores({ connection, logLevel }: EpochTask, key: string): OpenStores {
  const log = createLog(logLevel, "epochs");
  const journal = new PostgresEventStore({ connection, log, isStopping: () => true });
  const epochs = new PostgresEpochWriter(connection);
  const close = async () => {
    await Promise.all([journal.close(), epochs.close()]);
  };
  return { journal, epochs, key, close };
}

async function closeStores(): Promise<void> {
  const stores = kept;
  kept = null;
  await stores?.close();
}
