// Tasks of the pool: hash journal entries of the open epoch, and seal epochs whose time is over. Each call passes
// everything that its task needs; only database sessions stay open between two calls.

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

/** The parameters of every task. */
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

/** Returns the terms that all epochs share, and the newest epoch. */
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
 * The thread's two database sessions, which later tasks reuse: at full load there are several tasks a second, and
 * opening a session costs the server as much as thousands of entries. The sessions end with the thread, which the pool
 * ends after some idle seconds.
 */
class SessionCache {
  #open: OpenStores | null = null;

  /** Returns the stores on `connection`; the same stores as before if the connection has not changed. */
  async get({ connection, logLevel }: EpochTask): Promise<SealingStores> {
    const key = JSON.stringify(connection);
    if (this.#open !== null && this.#open.key !== key) await this.close();
    if (this.#open === null) {
      const log = createLog(logLevel, "epochs");
      const journal = new PostgresEventStore({ connection, log, isStopping: () => true });
      const epochs = new PostgresEpochWriter(connection);
      const close = async () => {
        await Promise.all([journal.close(), epochs.close()]);
      };
      this.#open = { journal, epochs, key, close };
    }
    return this.#open;
  }

  async close(): Promise<void> {
    const stores = this.#open;
    this.#open = null;
    await stores?.close();
  }
}

const sessions = new SessionCache();

/** Runs `work`. If it fails, closes the sessions, because their state is then unknown. */
async function withStores<T>(
  task: EpochTask,
  work: (stores: SealingStores) => Promise<T>,
): Promise<T> {
  const stores = await sessions.get(task);
  try {
    return await work(stores);
  } catch (error) {
    await sessions.close();
    throw error;
  }
}
