// How a command reaches the venue: through the control socket of the one that runs, or, when none
// does, through the same calls on the database, which the writer's lock then protects.

import { createLog } from "../../adapters/telemetry/log.ts";
import { type Config, readConfig } from "../config.ts";
import { controlCalls } from "../control-calls.ts";
import { askControl, controlSocketPath, isAnswered } from "../control-socket.ts";
import { openOfflineVenue } from "../offline-venue.ts";
import { createOperator } from "../operator-parts.ts";

/** The result of `call`; throws with the venue's words if it refuses. */
export async function callVenue(call: string, parameters: object): Promise<unknown> {
  const config = readConfig(process.env);
  const path = controlSocketPath(config.dataDir);
  if (!(await isAnswered(path))) return callOffline(config, call, parameters);
  const answer = await askControl(path, call, parameters);
  if (!answer.isOk) throw new Error(answer.error);
  return answer.result;
}

async function callOffline(config: Config, call: string, parameters: object): Promise<unknown> {
  const venue = await openOfflineVenue(config, createLog("warn", "main"));
  try {
    const operator = createOperator({ ...venue, settle: () => venue.settle() });
    return await controlCalls(operator, venue, config.devTools)(call, parameters);
  } finally {
    await venue.close();
  }
}
