// How a command reaches the venue: through the control socket of the running venue, or, if no venue runs, by making the
// same calls directly on the database under the writer's lock.

import {
  callControl,
  controlSocketPath,
  isAnswered,
} from "../../adapters/runtime/control-socket.ts";
import { createLog } from "../../adapters/telemetry/log.ts";
import { readConfig } from "../config/config.ts";
import { commandTurn } from "../folder-turn.ts";
import { controlCalls } from "../operator/control-calls.ts";
import { Operator } from "../operator/operator.ts";
import { WrongValue } from "../operator/operator-commands.ts";
import type { VenueCall } from "../operator/verbs/verb.ts";
import {
  checkStarted,
  type OfflineOptions,
  openOfflineVenue,
} from "../verification/offline-venue.ts";

/** Returns the result of `call`; throws the venue's message if it refuses. */
export function callVenue(call: string, parameters: object): Promise<unknown> {
  return withVenue((request) => request(call, parameters));
}

/** Runs `work`, which may make several calls to the same venue. */
export async function withVenue<T>(
  work: (call: VenueCall) => Promise<T>,
  options: Partial<OfflineOptions> = {},
): Promise<T> {
  const config = readConfig(process.env);
  const path = controlSocketPath(config.dataDir);
  const running = () => work((call, parameters) => requestAt(path, call, parameters));
  if (await isAnswered(path)) return running();
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

/** Returns the result of a call to the venue whose control socket is at `path`; throws its message if it refuses. */
export async function requestAt(path: string, call: string, parameters: object): Promise<unknown> {
  const answer = await callControl(path, call, parameters);
  if (!answer.isOk) throw answer.isUsage ? new WrongValue(answer.error) : new Error(answer.error);
  return answer.result;
}
