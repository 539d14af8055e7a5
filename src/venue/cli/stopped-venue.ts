// Calls to a venue that does not run: made on its database under the writer's lock.

import { createLog } from "../../adapters/telemetry/log.ts";
import type { Config } from "../config/config.ts";
import { commandTurn } from "../folder-turn.ts";
import { controlCalls } from "../operator/control-calls.ts";
import { Operator } from "../operator/operator.ts";
import type { VenueCall } from "../operator/verbs/verb.ts";
import {
  checkStarted,
  type OfflineOptions,
  openOfflineVenue,
} from "../verification/offline-venue.ts";

/**
 * Runs `work` on the stopped venue of the data folder, or `running` if a venue has started there meanwhile. Throws if none
 * was ever started there.
 */
export async function withStoppedVenue<T>(
  config: Config,
  options: Partial<OfflineOptions>,
  work: (call: VenueCall) => Promise<T>,
  running: () => Promise<T>,
): Promise<T> {
  await checkStarted(config);
  const folder = await commandTurn(config.dataDir);
  if (folder === null) return running();
  try {
    const log = createLog("warn", "main");
    const venue = await openOfflineVenue(config, log, options);
    try {
      const operator = new Operator({ ...venue, log, settle: () => venue.settle() });
      return await work(controlCalls(operator, venue, config.devTools));
    } finally {
      await venue.close();
    }
  } finally {
    await folder.release();
  }
}
