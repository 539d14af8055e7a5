// A pool task: folds the committed journal into a new snapshot and stores it. No state remains between calls.

import type { PostgresConnectionOptions } from "../../src/adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { createLog } from "../../src/adapters/telemetry/log.ts";
import { type Market, MarketTable } from "../../src/core/markets.ts";
import type { Asset } from "../../src/core/money/assets.ts";
import { type FoldedSnapshot, foldSnapshot } from "../../src/services/journal/snapshot-folding.ts";

export interface FoldSnapshotTask {
  readonly connection: PostgresConnectionOptions;
  readonly markets: readonly Market[];
  readonly assets: readonly Asset[];
  readonly untilSeq: number;
  readonly logLevel: string;
}

export async function foldSnapshotTask(task: FoldSnapshotTask): Promise<FoldedSnapshot> {
  const log = createLog(task.logLevel, "snapshot");
  const store = new PostgresEventStore({
    connection: task.connection,
    log,
    isStopping: () => true,
  });
  try {
    return await foldSnapshot(store, new MarketTable(task.markets, task.assets), task.untilSeq);
  } finally {
    await store.close();
  }
}
