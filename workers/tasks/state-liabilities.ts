// A pool task: makes and stores the statement of liabilities about a sealed epoch. The thread keeps the folded state and
// its database sessions between calls; a fault drops both, and the next call begins with the newest snapshot.

import { setTimeout as pause } from "node:timers/promises";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { PostgresSolvency } from "../../src/adapters/postgres/queries/custody/solvency.ts";
import { PostgresLiabilities } from "../../src/adapters/postgres/queries/journal/liabilities.ts";
import { PostgresLiabilityWriter } from "../../src/adapters/postgres/queries/journal/liability-writer.ts";
import { createLog } from "../../src/adapters/telemetry/log.ts";
import { MarketTable } from "../../src/core/markets.ts";
import {
  LiabilityStating,
  type StatedEpoch,
  type StatingRequest,
} from "../../src/services/epochs/liability-stating.ts";
import { newestSnapshot } from "../../src/services/journal/replay.ts";
import { coverOf } from "../../src/services/settlement/custody/solvency-report.ts";
import type { EpochTask } from "./seal-epochs.ts";

export interface StatingTask extends EpochTask, StatingRequest {
  readonly venueName: string;
}

interface OpenStating {
  readonly stating: LiabilityStating;
  close(): Promise<void>;
}

/** What the thread keeps between two statements. */
class KeptStating {
  #open: OpenStating | null = null;

  async state(task: StatingTask): Promise<StatedEpoch | null> {
    this.#open ??= opened(task);
    const { stating, close } = this.#open;
    try {
      return await stating.state(task);
    } catch (error) {
      this.#open = null;
      await close();
      throw error;
    }
  }
}

const kept = new KeptStating();

export function stateLiabilitiesTask(task: StatingTask): Promise<StatedEpoch | null> {
  return kept.state(task);
}

function opened({
  connection,
  markets,
  assets,
  nonceKey,
  logLevel,
  venueName,
}: StatingTask): OpenStating {
  const log = createLog(logLevel, "liabilities");
  const table = new MarketTable(markets, assets);
  const journal = new PostgresEventStore({ connection, log, isStopping: () => true });
  const statements = new PostgresLiabilityWriter(connection);
  const sql = openPostgres(connection, "queries");
  const stating = new LiabilityStating({
    ...{ table, venue: venueName, nonceKey, journal, statements, coverOf, pause },
    newestState: async () => (await newestSnapshot(journal, table)).state,
    stated: new PostgresLiabilities(sql),
    solvency: new PostgresSolvency(sql),
    monotonicMs: () => performance.now(),
  });
  const close = async () => {
    await Promise.all([journal.close(), statements.close(), sql.end()]);
  };
  return { stating, close };
}
