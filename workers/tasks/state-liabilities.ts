// A pool task: makes and stores the statement of liabilities about a sealed epoch. The thread keeps the folded state and
// its database sessions between calls; a fault drops both, and the next call begins with the newest snapshot.

import { setTimeout as pause } from "node:timers/promises";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { PostgresLiabilityWriter } from "../../src/adapters/postgres/liability-writer.ts";
import { PostgresSolvency } from "../../src/adapters/postgres/queries/custody/solvency.ts";
import { createLog } from "../../src/adapters/telemetry/log.ts";
import { MarketTable } from "../../src/core/markets.ts";
import {
  LiabilityStating,
  type StatedEpoch,
  type StatingRequest,
} from "../../src/services/epochs/liability-stating.ts";
import type { EpochTask } from "./seal-epochs.ts";

export interface StatingTask extends EpochTask, StatingRequest {
  readonly venueName: string;
}

interface OpenStating {
  readonly stating: LiabilityStating;
  close(): Promise<void>;
}

let open: OpenStating | null = null;

export async function stateLiabilitiesTask(task: StatingTask): Promise<StatedEpoch | null> {
  open ??= opened(task);
  const { stating, close } = open;
  try {
    return await stating.state(task);
  } catch (error) {
    open = null;
    await close();
    throw error;
  }
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
  const journal = new PostgresEventStore({ connection, log, isStopping: () => true });
  const statements = new PostgresLiabilityWriter(connection);
  const sql = openPostgres(connection, "queries");
  const stating = new LiabilityStating({
    table: new MarketTable(markets, assets),
    venue: venueName,
    ...{ nonceKey, journal, statements, pause },
    solvency: new PostgresSolvency(sql),
    nowMs: () => Date.now(),
  });
  const close = async () => {
    await Promise.all([journal.close(), statements.close(), sql.end()]);
  };
  return { stating, close };
}
