// A pool task, run once at a start: compares the newest sealed entries with their epochs and returns the differences.

import { PostgresAudit } from "../../src/adapters/postgres/audit-reader.ts";
import { MarketTable } from "../../src/core/markets.ts";
import { auditNewestEpochs } from "../../src/services/epochs/epoch-audit.ts";
import { LeafHasher } from "../../src/services/epochs/leaf-hasher.ts";
import type { EpochTask } from "./seal-epochs.ts";

export interface CheckEpochsTask extends EpochTask {
  readonly entriesMax: number;
}

export async function checkEpochsTask(task: CheckEpochsTask): Promise<readonly string[]> {
  const { connection, markets, assets, nonceKey, entriesMax } = task;
  const table = new MarketTable(markets, assets);
  const source = new PostgresAudit(connection);
  const differences: string[] = [];
  try {
    await auditNewestEpochs(source, new LeafHasher(table, nonceKey), {
      table,
      entriesMax,
      differs: (message) => differences.push(message),
    });
    return differences;
  } finally {
    await source.close();
  }
}
